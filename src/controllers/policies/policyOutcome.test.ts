import { describe, expect, test } from "vitest";
import {
  fullMessage,
  type OverridePolicy,
  type OverrideRule,
  type Placement,
  type PlacementSpec,
  refKey,
} from "../../apis/index.ts";
import type { Observation, Target } from "../../desiredstate/index.ts";
import { effectOf, type MatchedRule } from "../../override/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type Outcome, PolicyTally } from "./policyOutcome.ts";

type ServingState = ReturnType<HubCache["catalog"]["servingState"]>;

const ref = (kind: string, name: string) => ({ kind, namespace: "default", name });
const base = {
  apiVersion: "federation.paas.cmft.com/v1alpha1",
  metadata: { namespace: "default" },
};
const selectors = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }];

function placement(name: string, spec: Partial<PlacementSpec> = {}): Placement {
  const all = { resourceSelectors: selectors, replicaScheduling: { mode: "Duplicated" }, ...spec };
  return { ...base, kind: "Placement", metadata: { ...base.metadata, name }, spec: all } as unknown as Placement;
}

function override(name: string): OverridePolicy {
  const spec = { resourceSelectors: selectors, rules: [] };
  return { ...base, kind: "OverridePolicy", metadata: { ...base.metadata, name }, spec } as unknown as OverridePolicy;
}

function rules(...given: [name: string, rule: OverrideRule][]): MatchedRule[] {
  const refs = new Map(given.map(([name]) => [name, ref("OverridePolicy", name)]));
  return given.map(([name, rule]) => ({ policy: refs.get(name) ?? ref("OverridePolicy", name), index: 0, rule }));
}

const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };

function target(more: object = {}): Target {
  return {
    owner: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop", uid: "u" },
    placement: ref("Placement", "winner"),
    overrides: [],
    decision: { clusters: [], verdicts: [] },
    scheduled: { status: "True", reason: "ClustersSelected", message: "" },
    clusters: [{ name: "a", frozen: false, objects: [{ ref: deployment }] }],
    ...more,
  } as unknown as Target;
}

function outcomeOf(
  policy: Placement | OverridePolicy,
  targets: Target[],
  failure?: Observation["failure"],
  servingState: ServingState = "Namespaced",
  servedIn?: string,
  readIn?: string,
): Omit<Outcome, "error"> & { error?: string } {
  const observation = { failure } as unknown as Observation;
  const tally = new PolicyTally(policy, { get: () => observation });
  for (const one of targets) tally.add(one);
  const { error, ...rest } = tally.outcome({
    servingState: () => servingState,
    servedIn: () => servedIn,
    readIn: () => readIn,
  });
  return { ...rest, ...(error === undefined ? {} : { error: fullMessage(error) }) };
}

