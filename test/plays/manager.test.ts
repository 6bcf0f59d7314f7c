import {
  ACCEPT_DELETIONS_ANNOTATION,
  CONTROLLER_CLASS_LABEL,
  type KubeObject,
  type MemberCluster,
} from "../../src/apis/index.ts";
import {
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  type ResourceType,
} from "../../src/runtime/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { BACKUP_KIND, BACKUPS, configMap, JOBS } from "../integration/federation/objects.ts";
import { deleteApp, NEW_IMAGE, running, setApp, setPolicy, shop } from "./deeds.ts";
import type { Play } from "./play.ts";
import { plays } from "./stage.ts";

const everywhere = placement("all");
const MANY = Array.from({ length: 12 }, (_, index) => `shop-${String(index).padStart(2, "0")}`);

/** Twelve applications on both members. */
async function twelve(play: Play): Promise<void> {
  await setPolicy(play, "", everywhere);
  for (const name of MANY) await setApp(play, "", demoApplication(name).object());
  await play.settle();
  play.beginLog();
}

/** As in a hub that was restored from a backup: these applications never were. */
function lose(play: Play, names: readonly string[]): Promise<void> {
  return play.fault(`has lost ${names.length} applications, as after a restore`, "hub", async () => {
    for (const name of names) {
      await play.hub.merge(DEMOAPPLICATIONS, "default", name, { metadata: { finalizers: null } });
      await play.hub.delete(DEMOAPPLICATIONS, "default", name);
    }
  });
}

function acceptDeletions(play: Play, cluster: string): Promise<void> {
  const { status } = play.hub.get(MEMBERCLUSTERS, undefined, cluster) as unknown as MemberCluster;
  const since = status?.conditions?.find(({ type }) => type === "DeletionsHeld")?.lastTransitionTime ?? "";
  return play.merge(`accepts the deletions that are held on ${cluster}`, MEMBERCLUSTERS, cluster, {
    metadata: { annotations: { [ACCEPT_DELETIONS_ANNOTATION]: since } },
  });
}

const withSettings = shop.envFromConfigMap("settings");
const job = (image: string): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "work", namespace: "default" },
  spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image }] } } },
});
const selects = (apiVersion: string, kind: string): ReturnType<typeof placement> =>
  placement("kinds").selects({ apiVersion, kind });

function onMember(play: Play, words: string, cluster: string, type: ResourceType, name: string): Promise<void> {
  return play.user(`on ${cluster}: ${words}`, () => play.member(cluster).delete(type, "default", name));
}

