import { conditionMessage } from "../../apis/index.ts";
import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { policyStatus, type PolicyStatusInput } from "./policy.ts";

const T0 = Date.parse("2026-11-21T08:00:00Z");
const base: PolicyStatusInput = { generation: 2, matched: 3, decisions: [{ clusters: ["a", "b"], objects: 3 }] };

describe("policyStatus", () => {
  test("a policy in force", () => {
    expect(policyStatus(base, T0)).toEqual({
      observedGeneration: 2,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Applied",
          message: "3 objects",
          observedGeneration: 2,
          lastTransitionTime: "2026-11-21T08:00:00Z",
        },
      ],
      matchedObjects: 3,
      decisions: [{ clusters: ["a", "b"], objects: 3 }],
    });
  });

  interface Case {
    name: string;
    input: Partial<PolicyStatusInput>;
    want: [status: string, reason: string, message: string];
  }
  test.each<Case>([
    {
      name: "no object",
      input: { matched: 0 },
      want: ["True", "NoObjectMatches", "no object matches the resourceSelectors"],
    },
    {
      name: "an error with its reason",
      input: { error: "default/shop on a: no Ingress", reason: "InvalidPatch" },
      want: ["False", "InvalidPatch", "default/shop on a: no Ingress"],
    },
    {
      name: "an error, without the place if that does not fit",
      input: { error: { lead: `Deployment ${"n".repeat(100)} on a: `, what: "broken" } },
      want: ["False", "NotApplied", "broken"],
    },
    {
      name: "what there is no room for is said",
      input: { notes: ["3 replicas have no place", "and more"] },
      want: ["True", "PartlyEnforced", "3 replicas have no place; and more"],
    },
    {
      name: "fields that are taken and not carried out",
      input: { notCarriedOut: ["spec.rollout", "spec.failover"] },
      want: ["False", "NotCarriedOut", "taken and not carried out by this version: spec.rollout, spec.failover"],
    },
    {
      name: "a kind that is not placed says just that, not that no object matches",
      input: { matched: 0, unplaceable: ["ConfigMap (v1)"] },
      want: ["False", "KindNotPlaced", "it cannot place objects of kind ConfigMap (v1)"],
    },
    {
      name: "a placement that lost to another names it",
      input: { matched: 0, lost: { objects: 2, to: "Placement other", because: "priority 10 goes before 0" } },
      want: [
        "False",
        "LostToOther",
        "Placement other has the 2 objects that this policy selects: priority 10 goes before 0",
      ],
    },
    {
      name: "an override whose cluster selectors match nothing says just that",
      input: { matched: 0, withoutCluster: 2 },
      want: [
        "False",
        "NoClusterMatches",
        "no rule takes a cluster on which the 2 objects that this policy selects run",
      ],
    },
    {
      name: "an override of objects that run nowhere",
      input: { matched: 0, waiting: 1 },
      want: ["True", "Applied", "the object that this policy selects is not written to any cluster now"],
    },
    {
      name: "an override of which a later one sets everything anew",
      input: { superseded: { objects: 3, to: "OverridePolicy later" } },
      want: [
        "False",
        "Superseded",
        "OverridePolicy later applies later and sets all of it anew for the 3 objects that this policy selects",
      ],
    },
    {
      name: "kinds that the hub does not serve",
      input: { matched: 0, unserved: ["Widget", "Gadget"], notCarriedOut: ["spec.rollout"], ungranted: ["things.x"] },
      want: ["False", "KindNotServed", "the hub does not serve Widget, Gadget; correct it, or install its CRD"],
    },
    {
      name: "a kind that the manager may not list, also where nothing matches",
      input: { matched: 0, ungranted: ["widgets.example.com"] },
      want: [
        "False",
        "KindNotGranted",
        "on the hub: no right to list widgets.example.com; add to rbac.kinds or install --kinds",
      ],
    },
    {
      name: "an override some of whose objects have no cluster of its rules, rather than those that wait",
      input: { matched: 0, withoutCluster: 1, waiting: 2 },
      want: ["False", "NoClusterMatches", "no rule takes a cluster on which the object that this policy selects runs"],
    },
    {
      name: "one that lost in part and is superseded in part says both",
      input: { lost: { objects: 4, to: "Placement p" }, superseded: { objects: 2, to: "OverridePolicy o" } },
      want: [
        "True",
        "Applied",
        "3 objects; Placement p has 4 more that this policy selects; OverridePolicy o sets all of it anew for 2",
      ],
    },
    {
      name: "an override that a later one sets anew on some clusters says which, and of how many objects",
      input: { matched: 1, partly: { objects: 1, to: "OverridePolicy later sets all of it anew on cn-shanghai" } },
      want: ["True", "Applied", "1 object; OverridePolicy later sets all of it anew on cn-shanghai"],
    },
    {
      name: "one of which some objects are so",
      input: { partly: { objects: 2, to: "OverridePolicy later sets all of it anew on cn-shanghai" } },
      want: ["True", "Applied", "3 objects; OverridePolicy later sets all of it anew on cn-shanghai for 2"],
    },
    {
      name: "an override whose cluster selectors match nothing names the clusters that are not there",
      input: { matched: 0, withoutCluster: 1, unknownClusters: ["cn-shanghay"] },
      want: [
        "False",
        "NoClusterMatches",
        "no rule takes a cluster on which the object that this policy selects runs; unknown cluster cn-shanghay",
      ],
    },
    {
      name: "an override of no object that names clusters that are not there",
      input: { matched: 0, unknownClusters: ["mars", "venus"] },
      want: ["True", "NoObjectMatches", "no object matches the resourceSelectors; unknown clusters mars, venus"],
    },
  ])("$name", ({ input, want }) => {
    const status = policyStatus({ ...base, ...input }, T0);
    const [ready] = status.conditions ?? [];
    expect([ready?.status, ready?.reason, ready?.message]).toEqual(want);
    expect(status.lastError).toBe(input.error === undefined ? undefined : conditionMessage(input.error, 1024));
  });

  test("an error that has gone is not kept, and the transition is dated", () => {
    const broken = policyStatus({ ...base, error: "x" }, T0);
    const mended = policyStatus({ ...base, previous: broken }, T0 + 5000);
    expect(mended).not.toHaveProperty("lastError");
    expect(mended.conditions?.[0]?.lastTransitionTime).toBe("2026-11-21T08:00:05Z");
  });

  test("names the stopped runs that others wait for, the first ten by name, and drops them with their cause", () => {
    const one = (name: string) => ({
      kind: "DemoApplication",
      namespace: "team",
      name,
      since: "2026-11-21T08:00:00Z",
      yieldsAt: "2026-11-21T09:00:00Z",
    });
    const stopped = Array.from({ length: 12 }, (_, i) => one(`shop-${String(11 - i).padStart(2, "0")}`));
    const status = policyStatus({ ...base, stoppedRollouts: stopped }, T0);
    expect(status.stoppedRollouts?.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `shop-${String(i).padStart(2, "0")}`),
    );
    expect(policyStatus({ ...base, stoppedRollouts: stopped.toReversed(), previous: status }, T0)).toBe(status);
    expect(policyStatus({ ...base, stoppedRollouts: [], previous: status }, T0)).not.toHaveProperty("stoppedRollouts");
  });

  test("keeps the 50 largest decisions", () => {
    const decisions = Array.from({ length: 80 }, (_, i) => ({ clusters: [`c${i}`], objects: i }));
    const kept = policyStatus({ ...base, decisions }, T0).decisions ?? [];
    expect(kept).toHaveLength(50);
    expect(kept[0]).toEqual({ clusters: ["c79"], objects: 79 });
  });

  test("of decisions of as many objects the first by their clusters go first", () => {
    const of = (...clusters: string[]) => ({ clusters, objects: 2 });
    const given = [of("b"), of("a", "c"), { clusters: ["z"], objects: 3 }, of("a", "b")];
    expect(policyStatus({ ...base, decisions: given }, T0).decisions).toEqual([
      { clusters: ["z"], objects: 3 },
      of("a", "b"),
      of("a", "c"),
      of("b"),
    ]);
    expect(policyStatus({ ...base, decisions: [] }, T0)).not.toHaveProperty("decisions");
  });

  test("a long error stands there in more words than in the condition", () => {
    const status = policyStatus({ ...base, error: "word ".repeat(400) }, T0);
    expect([status.lastError?.length, status.conditions?.[0]?.message.length]).toEqual([1020, 120]);
  });

  test.each<[string, object]>([
    ["generation", { observedGeneration: 1 }],
    ["condition", { conditions: [] }],
    ["number of objects", { matchedObjects: 9 }],
    ["decision", { decisions: [] }],
    ["error", { lastError: "old" }],
  ])("another %s is a reason to write", (_what, change) => {
    const previous = { ...policyStatus(base, T0), ...change };
    expect(policyStatus({ ...base, previous }, T0)).not.toBe(previous);
  });

  test("conditions of others and an empty list that the server keeps are none", () => {
    const input = { ...base, decisions: [] };
    const status = policyStatus(input, T0);
    const other = { type: "Other", status: "True" as const, reason: "R", message: "", lastTransitionTime: "t" };
    const previous = { ...status, decisions: [], conditions: [other, ...(status.conditions ?? [])] };
    expect(policyStatus({ ...input, previous }, T0 + 60_000)).toBe(previous);
  });

  const decisions = fc.uniqueArray(
    fc.record({ clusters: fc.subarray(["a", "b", "c"], { minLength: 1 }), objects: fc.nat(5) }),
    {
      selector: (d) => d.clusters.join(),
    },
  );

  test.prop([decisions, fc.nat(3), fc.option(fc.string(), { nil: undefined })])(
    "is the status of before itself when nothing is new",
    (list, matched, error) => {
      const input: PolicyStatusInput = { generation: 1, matched, decisions: list, error };
      const previous = JSON.parse(JSON.stringify(policyStatus(input, T0))) as NonNullable<
        PolicyStatusInput["previous"]
      >;
      expect(policyStatus({ ...input, decisions: list.toReversed(), previous }, T0 + 60_000)).toBe(previous);
    },
  );
});
