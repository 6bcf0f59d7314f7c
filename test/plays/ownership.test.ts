import {
  DEPLOYMENTS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  NAMESPACES,
  PLACEMENTS,
  SERVICES,
} from "../../src/runtime/index.ts";
import { bundle, placement } from "../builders/index.ts";
import { configMap, deployment } from "../integration/federation/objects.ts";
import { deleteApp, deletePolicy, NEW_IMAGE, running, setApp, setPolicy, shop } from "./deeds.ts";
import type { Play } from "./play.ts";
import { plays } from "./stage.ts";
import { QUOTAS } from "./theatre.ts";

const everywhere = placement("all");

/** Somebody changes the copy of the application on a member. */
function meddle(play: Play, words: string, cluster: string, spec: object): Promise<void> {
  return play.user(`on ${cluster}: ${words}`, () =>
    play.member(cluster).merge(DEPLOYMENTS, "default", "shop", { spec } as Parameters<TestMerge>[3]),
  );
}
type TestMerge = ReturnType<Play["member"]>["merge"];

function finalizers(play: Play, cluster: string, names: string[] | null): Promise<void> {
  const words = names === null ? "takes the finalizer off Deployment shop" : "puts a finalizer on Deployment shop";
  return play.user(`on ${cluster}: ${words}`, () =>
    play.member(cluster).merge(DEPLOYMENTS, "default", "shop", { metadata: { finalizers: names } }),
  );
}

function foreign(play: Play, cluster: string): Promise<void> {
  return play.user(`on ${cluster}: creates a Deployment shop of one's own`, () =>
    play.member(cluster).create(DEPLOYMENTS, deployment("shop", 7)),
  );
}

function quota(play: Play, words: string, deployments: number): Promise<void> {
  return play.user(`on a: ${words}`, () =>
    play.member("a").apply(QUOTAS, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "limits", namespace: "default" },
      spec: { hard: { "count/deployments.apps": String(deployments) } },
    }),
  );
}