plays("the manager, and what travels with objects", [
  {
    name: "restart-when-in-sync",
    about: "A new manager on a hub in sync writes nothing.",
    act: async (play) => {
      await running(play, everywhere);
      await play.restart();
      await play.settle();
    },
  },
  {
    name: "restart-mid-deletion",
    about: "The manager starts anew while copies are being deleted, one of them on a lost cluster.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, everywhere);
      await play.cutOff("a");
      await play.pass(15_000);
      await deleteApp(play);
      await play.pass(1_000);
      await play.restart();
      await play.pass(20_000);
      await play.comeBack("a");
      await play.settle();
    },
  },
  {
    name: "change-while-no-manager-runs",
    about: "The image changes while no manager runs.",
    members: ["a", "b"],
    restarts: false,
    act: async (play) => {
      await running(play, everywhere);
      await play.user("stops the manager", () => play.stopManager());
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.pass(60_000);
      await play.user("starts the manager", () => play.startManager());
      await play.settle();
    },
  },
  {
    name: "deleted-while-no-manager-runs",
    about: "The application is deleted while no manager runs: its finalizer keeps it.",
    members: ["a", "b"],
    restarts: false,
    act: async (play) => {
      await running(play, everywhere);
      await play.user("stops the manager", () => play.stopManager());
      await deleteApp(play);
      await play.pass(60_000);
      await play.user("starts the manager", () => play.startManager());
      await play.settle();
    },
  },
  {
    name: "leader-change-mid-create",
    about: "Another replica becomes leader while a new application is being written.",
    members: ["a", "b"],
    restarts: false,
    act: async (play) => {
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.pass(20);
      await play.changeLeader();
      await play.settle();
    },
  },
  {
    name: "hub-loses-objects-watched",
    about:
      "Eleven of twelve applications vanish from the hub before the eyes of the manager, without their finalizers.",
    members: ["a"],
    act: async (play) => {
      await twelve(play);
      await lose(play, MANY.slice(1));
      await play.pass(60_000);
    },
  },
  {
    name: "hub-loses-objects-unseen",
    about: "A manager starts on a hub that lacks most of what runs: deletions are held until a person agrees.",
    members: ["a"],
    restarts: false,
    act: async (play) => {
      await twelve(play);
      await play.user("stops the manager", () => play.stopManager());
      await lose(play, MANY.slice(1));
      await play.user("starts the manager", () => play.startManager());
      await play.pass(60_000);
      await acceptDeletions(play, "a");
      await play.settle();
    },
  },
  {
    name: "hub-list-is-short-once",
    about: "One list of the hub shows one of twelve applications only: nothing is deleted.",
    members: ["a"],
    restarts: false,
    act: async (play) => {
      await twelve(play);
      await play.fault("shows one application in its next list, and its watches break", "hub", (hub) => {
        hub.lieOnce(DEMOAPPLICATIONS);
        hub.faults.compact();
        hub.breakConnections();
      });
      await play.pass(60_000);
    },
  },
  {
    name: "handover-to-another-class",
    about: "A second release with a controller class of its own takes the application over, and gives it back.",
    members: ["a", "b"],
    restarts: false,
    act: async (play) => {
      await running(play, everywhere);
      await play.user("starts a manager of class v2", () => play.startManager("v2"));
      await play.settle();
      const label = (value: string | null): object => ({ metadata: { labels: { [CONTROLLER_CLASS_LABEL]: value } } });
      await play.merge("labels DemoApplication shop with class v2", DEMOAPPLICATIONS, "shop", label("v2"));
      await play.settle();
      await play.merge("takes the label off", DEMOAPPLICATIONS, "shop", label(null));
      await play.settle();
    },
  },
  {
    name: "dependency-comes-first",
    about: "An application reads a ConfigMap: it travels along, before the Deployment.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("creates ConfigMap settings", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, which reads ConfigMap settings", withSettings);
      await play.settle();
    },
  },
  {
    name: "dependency-changes",
    about: "The ConfigMap that an application reads changes: the pods start anew.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await running(play, everywhere, withSettings);
      await play.apply("changes ConfigMap settings", CONFIGMAPS, configMap("settings", { color: "red" }));
      await play.settle();
    },
  },
  {
    name: "dependency-missing",
    about: "The ConfigMap that an application reads is missing on the hub, and comes later.",
    members: ["a", "b"],
    act: async (play) => {
      await setPolicy(play, "every cluster", everywhere);
      await setApp(play, "creates DemoApplication shop, which reads ConfigMap settings", withSettings);
      await play.settle();
      await play.apply("creates ConfigMap settings", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await play.settle();
    },
  },
  {
    name: "dependency-deleted-on-the-hub",
    about: "The ConfigMap that an application reads is deleted on the hub: members keep theirs.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await running(play, everywhere, withSettings);
      await play.delete("deletes ConfigMap settings", CONFIGMAPS, "settings");
      await play.settle();
    },
  },
  {
    name: "dependency-shared",
    about: "Two applications read one ConfigMap: it stays on the members until the last of them has gone.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await setApp(play, "", demoApplication("cart").envFromConfigMap("settings").object());
      await running(play, everywhere, withSettings);
      await deleteApp(play);
      await play.settle();
      await deleteApp(play, "cart");
      await play.settle();
    },
  },
  {
    name: "dependency-no-longer-read",
    about: "The application does not read the ConfigMap any more: the copies of the ConfigMap go.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await running(play, everywhere, withSettings);
      await setApp(play, "DemoApplication shop reads no ConfigMap any more", shop);
      await play.settle();
    },
  },
  {
    name: "configmap-propagated",
    about: "A policy sends a plain ConfigMap to every cluster; it changes, and is deleted.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply("applies Placement kinds: ConfigMaps to every cluster", PLACEMENTS, selects("v1", "ConfigMap"));
      await play.apply("creates ConfigMap settings", CONFIGMAPS, configMap("settings", { color: "blue" }));
      await play.settle();
      await play.apply("changes ConfigMap settings", CONFIGMAPS, configMap("settings", { color: "red" }));
      await play.settle();
      await play.delete("deletes ConfigMap settings", CONFIGMAPS, "settings");
      await play.settle();
    },
  },
  {
    name: "custom-kind",
    about: "A kind that was installed on hub and members meanwhile is sent to every cluster.",
    installsKinds: true,
    members: ["a", "b"],
    act: async (play) => {
      await play.user("installs the kind Backup on the hub and on both clusters", async () => {
        for (const cluster of [play.hub, ...play.members.values()]) await cluster.install(BACKUP_KIND);
      });
      await play.apply(
        "applies Placement kinds: Backups to every cluster",
        PLACEMENTS,
        selects("backups.test/v1", "Backup"),
      );
      await play.apply("creates Backup nightly", BACKUPS, {
        apiVersion: "backups.test/v1",
        kind: "Backup",
        metadata: { name: "nightly", namespace: "default" },
      });
      await play.pass(90_000);
    },
  },
  {
    name: "job-finishes",
    about: "A Job runs to its end on the first cluster, and its copy is deleted there: the work is not done again.",
    members: ["a", "b"],
    act: async (play) => {
      const first = selects("batch/v1", "Job").clusterCount(1);
      await play.apply("applies Placement kinds: Jobs to one cluster", PLACEMENTS, first);
      await play.apply("creates Job work", JOBS, job("work:1"));
      await play.settle();
      await onMember(play, "deletes Job work, as its TTL would", "a", JOBS, "work");
      await play.settle();
    },
  },
  {
    name: "job-not-moved-when-done",
    about: "The cluster on which a Job has finished leaves the policy: the Job is not done again elsewhere.",
    members: ["a", "b"],
    act: async (play) => {
      const jobs = selects("batch/v1", "Job");
      await play.apply("applies Placement kinds: Jobs to a", PLACEMENTS, jobs.onClusters("a"));
      await play.apply("creates Job work", JOBS, job("work:1"));
      await play.settle();
      await play.apply("applies Placement kinds: Jobs to b", PLACEMENTS, jobs.onClusters("b"));
      await play.settle();
    },
  },
  {
    name: "deployment-propagated-and-scaled",
    about: "A plain Deployment of the hub is sent to every cluster, and scaled.",
    members: ["a", "b"],
    act: async (play) => {
      await play.apply(
        "applies Placement kinds: Deployments to every cluster",
        PLACEMENTS,
        selects("apps/v1", "Deployment"),
      );
      const web = (replicas: number): KubeObject => ({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "default" },
        spec: {
          replicas,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: { containers: [{ name: "web", image: "httpd:2.4" }] },
          },
        },
      });
      await play.apply("creates Deployment web, 1 replica", DEPLOYMENTS, web(1));
      await play.settle();
      await play.apply("changes the replicas to 3", DEPLOYMENTS, web(3));
      await play.settle();
    },
  },
]);
