import { DEMOAPPLICATIONS, MEMBERCLUSTERS } from "../../src/runtime/index.ts";
import { placement } from "../builders/index.ts";
import { NEW_IMAGE, relabel, running, setApp, setPolicy, shop, taint } from "./deeds.ts";
import { plays } from "./stage.ts";

const moving = placement("moving").clusterCount(1).failover({ gracePeriod: "60s", returnAfter: "5m" });
const primary = placement("groups").affinity(
  { name: "primary", clusterNames: ["a"] },
  { name: "backup", clusterNames: ["b"] },
);

plays("failover and moves", [
  {
    name: "failover-lost-and-back",
    about:
      "The cluster of an application is lost: it moves after 60 s, and the old copy goes when the cluster is back.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.pass(150_000);
      await play.comeBack("a");
      await play.pass(400_000);
    },
  },
  {
    name: "failover-silent",
    about: "The cluster of an application does not answer any more, without a broken connection.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a", "silent");
      await play.pass(180_000);
      await play.comeBack("a");
      await play.pass(400_000);
    },
  },
  {
    name: "failover-back-in-time",
    about: "The cluster is back before the grace period ends: nothing moves.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.pass(40_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "failover-held",
    about: "Two of three clusters are lost at once: the hub is probably the one cut off, and nothing moves.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.cutOff("b");
      await play.pass(150_000);
      await play.comeBack("b");
      await play.comeBack("a");
      await play.pass(150_000);
    },
  },
  {
    name: "failover-restart",
    about: "The manager starts anew within the grace period: the clock of the loss goes on.",
    restarts: false,
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.pass(30_000);
      await play.restart();
      await play.pass(150_000);
      await play.comeBack("a");
      await play.pass(400_000);
    },
  },
  {
    name: "failover-nowhere-to-go",
    about: "An application on every cluster loses one of them: nothing is to be gained.",
    act: async (play) => {
      await running(play, placement("moving").failover({ gracePeriod: "60s" }));
      await play.cutOff("a");
      await play.pass(150_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "failover-unhealthy",
    about:
      "No pod of an application is ready on a cluster that answers: the application moves after 30 s. Nothing serves there, so that the old copy goes at once.",
    act: async (play) => {
      await running(
        play,
        placement("moving").clusterCount(1).failover({ gracePeriod: "60s", returnAfter: "5m", unhealthyAfter: "30s" }),
      );
      await play.stickPods("a");
      await play.losePod("a", "shop");
      await play.losePod("a", "shop");
      await play.pass(150_000);
      await play.stickPods("a", false);
      await play.pass(400_000);
    },
  },
  {
    name: "failover-with-change",
    about: "The image changes while the cluster of the application is lost.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.pass(30_000);
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.pass(120_000);
      await play.comeBack("a");
      await play.pass(400_000);
    },
  },
  {
    name: "failover-deleted-meanwhile",
    about: "The application is deleted while its old cluster is lost: the copy there goes when the cluster is back.",
    act: async (play) => {
      await running(play, moving);
      await play.cutOff("a");
      await play.pass(120_000);
      await play.delete("deletes DemoApplication shop", DEMOAPPLICATIONS, "shop");
      await play.pass(30_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "move-by-name",
    about: "The policy names another cluster: the new copy is available before the old one goes.",
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.settle();
    },
  },
  {
    name: "move-new-copy-not-ready",
    about: "The new copy does not get ready: the old one stays until it does.",
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await play.stickPods("b");
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.pass(120_000);
      await play.stickPods("b", false);
      await play.settle();
    },
  },
  {
    name: "move-restart-midway",
    about: "The manager starts anew while the new copy is not yet ready.",
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await play.stickPods("b");
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.pass(20_000);
      await play.restart();
      await play.pass(20_000);
      await play.stickPods("b", false);
      await play.settle();
    },
  },
  {
    name: "move-target-lost",
    about: "The new cluster is lost before the copy there is ready: the old copy stays.",
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await play.cutOff("b");
      await play.pass(20_000);
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.pass(60_000);
      await play.comeBack("b");
      await play.settle();
    },
  },
  {
    name: "move-taken-back",
    about: "The policy names the old cluster again while the new copy is not yet ready.",
    act: async (play) => {
      await running(play, placement("named").onClusters("a"));
      await play.stickPods("b");
      await setPolicy(play, "only b", placement("named").onClusters("b"));
      await play.pass(20_000);
      await setPolicy(play, "only a", placement("named").onClusters("a"));
      await play.settle();
      await play.stickPods("b", false);
    },
  },
  {
    name: "groups-first-is-tainted",
    about: "The first group of clusters is tainted with NoExecute: the backup takes over, and keeps the application.",
    act: async (play) => {
      await running(play, primary);
      await taint(play, "a", "NoExecute");
      await play.settle();
      await taint(play, "a", undefined);
      await play.settle();
    },
  },
  {
    name: "taint-no-schedule",
    about: "A taint with NoSchedule keeps new applications away, and what runs stays.",
    act: async (play) => {
      await running(play, placement("one").clusterCount(1));
      await taint(play, "a", "NoSchedule");
      await play.settle();
      await setApp(play, "creates DemoApplication cart", {
        ...shop.object(),
        metadata: { name: "cart", namespace: "default" },
      });
      await play.settle();
    },
  },
  {
    name: "taint-tolerated-for-a-while",
    about: "The policy tolerates the taint for two minutes.",
    act: async (play) => {
      const tolerates = {
        key: "maintenance",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 120,
      } as const;
      await running(play, placement("one").clusterCount(1).tolerates(tolerates));
      await taint(play, "a", "NoExecute");
      await play.pass(150_000);
    },
  },
  {
    name: "label-added",
    about: "A cluster gets the region that the policy selects.",
    act: async (play) => {
      await running(play, placement("north").inRegions("north"));
      await relabel(play, "b", { "topology.kubernetes.io/region": "north" });
      await play.settle();
    },
  },
  {
    name: "label-removed",
    about: "A cluster leaves the region that the policy selects; another cluster of the region keeps the application.",
    members: ["a", "d"],
    act: async (play) => {
      await running(play, placement("north").inRegions("north"));
      await relabel(play, "a", { "topology.kubernetes.io/region": "east" });
      await play.settle();
    },
  },
  {
    name: "label-removed-from-the-last",
    about: "The only cluster of the region leaves it: no cluster fits any more.",
    act: async (play) => {
      await running(play, placement("north").inRegions("north"));
      await relabel(play, "a", { "topology.kubernetes.io/region": "east" });
      await play.settle();
      await relabel(play, "a", { "topology.kubernetes.io/region": "north" });
      await play.settle();
    },
  },
  {
    name: "cordon-and-drain-two",
    about: "Two of three clusters are drained, one after the other.",
    act: async (play) => {
      await running(play, placement("two").clusterCount(2));
      await taint(play, "a", "NoExecute");
      await play.settle();
      await taint(play, "b", "NoExecute");
      await play.settle();
    },
  },
  {
    name: "replicas-divided-by-weight",
    about: "Replicas divided 2 to 1 between two clusters; a third cluster with a weight joins the policy.",
    act: async (play) => {
      const weight = (name: string, of: number): { targetClusters: { clusterNames: string[] }; weight: number } => ({
        targetClusters: { clusterNames: [name] },
        weight: of,
      });
      const two = placement("weights").onClusters("a", "b").divided(weight("a", 2), weight("b", 1));
      await running(play, two, shop.replica(6));
      const three = placement("weights").divided(weight("a", 2), weight("b", 1), weight("c", 3));
      await setPolicy(play, "a 2, b 1, c 3", three);
      await play.settle();
    },
  },
  {
    name: "cluster-unjoined-orphan",
    about: "A cluster is unjoined and keeps what runs there, without a mark of Meridian.",
    act: async (play) => {
      await running(play, placement("all"));
      await play.delete("deletes MemberCluster a, whose deletionPolicy is Orphan", MEMBERCLUSTERS, "a");
      await play.settle();
    },
  },
  {
    name: "cluster-unjoined-drain",
    about: "A cluster is unjoined after everything of Meridian was removed there.",
    act: async (play) => {
      await running(play, placement("one").clusterCount(1));
      await play.merge("sets the deletionPolicy of a to Drain", MEMBERCLUSTERS, "a", {
        spec: { deletionPolicy: "Drain" },
      });
      await play.delete("deletes MemberCluster a", MEMBERCLUSTERS, "a");
      await play.settle();
    },
  },
  {
    name: "cluster-unjoined-while-lost",
    about: "A lost cluster is unjoined: nobody waits for its copies any more.",
    act: async (play) => {
      await running(play, placement("all"));
      await play.cutOff("a");
      await play.pass(30_000);
      await play.delete("deletes MemberCluster a", MEMBERCLUSTERS, "a");
      await play.settle();
    },
  },
  {
    name: "cluster-joins",
    about: "A third cluster joins: an application on every cluster comes there, too.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("all"));
      await play.user("joins cluster c", () => play.join("c"));
      await play.settle();
    },
  },
]);
