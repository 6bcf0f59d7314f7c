import { ROLLOUT_APPROVALS_ANNOTATION, ROLLOUT_COMMAND_ANNOTATION } from "../../src/apis/index.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../src/runtime/index.ts";
import { placement } from "../builders/index.ts";
import { BROKEN_IMAGE, NEW_IMAGE, running, setApp, setPolicy, shop } from "./deeds.ts";
import type { Play } from "./play.ts";
import { plays } from "./stage.ts";

const stageOf = (name: string, more: { soak?: string; approval?: "Manual" } = {}) => ({
  name,
  targetClusters: { clusterNames: [name] },
  ...more,
});
const byOne = (rollout: object): ReturnType<typeof placement> => placement("staged").rollsOut(rollout, "a", "b", "c");
const newImage = (play: Play): Promise<void> =>
  setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
const brokenImage = (play: Play): Promise<void> =>
  setApp(play, `changes the image to ${BROKEN_IMAGE}, whose pods never get ready`, shop.image(BROKEN_IMAGE));

/** Annotates the application with a command to the present run of its rollout. */
function command(play: Play, words: string, given: object, annotation = ROLLOUT_COMMAND_ANNOTATION): Promise<void> {
  const { status } = play.hub.get(DEMOAPPLICATIONS, "default", "shop") as {
    status?: { rollout?: { revision?: number; startedAt?: string } };
  };
  const { revision, startedAt: run } = status?.rollout ?? {};
  const value = JSON.stringify({ revision, run, ...given });
  return play.merge(words, DEMOAPPLICATIONS, "shop", { metadata: { annotations: { [annotation]: value } } });
}

const approve = (play: Play, stage: string): Promise<void> =>
  command(play, `alice approves stage ${stage}`, { approvals: { [stage]: "alice" } }, ROLLOUT_APPROVALS_ANNOTATION);

