import { placement } from "../builders/index.ts";
import { deleteApp, deletePolicy, NEW_IMAGE, running, setApp, setPolicy, shop, taint } from "./deeds.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./stage.ts";

/** Scenes from a table: each policy, with each event, while each fault lasts. */

interface Policy {
  about: string;
  policy: ReturnType<typeof placement>;
  app: typeof shop;
  atOnce?: number;
}

const POLICIES = {
  everywhere: { about: "every cluster", policy: placement("policy"), app: shop },
  one: { about: "one cluster of two", policy: placement("policy").clusterCount(1), app: shop },
  divided: {
    about: "six replicas divided between two clusters",
    policy: placement("policy").divided(),
    app: shop.replica(6),
  },
  staged: {
    about: "one cluster after the other, with a rollback after 60 s",
    policy: placement("policy").rollsOut({ gate: { timeout: "60s" }, onFailure: "Rollback" }, "a", "b"),
    app: shop,
    atOnce: 1,
  },
} satisfies Record<string, Policy>;
export type PolicyName = keyof typeof POLICIES;

interface Event {
  about: string;
  happens: (play: Play, policy: Policy) => Promise<void>;
}

const EVENTS: Record<string, Event> = {
  image: {
    about: "the image changes",
    happens: (play, { app }) => setApp(play, `changes the image to ${NEW_IMAGE}`, app.image(NEW_IMAGE)),
  },
  scale: {
    about: "the replicas become 4",
    happens: (play, { app }) => setApp(play, "changes the replicas to 4", app.replica(4)),
  },
  delete: { about: "the application is deleted", happens: (play) => deleteApp(play) },
  taint: { about: "a is tainted with NoExecute", happens: (play) => taint(play, "a", "NoExecute") },
  narrow: {
    about: "the policy names b only",
    happens: (play, { policy }) => setPolicy(play, "only b", policy.onClusters("b")),
  },
  unplaced: { about: "the policy is deleted", happens: (play) => deletePolicy(play, "policy") },
};

interface Fault {
  about: string;
  /** Before the event. */
  before?: (play: Play) => Promise<void>;
  /** A moment after the event. */
  amid?: (play: Play) => Promise<void>;
  /** When the fault has had its effect. */
  after?: (play: Play) => Promise<void>;
}

const FORBIDDEN = {
  plural: "deployments",
  code: 403,
  reason: "Forbidden",
  message: 'deployments.apps "shop" is forbidden: a webhook of the cluster said no',
};

const FAULTS: Record<string, Fault> = {
  plain: { about: "nothing disturbs" },
  "cut-off": {
    about: "a is cut off for a while",
    before: (play) => play.cutOff("a"),
    after: (play) => play.comeBack("a"),
  },
  restart: { about: "the manager starts anew in the middle", amid: (play) => play.restart() },
  stuck: {
    about: "pods on a do not get ready for 40 s",
    before: (play) => play.stickPods("a"),
    after: (play) => play.stickPods("a", false),
  },
  refused: {
    about: "a refuses every write of Deployments for a while",
    before: (play) => play.refuse("refuses every write of Deployments", "a", FORBIDDEN),
    after: (play) => play.refuse("refuses nothing any more", "a", undefined),
  },
};
const FAULT_MS = 40_000;
const AMID_MS = 30;

export function scenesOf(name: PolicyName): Scene[] {
  const policy: Policy = POLICIES[name];
  return Object.entries(EVENTS).flatMap(([event, { about, happens }]) =>
    Object.entries(FAULTS).map(([fault, { about: disturbance, before, amid, after }]): Scene => ({
      name: `${name}-${event}-${fault}`,
      about: `Placement: ${policy.about}. The application runs. Then ${about}; ${disturbance}.`,
      ...(policy.atOnce === undefined ? {} : { atOnce: policy.atOnce }),
      members: ["a", "b"],
      act: async (play) => {
        await running(play, policy.policy, policy.app);
        if (before !== undefined) {
          await before(play);
          await play.pass(1_000);
        }
        await happens(play, policy);
        if (amid !== undefined) {
          await play.pass(AMID_MS);
          await amid(play);
        }
        if (after !== undefined) {
          await play.pass(FAULT_MS);
          await after(play);
        }
        await play.settle();
      },
    })),
  );
}