describe("of a placement", () => {
  test("the objects that it places are counted, by their clusters", () => {
    expect(outcomeOf(placement("winner"), [target(), target(), target({ clusters: [] })])).toEqual({
      matched: 3,
      decisions: [
        { clusters: ["a"], objects: 2 },
        { clusters: [], objects: 1 },
      ],
    });
  });

  test("the objects that another one has are counted apart, with the other one", () => {
    const passedOver = [{ policy: ref("Placement", "loser"), because: "priority 5 goes before 0" }];
    const lost = target({ passedOver });
    expect(outcomeOf(placement("loser"), [lost, lost])).toEqual({
      matched: 0,
      decisions: [],
      lost: { objects: 2, to: "Placement winner", because: "priority 5 goes before 0" },
    });
    const elsewhere = target({ passedOver, placement: { kind: "ClusterPlacement", name: "all" } });
    expect(outcomeOf(placement("loser"), [lost, lost, elsewhere]).lost).toEqual({
      objects: 3,
      to: "Placement winner (and others)",
    });
  });

  test("that uses what this version does not do says so, whatever it selects", () => {
    const outcome = outcomeOf(
      placement("winner", { replicaScheduling: { mode: "Divided", rescheduling: { after: "5m" } } }),
      [],
    );
    expect(outcome.notCarriedOut).toEqual([
      "spec.replicaScheduling.rescheduling without strategy Available or Aggregated",
    ]);
  });

  test("kinds that it cannot place, or that the hub does not serve, are named once", () => {
    const twice = placement("winner", { resourceSelectors: [...selectors, ...selectors] });
    const wide = { ...twice, kind: "ClusterPlacement", metadata: { name: "winner" } } as Placement;
    const named = ["DemoApplication (paas.cmft.com/v1)"];
    const outcome = (policy: Placement, servingState: ServingState): object => {
      const { unplaceable, unserved } = outcomeOf(policy, [], undefined, servingState);
      return { unplaceable, unserved };
    };
    expect(outcome(twice, "NeverPlaced")).toEqual({ unplaceable: named });
    expect(outcome(wide, "NeverPlaced")).toEqual({ unplaceable: named });
    expect(outcome(twice, "ClusterScoped")).toEqual({ unplaceable: named });
    expect(outcome(wide, "ClusterScoped")).toEqual({});
    expect(outcome(wide, "NotServed")).toEqual({ unserved: named });
    expect(outcome(wide, "Unknown")).toEqual({});
    const ofNamespaces = placement("winner", { resourceSelectors: [{ apiVersion: "v1", kind: "Namespace" }] });
    expect(outcomeOf(ofNamespaces, [], undefined, "NeverPlaced").unplaceable).toEqual([
      expect.stringMatching(/^Namespace \(v1; Meridian makes the namespaces on members.*\)$/),
    ]);
    expect(outcomeOf(wide, [], undefined, "NotServed", "apps/v1").unserved).toEqual([
      "DemoApplication (paas.cmft.com/v1; did you mean apps/v1?)",
    ]);
  });
});

describe("what is wrong with a placement", () => {
  const verdict = (cluster: string, reason = "UnknownCluster") => ({ cluster, reason });
  const deciding = (...verdicts: object[]): Target => target({ decision: { clusters: [], verdicts } });
  const unscheduled = (reason: string): Target =>
    target({ scheduled: { status: "False", reason, message: `message of ${reason}` } });
  const winner = placement("winner");

  test.each<{ name: string; policy?: Placement; targets: Target[]; want: string | undefined }>([
    { name: "nothing", targets: [target()], want: undefined },
    {
      name: "are all clusters that are not there",
      targets: [deciding(verdict("x"), verdict("full", "NoRoom"), verdict("y"))],
      want: "UnknownCluster: unknown clusters x, y",
    },
    {
      name: "is first of all that it names what is not there",
      targets: [{ ...unscheduled("NoClusterFits"), ...{ decision: deciding(verdict("x")).decision } }],
      want: "UnknownCluster: unknown cluster x",
    },
    {
      name: "is what is wrong with the first of its objects",
      targets: [target(), unscheduled("NoClusterFits"), unscheduled("Suspended")],
      want: "NoClusterFits: message of NoClusterFits",
    },
  ])("$name", ({ policy = winner, targets, want }) => {
    const { reason, error } = outcomeOf(policy, targets);
    expect(error === undefined ? undefined : `${reason}: ${error}`).toBe(want);
  });

  test("is no matter of an object that another one has", () => {
    const lost = { passedOver: [{ policy: ref("Placement", "winner"), because: "why" }] };
    const outcome = outcomeOf(winner, [target({ ...lost, scheduled: { status: "False", reason: "X", message: "m" } })]);
    expect(outcome).toEqual({
      matched: 0,
      decisions: [],
      lost: { objects: 1, to: "Placement winner", because: "why" },
    });
    expect(outcomeOf(winner, [target({ ...lost, placement: undefined })])).toEqual({ matched: 0, decisions: [] });
  });
});