plays("rollouts in stages", [
  {
    name: "rollout-first-time",
    about: "A new application comes to one stage after the other.",
    atOnce: 1,
    act: async (play) => {
      await setPolicy(play, "one cluster after the other", byOne({}));
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.settle();
    },
  },
  {
    name: "rollout-soak",
    about: "After the first stage a change soaks for two minutes; then both other clusters get it together.",
    atOnce: 2,
    act: async (play) => {
      await running(play, placement("staged").rollout({ stages: [stageOf("a", { soak: "2m" }), { name: "rest" }] }));
      await newImage(play);
      await play.pass(130_000);
    },
  },
  {
    name: "rollout-soak-fails",
    about:
      "A pod is lost while the first stage soaks: the change does not go on until the stage is healthy for its time.",
    atOnce: 2,
    act: async (play) => {
      await running(play, placement("staged").rollout({ stages: [stageOf("a", { soak: "1m" }), { name: "rest" }] }));
      await newImage(play);
      await play.pass(20_000);
      await play.stickPods("a");
      await play.losePod("a", "shop");
      await play.pass(20_000);
      await play.stickPods("a", false);
      await play.pass(90_000);
    },
  },
  {
    name: "rollout-approval",
    about: "The second stage waits until a person has approved the first one.",
    atOnce: 2,
    act: async (play) => {
      await running(
        play,
        placement("staged").rollout({ stages: [stageOf("a", { approval: "Manual" }), { name: "rest" }] }),
      );
      await newImage(play);
      await play.pass(60_000);
      await approve(play, "a");
      await play.settle();
    },
  },
  {
    name: "rollout-approval-restart",
    about: "A rollout waits for an approval, while the manager starts anew.",
    atOnce: 2,
    act: async (play) => {
      await running(
        play,
        placement("staged").rollout({ stages: [stageOf("a", { approval: "Manual" }), { name: "rest" }] }),
      );
      await newImage(play);
      await play.pass(20_000);
      await play.restart();
      await play.pass(20_000);
      await approve(play, "a");
      await play.settle();
    },
  },
  {
    name: "rollout-rollback",
    about: "A broken image fails in the first stage, goes back there, and never comes to the others.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "30s" }, onFailure: "Rollback" }));
      await brokenImage(play);
      await play.pass(60_000);
    },
  },
  {
    name: "rollout-rollback-then-mended",
    about: "A broken image goes back by itself; the next change goes through all stages.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "30s" }, onFailure: "Rollback" }));
      await brokenImage(play);
      await play.pass(60_000);
      await newImage(play);
      await play.settle();
    },
  },
  {
    name: "rollout-rollback-second-stage",
    about: "The second cluster cannot start the change: it goes back from both clusters that have it.",
    atOnce: 2,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "30s" }, onFailure: "Rollback" }));
      await play.stickPods("b");
      await newImage(play);
      await play.pass(60_000);
      await play.stickPods("b", false);
      await play.settle();
    },
  },
  {
    name: "rollout-pauses-on-failure",
    about: "A broken image stops in the first stage, and waits for a person, who repairs it.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "30s" }, onFailure: "Pause" }));
      await brokenImage(play);
      await play.pass(90_000);
      await newImage(play);
      await play.settle();
    },
  },
  {
    name: "rollout-paused-by-hand",
    about: "A person pauses a rollout in its first stage, and resumes it.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await newImage(play);
      await play.pass(100);
      await command(play, "pauses the rollout", { paused: true });
      await play.pass(60_000);
      await command(play, "resumes the rollout", { paused: false });
      await play.settle();
    },
  },
  {
    name: "rollout-aborted",
    about: "A person aborts a rollout while its second cluster does not get ready.",
    atOnce: 2,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "10m" } }));
      await play.stickPods("b");
      await newImage(play);
      await play.pass(20_000);
      await command(play, "aborts the rollout", { abort: true });
      await play.settle();
      await play.stickPods("b", false);
    },
  },
  {
    name: "rollout-cluster-lost",
    about: "A cluster that is lost is deferred, the others go on, and it gets the change when it is back.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await play.cutOff("b");
      await play.pass(30_000);
      await newImage(play);
      await play.pass(30_000);
      await play.comeBack("b");
      await play.settle();
    },
  },
  {
    name: "rollout-concurrency",
    about: "One stage of three clusters, two of them at once.",
    atOnce: 2,
    act: async (play) => {
      await running(play, placement("staged").rollout({ stages: [{ name: "all", maxConcurrency: 2 }] }));
      await newImage(play);
      await play.settle();
    },
  },
  {
    name: "rollout-newer-change",
    about: "A second change comes while the first one waits in its second stage: it begins with the first stage.",
    atOnce: 2,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "10m" } }));
      await play.stickPods("b");
      await newImage(play);
      await play.pass(20_000);
      await play.stickPods("b", false);
      await setApp(play, "changes the image to nginx:1.29", shop.image("nginx:1.29"));
      await play.settle();
    },
  },
  {
    name: "rollout-change-taken-back",
    about: "A person puts the old image back while the change is under way.",
    atOnce: 2,
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "10m" } }));
      await play.stickPods("b");
      await newImage(play);
      await play.pass(20_000);
      await setApp(play, "changes the image back", shop);
      await play.pass(20_000);
      await play.stickPods("b", false);
      await play.settle();
    },
  },
  {
    name: "rollout-restart-midway",
    about: "The manager starts anew while the second cluster gets the change.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await newImage(play);
      await play.pass(1_500);
      await play.restart();
      await play.settle();
    },
  },
  {
    name: "rollout-leader-change",
    about: "Another replica becomes leader while the first cluster gets the change.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await newImage(play);
      await play.pass(500);
      await play.changeLeader();
      await play.settle();
    },
  },
  {
    name: "rollout-policy-deleted",
    about: "The policy is deleted in the middle of a rollout: everything stays as it is.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await play.stickPods("b");
      await newImage(play);
      await play.pass(20_000);
      await play.delete("deletes Placement staged", PLACEMENTS, "staged");
      await play.stickPods("b", false);
      await play.settle();
    },
  },
  {
    name: "rollout-stages-dropped",
    about: "The policy loses its stages in the middle of a rollout: the change goes everywhere.",
    act: async (play) => {
      await running(play, byOne({ gate: { timeout: "10m" } }));
      await play.stickPods("a");
      await newImage(play);
      await play.pass(20_000);
      await setPolicy(play, "every cluster, no stages", placement("staged"));
      await play.pass(5_000);
      await play.stickPods("a", false);
      await play.settle();
    },
  },
  {
    name: "rollout-delete-midway",
    about: "The application is deleted in the middle of a rollout.",
    atOnce: 1,
    act: async (play) => {
      await running(play, byOne({}));
      await newImage(play);
      await play.pass(1_200);
      await play.delete("deletes DemoApplication shop", DEMOAPPLICATIONS, "shop");
      await play.settle();
    },
  },
]);
