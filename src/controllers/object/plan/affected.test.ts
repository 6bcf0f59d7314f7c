import { describe, expect, test } from "vitest";
import { type MemberCluster, type Placement, policyKey, refKey } from "../../../apis/index.ts";
import type { HubCache } from "../../../hub/index.ts";
import { affectedBy, isInTheWay, leavesClusters } from "./affected.ts";
import { type Plan, ObjectStates } from "../../states/index.ts";
import { CLUSTER, observation, owner } from "../../testing/builders.ts";
import { member, planOn } from "../../testing/copySources.ts";

const EUROPE = { labels: { region: "europe" } };
const ASIA = { labels: { region: "asia" } };

function placement(name: string, clusterAffinities?: object[]): Placement {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { namespace: "default", name },
    spec: { resourceSelectors: [], ...(clusterAffinities === undefined ? {} : { clusterAffinities }) },
  } as unknown as Placement;
}

const inEurope = placement("europe", [{ name: "e", labelSelector: { matchLabels: { region: "europe" } } }]);
const anywhere = placement("anywhere");
const matching = placement("matching", [{ name: "e", matchLabelKeys: ["tier"] }]);

/** The applications, by their plans, that a change of the cluster affects. */
function concerned(plans: Record<string, Plan>, object: MemberCluster, old?: MemberCluster): (string | undefined)[] {
  const table = new ObjectStates();
  for (const [name, plan] of Object.entries(plans)) table.setPlan(refKey(owner(name)), plan);
  const known = new Map([inEurope, anywhere, matching].map((policy) => [policyKey(policy), policy]));
  const hub = { policy: (key: string) => (known.has(key) ? { policy: known.get(key) } : undefined) };
  const change = old === undefined ? { object } : { object, old };
  return [...affectedBy(hub as unknown as HubCache, table, change)].map((key) => key?.split("/").at(-1));
}

function placed(clusters: string[], by?: Placement): Plan {
  const plan = planOn(clusters);
  const target = { ...plan.target, ...(by === undefined ? {} : { placement: { ...by.metadata, kind: by.kind } }) };
  return { ...plan, target: target as NonNullable<Plan["target"]> };
}

describe("a change of a cluster concerns an object", () => {
  test.each<{ name: string; plan: Plan; cluster: object; old?: object; want: boolean }>([
    { name: "that runs there", plan: placed([CLUSTER], inEurope), cluster: ASIA, want: true },
    { name: "whose policy may place it there", plan: placed([], inEurope), cluster: EUROPE, want: true },
    {
      name: "whose policy could place it there before",
      plan: placed([], inEurope),
      cluster: ASIA,
      old: EUROPE,
      want: true,
    },
    { name: "whose policy names no cluster", plan: placed([], anywhere), cluster: ASIA, want: true },
    { name: "that no policy places", plan: placed([]), cluster: ASIA, want: true },
    {
      name: "but none that runs elsewhere and cannot come",
      plan: placed(["b"], inEurope),
      cluster: ASIA,
      old: ASIA,
      want: false,
    },
  ])("$name", ({ plan, cluster, old, want }) => {
    const before = old === undefined ? undefined : member(CLUSTER, old);
    expect(concerned({ shop: plan }, member(CLUSTER, cluster), before)).toEqual(want ? ["shop"] : []);
  });

  test("whatever it has to have in common with the cluster: that differs from object to object", () => {
    expect(concerned({ shop: placed([], matching) }, member(CLUSTER, ASIA))).toEqual(["shop"]);
  });

  test("of very many, with places to pause at in between", () => {
    const plans = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`a${n}`, placed(["b"], inEurope)]));
    expect(concerned(plans, member(CLUSTER, ASIA))).toEqual([undefined, undefined]);
  });
});

test.each<{ name: string; before: Plan | undefined; after: Plan | undefined; want: boolean }>([
  { name: "that names one cluster less", before: planOn(["a", "b"]), after: planOn(["a"]), want: true },
  { name: "that is dropped", before: planOn(["a"]), after: undefined, want: true },
  { name: "that names more", before: planOn(["a"]), after: planOn(["a", "b"]), want: false },
  { name: "that is the first", before: undefined, after: planOn(["a"]), want: false },
])("a plan $name leaves clusters: $want", ({ before, after, want }) => {
  expect(leavesClusters({ owner: "shop", before, after })).toBe(want);
});

test.each([
  { name: "nothing", copy: undefined, want: false },
  { name: "one that refused what it is to be", copy: observation({ present: { refused: ["h2"] } }), want: true },
  { name: "an immutable one that is as it is to be", copy: observation({ present: { immutable: true } }), want: false },
  {
    name: "an immutable one that is not",
    copy: observation({ present: { immutable: true }, inSyncWith: undefined as never }),
    want: true,
  },
])("a dependency is in the way: $name, $want", ({ copy, want }) => expect(isInTheWay(copy)).toBe(want));