test("a placement is told what the version that it names lacks, and which one is sent instead of it", () => {
  const warning = { reason: "VersionLacksFields", message: "autoscaling/v1 lacks spec.behavior" };
  const other = { reason: "DependencyMissing", message: "not on the hub: ConfigMap a" };
  const with_ = (why: object) =>
    target({ clusters: [{ name: "a", frozen: false, objects: [], warning: why } as never] });
  expect(outcomeOf(placement("winner"), [with_(warning), with_(warning)]).notes).toEqual([warning.message]);
  expect(outcomeOf(placement("winner"), [with_(other)]).notes).toBeUndefined();
  const autoscalers = {
    ...placement("winner"),
    spec: {
      ...placement("winner").spec,
      resourceSelectors: [{ apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" }],
    },
  };
  const notesWhen = (read: string) => outcomeOf(autoscalers, [], undefined, undefined, undefined, read).notes;
  expect(notesWhen("autoscaling/v2")).toEqual([expect.stringContaining("sent in autoscaling/v2")]);
  expect(notesWhen("autoscaling/v1")).toBeUndefined();
  // Meridian chooses the versions of rendered objects.
  expect(
    outcomeOf(placement("winner"), [], undefined, undefined, undefined, "paas.cmft.com/v1beta1").notes,
  ).toBeUndefined();
});

describe("of an override", () => {
  const on = (given: MatchedRule[]): Target =>
    target({
      overrides: given.map(({ policy }) => policy),
      clusters: [{ name: "a", frozen: false, objects: [{ ref: deployment }], overrides: effectOf(given) }],
    });

  test("whose rules take no cluster, and of objects that run nowhere", () => {
    const idle = (because: string): Target =>
      target({ idleOverrides: [{ policy: ref("OverridePolicy", "idle"), because }] });
    expect(outcomeOf(override("idle"), [idle("NoCluster"), idle("Frozen"), idle("Unplaced")])).toEqual({
      matched: 0,
      decisions: [],
      withoutCluster: 1,
      waiting: 2,
    });
  });

  test("of which a later one sets everything anew", () => {
    const given = rules(["first", { replicas: 2 }], ["later", { replicas: 3 }]);
    expect(outcomeOf(override("first"), [on(given)])).toMatchObject({
      matched: 1,
      superseded: { objects: 1, to: "OverridePolicy later" },
    });
    expect(outcomeOf(override("later"), [on(given)])).toEqual({
      matched: 1,
      decisions: [{ clusters: ["a"], objects: 1 }],
    });
  });

  test("with a rule that cannot be applied, in full and with the place", () => {
    const problem = {
      reason: "InvalidPatch",
      message: { subject: "OverridePolicy bad, rule 0: ", what: "all of it" },
      policy: ref("OverridePolicy", "bad"),
    };
    const broken = target({ clusters: [{ name: "a", frozen: false, objects: [], problem }] });
    expect(outcomeOf(override("bad"), [broken])).toMatchObject({
      reason: "InvalidPatch",
      error: "DemoApplication default/shop on a: OverridePolicy bad, rule 0: all of it",
    });
    expect(outcomeOf(override("other"), [broken])).not.toHaveProperty("error");
  });

  test("with a patch that a member refuses", () => {
    const given = rules(
      ["bad", { patches: [{ op: "replace", path: "/spec/replicas", value: "two" }] }],
      ["other", { args: ["x"] }],
    );
    const failure = { reason: "Invalid", message: "expected numeric", final: true, fields: [".spec.replicas"] };
    expect(outcomeOf(override("bad"), [on(given)], failure)).toMatchObject({
      reason: "InvalidPatch",
      error: "DemoApplication default/shop on a: OverridePolicy bad, rule 0: patch 0 on Deployment: expected numeric",
    });
    expect(outcomeOf(override("other"), [on(given)], failure)).not.toHaveProperty("error");
    expect(outcomeOf(override("bad"), [on(given)])).not.toHaveProperty("error");
  });

  test("with patches of which a member refuses what they make of the object", () => {
    const given = rules(["bad", { patches: [{ op: "replace", path: "/spec/replicas", value: 2 }] }]);
    const failure = { reason: "Invalid", message: "less than", final: true, fields: [".spec.paused"] };
    expect(outcomeOf(override("bad"), [on(given)], failure)).toMatchObject({
      reason: "NotApplied",
      error: "DemoApplication default/shop on a: refused as patched by OverridePolicy default/bad: less than",
    });
    const carried = target({
      clusters: [{ ...on(given).clusters[0], objects: [{ ref: deployment, role: "dependency" }] }],
    });
    expect(outcomeOf(override("bad"), [carried], failure)).not.toHaveProperty("error");
  });

  const first = ref("OverridePolicy", "first");

  const superseded = (by: string, ...others: object[]) => ({
    policies: [ref("OverridePolicy", "other")],
    superseded: [...others, { policy: first, by: ref("OverridePolicy", by) }],
    patches: [],
  });

  const inForce = { policies: [ref("OverridePolicy", "other"), first], superseded: [], patches: [] };

  const cluster = (name: string, overrides?: object) => ({
    ...{ name, frozen: false, objects: [] },
    ...(overrides === undefined ? {} : { overrides }),
  });

  test("of which later ones set everything anew on some clusters", () => {
    const clusters = [
      cluster("a", inForce),
      ...["b", "c"].map((name) => cluster(name, superseded("later"))),
      cluster("d", superseded("last")),
    ];
    expect(outcomeOf(override("first"), [target({ clusters })]).partly).toEqual({
      objects: 1,
      to: "OverridePolicy later sets all of it anew on b, c",
    });
    const all = clusters.slice(1);
    expect(outcomeOf(override("first"), [target({ clusters: all })])).not.toHaveProperty("partly");
  });

  test("with a rule that cannot be applied, where others are to blame for other clusters", () => {
    const problem = (more: object) => ({ reason: "InvalidPatch", message: "words", ...more });
    const bad = problem({ policy: ref("OverridePolicy", "bad") });
    const failing = (name: string, given: object) => ({ ...cluster(name), problem: given });
    const own = failing("own", problem({}));
    const others = failing("others", problem({ policy: ref("OverridePolicy", "other") }));
    const clusters = [own, others, failing("a", bad), failing("b", problem({ ...bad, message: "more words" }))];
    expect(outcomeOf(override("bad"), [target({ clusters })])).toMatchObject({
      reason: "InvalidPatch",
      error: "DemoApplication default/shop on a: words",
    });
    expect(outcomeOf(override("bad"), [target({ clusters: [own, others] })])).not.toHaveProperty("error");
  });

  test("with a patch that a member refuses for the second of its objects", () => {
    const given = rules(["bad", { patches: [{ op: "replace", path: "/spec/replicas", value: "two" }] }]);
    const service = { ...deployment, apiVersion: "v1", kind: "Service" };
    const clusters = [{ ...cluster("a", effectOf(given)), objects: [{ ref: service }, { ref: deployment }] }];
    const failure = { reason: "Invalid", message: "expected numeric", final: true, fields: [".spec.replicas"] };
    const asked: string[] = [];
    const get = (name: string, key: string): Observation | undefined => {
      asked.push(`${name} ${key}`);
      return key.includes("Deployment") ? ({ failure } as unknown as Observation) : undefined;
    };
    const tally = new PolicyTally(override("bad"), { get });
    tally.add(target({ clusters }));
    expect(
      tally.outcome({ servingState: () => "Namespaced", servedIn: () => undefined, readIn: () => undefined }).reason,
    ).toBe("InvalidPatch");
    expect(asked).toEqual([`a ${refKey(service)}`, `a ${refKey(deployment)}`]);
  });

  test("without a patch is not to blame for what a member refuses", () => {
    const failure = { reason: "Invalid", message: "expected numeric", final: true, fields: [".spec.replicas"] };
    expect(outcomeOf(override("first"), [on(rules(["first", { replicas: 2 }]))], failure)).not.toHaveProperty("error");
  });
});