plays("who owns what on members", [
  {
    name: "foreign-refused-then-adopted",
    about: "A Deployment of somebody else has the name: Meridian leaves it alone until the policy says Adopt.",
    members: ["a", "b"],
    act: async (play) => {
      await foreign(play, "a");
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.pass(60_000);
      await setPolicy(play, "every cluster, conflictResolution Adopt", everywhere.conflictResolution("Adopt"));
      await play.settle();
    },
  },
  {
    name: "foreign-refused-then-gone",
    about: "A Deployment of somebody else has the name, and is deleted by its owner.",
    members: ["a", "b"],
    act: async (play) => {
      await foreign(play, "a");
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.pass(60_000);
      await play.user("on a: deletes one's own Deployment shop", () =>
        play.member("a").delete(DEPLOYMENTS, "default", "shop"),
      );
      await play.settle();
    },
  },
  {
    name: "foreign-stays-when-the-application-goes",
    about: "The application is deleted; the Deployment of somebody else with its name stays.",
    members: ["a", "b"],
    act: async (play) => {
      await foreign(play, "a");
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.settle();
      await deleteApp(play);
      await play.settle();
    },
  },
  {
    name: "drift-replicas",
    about: "Somebody changes the replicas on a member: Meridian puts them right, and says who it was.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await meddle(play, "sets the replicas of Deployment shop to 5", "a", { replicas: 5 });
      await play.settle();
    },
  },
  {
    name: "drift-again-and-again",
    about: "Somebody changes the replicas over and over: Meridian waits longer each time.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      for (const replicas of [5, 6, 7, 8]) {
        await meddle(play, `sets the replicas of Deployment shop to ${replicas}`, "a", { replicas });
        await play.pass(2_000);
      }
      await play.settle();
    },
  },
  {
    name: "drift-of-a-field-of-nobody",
    about: "Somebody sets a field that Meridian does not own: the field stays.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await meddle(play, "sets minReadySeconds of Deployment shop to 3", "a", { minReadySeconds: 3 });
      await play.settle();
    },
  },
  {
    name: "retained-replicas",
    about: "The policy retains the replicas of Deployments, for an autoscaler of the member.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere.retain("Deployment", "spec.replicas"));
      await meddle(play, "an autoscaler sets the replicas of Deployment shop to 5", "a", { replicas: 5 });
      await play.settle();
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.settle();
    },
  },
  {
    name: "deleted-on-a-member",
    about: "Somebody deletes the copy on a member: Meridian makes another one.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await play.user("on a: deletes Deployment shop", () => play.member("a").delete(DEPLOYMENTS, "default", "shop"));
      await play.settle();
    },
  },
  {
    name: "deleted-on-a-lost-member",
    about: "The copy is deleted on a member that is cut off.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await play.cutOff("a");
      await play.pass(20_000);
      await play.user("on a: deletes Service shop", () => play.member("a").delete(SERVICES, "default", "shop"));
      await play.pass(20_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "finalizer-holds-the-copy",
    about:
      "A finalizer of somebody else holds the copy on a member: the application stays on the hub until the copy has gone.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await finalizers(play, "a", ["backup.example.com/wait"]);
      await deleteApp(play);
      await play.pass(60_000);
      await finalizers(play, "a", null);
      await play.settle();
    },
  },
  {
    name: "finalizer-holds-a-move",
    about: "A finalizer of somebody else holds the old copy of a move.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await finalizers(play, "a", ["backup.example.com/wait"]);
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.pass(60_000);
      await finalizers(play, "a", null);
      await play.settle();
    },
  },
  {
    name: "orphaned-on-delete",
    about: "With deletionPolicy Orphan a deleted application leaves its copies, without a mark of Meridian.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere.deletionPolicy("Orphan"));
      await deleteApp(play);
      await play.settle();
    },
  },
  {
    name: "orphaned-on-a-lost-cluster",
    about: "With deletionPolicy Orphan, and a cluster that is cut off when the application and its policy are deleted.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere.deletionPolicy("Orphan"));
      await play.cutOff("a");
      await play.pass(20_000);
      await deleteApp(play);
      await deletePolicy(play, "all");
      await play.pass(20_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "orphaned-by-a-move",
    about: "With deletionPolicy Orphan the application moves: the old copy stays, as nobody's.",
    members: ["a", "b"],
    act: async (play) => {
      const orphans = placement("named").deletionPolicy("Orphan");
      await running(play, orphans.onClusters("a"));
      await setPolicy(play, "only b", orphans.onClusters("b"));
      await play.settle();
    },
  },
  {
    name: "suspended-and-resumed",
    about: "A suspended policy changes nothing; a change that came meanwhile goes out afterwards.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await setPolicy(play, "every cluster, suspended", everywhere.suspend());
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.pass(60_000);
      await setPolicy(play, "every cluster", everywhere.suspend(false));
      await play.settle();
    },
  },
  {
    name: "suspended-and-deleted",
    about: "The deletion of a suspended application waits until its policy is resumed.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await setPolicy(play, "every cluster, suspended", everywhere.suspend());
      // The manager's watches of policies and applications have no order among each other.
      await play.pass(1_000);
      await deleteApp(play);
      await play.pass(60_000);
      await setPolicy(play, "every cluster", everywhere.suspend(false));
      await play.settle();
    },
  },
  {
    name: "policy-deleted-and-back",
    about: "The policy is deleted and comes back: what runs stays as it is in between.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await deletePolicy(play, "all");
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.pass(60_000);
      await setPolicy(play, "every cluster", everywhere);
      await play.settle();
    },
  },
  {
    name: "policy-of-higher-priority",
    about: "A second policy of higher priority sends the application elsewhere, and is deleted again.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("low").onClusters("a"));
      await setPolicy(play, "only b, priority 10", placement("high").onClusters("b").priority(10));
      await play.settle();
      await deletePolicy(play, "high");
      await play.settle();
    },
  },
  {
    name: "no-policy-yet",
    about: "An application without a policy waits for one.",
    members: ["a", "b"],
    act: async (play) => {
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.settle();
      await setPolicy(play, "every cluster", everywhere);
      await play.settle();
    },
  },
  {
    name: "deleted-while-created",
    about: "The application is deleted while its copies are being written.",
    members: ["a", "b"],
    act: async (play) => {
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.pass(30);
      await deleteApp(play);
      await play.settle();
    },
  },
  {
    name: "deleted-and-created-again",
    about: "The application is deleted, and another one of the same name comes while the copies are going.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await finalizers(play, "a", ["backup.example.com/wait"]);
      await deleteApp(play);
      await play.pass(20_000);
      await finalizers(play, "a", null);
      await play.settle();
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.settle();
    },
  },
  {
    name: "quota-refuses-then-allows",
    about: "The quota of a namespace on a member has no room for the Deployment, and is raised later.",
    members: ["a", "b"],
    controllers: true,
    act: async (play) => {
      await quota(play, "allows no Deployment in the namespace", 0);
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.pass(40_000);
      await quota(play, "allows five Deployments", 5);
      await play.pass(40_000);
    },
  },
  {
    name: "namespace-missing",
    about: "The namespace of the application is missing on the members: Meridian makes it.",
    members: ["a", "b"],
    controllers: true,
    act: async (play) => {
      await play.user("creates Namespace team", () =>
        play.hub.apply(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }),
      );
      await play.apply("applies Placement all of team: every cluster", PLACEMENTS, everywhere.namespace("team"));
      await play.apply("creates DemoApplication shop of team", DEMOAPPLICATIONS, shop.namespace("team"));
      await play.settle();
      await play.user("deletes DemoApplication shop of team", () => play.hub.delete(DEMOAPPLICATIONS, "team", "shop"));
      await play.settle();
    },
  },
  {
    name: "bundle-with-order",
    about: "A bundle of a ConfigMap and a Deployment that reads it: the ConfigMap comes first.",
    members: ["a", "b"],
    act: async (play) => {
      const selects = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
      await play.apply("applies Placement bundles: every cluster", PLACEMENTS, placement("bundles").selects(selects));
      const { metadata: _, ...settings } = configMap("settings", { color: "blue" });
      const web = deployment("web", 1, {});
      const parts = [
        { ...web, metadata: { name: "web" } },
        { ...settings, metadata: { name: "settings" } },
      ];
      await play.apply("creates ManifestBundle parts", MANIFESTBUNDLES, bundle("parts", parts as never));
      await play.settle();
      await play.apply(
        "takes Deployment web out of the bundle",
        MANIFESTBUNDLES,
        bundle("parts", parts.slice(1) as never),
      );
      await play.settle();
      await play.delete("deletes ManifestBundle parts", MANIFESTBUNDLES, "parts");
      await play.settle();
    },
  },
]);
