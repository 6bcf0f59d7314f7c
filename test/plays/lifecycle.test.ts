import { DEMOAPPLICATIONS, MEMBERCLUSTERS, PLACEMENTS } from "../../src/runtime/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { plays } from "./stage.ts";

const shop = demoApplication("shop").replica(2).port(80);

plays("the life of an application", [
  {
    name: "create-everywhere",
    about: "An application comes to every member.",
    act: async (play) => {
      await play.apply("creates Placement all: every DemoApplication on every cluster", PLACEMENTS, placement("all"));
      await play.settle();
      await play.apply("creates DemoApplication shop, 2 replicas", DEMOAPPLICATIONS, shop);
      await play.settle();
    },
  },
  {
    name: "change-image",
    about: "An application gets another image on every member.",
    act: async (play) => {
      await play.apply("creates Placement all: every DemoApplication on every cluster", PLACEMENTS, placement("all"));
      await play.apply("creates DemoApplication shop, 2 replicas", DEMOAPPLICATIONS, shop);
      await play.settle();
      await play.apply("changes the image to nginx:1.28", DEMOAPPLICATIONS, shop.image("nginx:1.28"));
      await play.settle();
    },
  },
  {
    name: "delete",
    about: "A deleted application leaves nothing on any member.",
    act: async (play) => {
      await play.apply("creates Placement all: every DemoApplication on every cluster", PLACEMENTS, placement("all"));
      await play.apply("creates DemoApplication shop, 2 replicas", DEMOAPPLICATIONS, shop);
      await play.settle();
      await play.delete("deletes DemoApplication shop", DEMOAPPLICATIONS, "shop");
      await play.settle();
    },
  },
  {
    name: "lost-cluster-one-of-three",
    about: "The cluster of an application on one of three is lost: after the grace period it moves.",
    act: async (play) => {
      await play.apply(
        "creates Placement one: one cluster, failover after 60 s",
        PLACEMENTS,
        placement("one").clusterCount(1).failover({ gracePeriod: "60s", returnAfter: "5m" }),
      );
      await play.apply("creates DemoApplication shop, 2 replicas", DEMOAPPLICATIONS, shop);
      await play.settle();
      await play.fault("is cut off", "a", (server) => server.faults.set({ partition: "reset" }));
      await play.pass(150_000);
      await play.fault("is back", "a", (server) => server.faults.set({ partition: undefined }));
      await play.pass(400_000);
    },
  },
  {
    name: "drain-by-taint",
    about: "A taint with NoExecute drains one of three clusters of an application on one cluster.",
    act: async (play) => {
      await play.apply("creates Placement one: one cluster", PLACEMENTS, placement("one").clusterCount(1));
      await play.apply("creates DemoApplication shop, 2 replicas", DEMOAPPLICATIONS, shop);
      await play.settle();
      await play.merge("taints a: NoExecute", MEMBERCLUSTERS, "a", {
        spec: { taints: [{ key: "maintenance", effect: "NoExecute" }] },
      });
      await play.settle();
    },
  },
]);
