import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { CLUSTER_FINALIZER, OBJECT_FINALIZER } from "../../apis/index.ts";
import {
  CONFIGMAPS,
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import type { Application, Binding, Item, Member, Observed, Wish } from "./state.ts";
import { after, nextStep, type Step } from "./steps.ts";
import { EMPTY_HUB } from "./testing/emptyHub.ts";

const drain: Wish = { objects: "Drain", keepCrds: false };
const orphan: Wish = { objects: "Orphan", keepCrds: false };
const refuse: Wish = { objects: "Refuse", keepCrds: false };

let uids = 0;
function item(type: ResourceType, more: Partial<Item> = {}): Item {
  uids += 1;
  return { type, name: `it-${uids}`, uid: `uid-${uids}`, deleting: false, finalizers: [], guarded: false, ...more };
}
function application(more: Partial<Application> = {}): Application {
  const finalizers = [OBJECT_FINALIZER];
  return { ...item(DEMOAPPLICATIONS, { finalizers }), clusters: ["a"], keepsCopies: false, owner: false, ...more };
}
function member(more: Partial<Member> = {}): Member {
  return { ...item(MEMBERCLUSTERS, { finalizers: [CLUSTER_FINALIZER] }), ...more };
}
/** The binding of a ConfigMap, and the ConfigMap that our finalizer holds. */
function binding(more: Partial<Binding> = {}): Binding {
  const base = item(RESOURCEBINDINGS, { finalizers: [OBJECT_FINALIZER] });
  return { ...base, resource: "configmap shop/settings", clusters: ["a"], keepsCopies: false, ...more };
}
const bound = (): Item => item(CONFIGMAPS, { finalizers: [OBJECT_FINALIZER] });
const crd = () => item(CRDS);
const policy = (more: Partial<Item> = {}) => item(PLACEMENTS, more);

/** `Delete applications`, `Done`. */
function words(step: Step): string {
  return "stage" in step ? `${step.do} ${step.stage}` : step.do;
}

/** Every step until the way ends, as if each came true. */
function way(seen: Observed, wish: Wish, limit = 100): Step[] {
  const steps: Step[] = [];
  for (let state = seen; steps.length < limit;) {
    const step = nextStep(state, wish);
    steps.push(step);
    const next = after(step, state, wish);
    if (next === state) return steps;
    state = next;
  }
  throw new Error(`no end: ${steps.map(words).join(", ")}`);
}

const installed = () => ({ crds: [crd()], access: [item(SECRETS)], state: [item(SECRETS)], accounts: [item(SECRETS)] });

describe("the next step", () => {
  test.each<{ name: string; seen: Partial<Observed>; wish: Wish; want: string }>([
    { name: "of a hub without anything is none", seen: {}, wish: refuse, want: "Done" },
    {
      name: "is refused while there is an application",
      seen: { applications: [application()] },
      wish: refuse,
      want: "Refuse",
    },
    { name: "is refused while there is only a policy", seen: { policies: [policy()] }, wish: refuse, want: "Refuse" },
    { name: "is refused while there is only a member", seen: { members: [member()] }, wish: refuse, want: "Refuse" },
    {
      name: "is refused when a label protects an object, whatever was said",
      seen: { applications: [application()], policies: [policy({ guarded: true })], managerAlive: true },
      wish: drain,
      want: "RefuseGuarded",
    },
    {
      name: "is not refused for a label on what is being deleted already",
      seen: { policies: [policy({ guarded: true, deleting: true })] },
      wish: drain,
      want: "Await policies",
    },
    {
      name: "of a drain needs a manager for what was placed",
      seen: { applications: [application()] },
      wish: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs a manager for what another release owns",
      seen: { applications: [application({ finalizers: [`${OBJECT_FINALIZER}.v2`], clusters: [] })] },
      wish: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs a manager also where somebody took the finalizer off",
      seen: { applications: [application({ finalizers: [] })] },
      wish: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs none for what no manager has ever seen",
      seen: { applications: [application({ finalizers: [], clusters: [] })] },
      wish: drain,
      want: "Delete applications",
    },
    {
      name: "of a drain deletes the applications before anything else",
      seen: { applications: [application()], policies: [policy()], members: [member()], managerAlive: true },
      wish: drain,
      want: "Delete applications",
    },
    {
      name: "of a drain waits for the applications that are being deleted",
      seen: { applications: [application({ deleting: true })], policies: [policy()], managerAlive: true },
      wish: drain,
      want: "Await applications",
    },
    {
      name: "of an orphaning deletes the members first, so that no manager can delete on them",
      seen: { applications: [application()], members: [member()], managerAlive: true },
      wish: orphan,
      want: "Delete members",
    },
    {
      name: "of an orphaning switches a member that is being drained to Orphan",
      seen: { members: [member({ deleting: true, deletionPolicy: "Drain" })], managerAlive: true },
      wish: orphan,
      want: "Delete members",
    },
    {
      name: "of an orphaning leaves the finalizer of a member to a manager that is alive",
      seen: { members: [member({ deleting: true, deletionPolicy: "Orphan" })], managerAlive: true },
      wish: orphan,
      want: "Await members",
    },
    {
      name: "of an orphaning takes the finalizer of a member away where no manager is alive",
      seen: { members: [member({ deleting: true, deletionPolicy: "Orphan" })] },
      wish: orphan,
      want: "Release members",
    },
    {
      name: "of an orphaning asks for the dependents on the hub to be kept, also when the deletion has begun",
      seen: { applications: [application({ deleting: true, owner: true })] },
      wish: orphan,
      want: "Delete applications",
    },
    {
      name: "of an orphaning removes the finalizer of an application only when the garbage collector has orphaned its dependents",
      seen: { applications: [application({ deleting: true, owner: true, finalizers: ["orphan", OBJECT_FINALIZER] })] },
      wish: orphan,
      want: "Await applications",
    },
    {
      name: "of a drain agrees on a CRD that somebody deletes, or a manager would hold what is on the members",
      seen: { applications: [application({ deleting: true })], doomed: [crd()], managerAlive: true },
      wish: drain,
      want: "Agree",
    },
    {
      name: "of an orphaning agrees on nothing",
      seen: { applications: [application({ deleting: true })], doomed: [crd()], managerAlive: true },
      wish: orphan,
      want: "Await applications",
    },
    {
      name: "is refused while there is only a binding",
      seen: { bindings: [binding()], bound: [bound()] },
      wish: refuse,
      want: "Refuse",
    },
    {
      name: "leaves objects that are sent as they are to the manager, once their policies and clusters are gone",
      seen: { bindings: [binding()], bound: [bound()], managerAlive: true },
      wish: drain,
      want: "Await bindings",
    },
    {
      name: "takes the clusters of such objects first",
      seen: { bindings: [binding()], bound: [bound()], members: [member()], managerAlive: true },
      wish: orphan,
      want: "Delete members",
    },
    {
      name: "of a drain needs a manager for what it still holds of them",
      seen: { bindings: [binding()], bound: [bound()] },
      wish: drain,
      want: "StartManager",
    },
    {
      name: "of an orphaning takes the finalizers off such objects where no manager is alive, and leaves the objects",
      seen: { bindings: [binding()], bound: [bound()] },
      wish: orphan,
      want: "Release bound",
    },
    {
      name: "of an orphaning deletes the bindings after that",
      seen: { bindings: [binding()] },
      wish: orphan,
      want: "Delete bindings",
    },
    {
      name: "of an orphaning takes the finalizers of bindings that are being deleted",
      seen: { bindings: [binding({ deleting: true })] },
      wish: orphan,
      want: "Release bindings",
    },
    {
      name: "takes the webhooks back first where nobody answers at them",
      seen: { policies: [policy()], admission: [item(SECRETS)] },
      wish: drain,
      want: "Withdraw",
    },
    {
      name: "leaves the webhooks while a manager answers at them",
      seen: { policies: [policy()], admission: [item(SECRETS)], managerAlive: true },
      wish: drain,
      want: "Delete policies",
    },
    {
      name: "does not give up conversion while objects are stored in another version",
      seen: { applications: [application()], converts: true, storedElsewhere: ["DemoApplication"] },
      wish: orphan,
      want: "StartManager",
    },
    {
      name: "does not give up conversion while policies are stored in another version either",
      seen: { policies: [policy()], converts: true, storedElsewhere: ["Placement"] },
      wish: orphan,
      want: "StartManager",
    },
    {
      name: "gives up conversion when no object of the kind that is stored in another version is left",
      seen: { policies: [policy()], converts: true, storedElsewhere: ["DemoApplication"] },
      wish: orphan,
      want: "Withdraw",
    },
    {
      name: "hands over to Helm what Helm brought, when the objects and the credentials are gone",
      seen: { ...installed(), releases: [{ name: "meridian", namespace: "m" }], managerAlive: true },
      wish: refuse,
      want: "HandOver",
    },
    {
      name: "takes away the members' credentials before it hands over to Helm",
      seen: { joined: [item(SECRETS)], releases: [{ name: "meridian", namespace: "m" }] },
      wish: refuse,
      want: "CleanMembers",
    },
    {
      name: "removes the managers that install runs before it waits for them to stop",
      seen: { ...installed(), workload: [item(DEPLOYMENTS)], managerAlive: true },
      wish: refuse,
      want: "Delete workload",
    },
    {
      name: "leaves the managers that install runs while there are objects to take off the members",
      seen: { ...installed(), applications: [application()], workload: [item(DEPLOYMENTS)], managerAlive: true },
      wish: drain,
      want: "Delete applications",
    },
    {
      name: "waits for the managers that are being removed",
      seen: { ...installed(), workload: [item(DEPLOYMENTS, { deleting: true })], managerAlive: true },
      wish: refuse,
      want: "Await workload",
    },
    {
      name: "waits for the manager to be stopped before the installation goes",
      seen: { ...installed(), managerAlive: true },
      wish: refuse,
      want: "StopManager",
    },
    { name: "takes the CRDs before the rights", seen: installed(), wish: refuse, want: "Delete crds" },
    {
      name: "waits for CRDs that are being deleted",
      seen: { ...installed(), crds: [{ ...crd(), deleting: true }] },
      wish: refuse,
      want: "Await crds",
    },
    {
      name: "keeps the CRDs with --keep-crds",
      seen: installed(),
      wish: { ...refuse, keepCrds: true },
      want: "Delete access",
    },
  ])("$name", ({ seen, wish, want }) => expect(words(nextStep({ ...EMPTY_HUB, ...seen }, wish))).toBe(want));
});

describe("the way", () => {
  const full = (): Observed => ({
    ...EMPTY_HUB,
    ...installed(),
    applications: [application(), application({ keepsCopies: true })],
    policies: [policy()],
    members: [member()],
    joined: [item(SECRETS)],
    admission: [item(SECRETS)],
    converts: true,
    namespaces: [item(SECRETS)],
    managerAlive: true,
  });
  const end = ["CleanMembers", "StopManager", "Withdraw"];
  const rest = ["Delete crds", "Delete access", "Delete state", "Delete accounts", "Delete namespaces", "Done"];

  test("of a drain is: applications, policies, members, webhooks, CRDs, and the rest", () => {
    expect(way(full(), drain).map(words)).toEqual([
      "Delete applications",
      "Await applications",
      "Delete policies",
      "Delete members",
      "Await members",
      ...end,
      ...rest,
    ]);
  });

  test("of an orphaning is: members, applications, policies, and the rest", () => {
    expect(way(full(), orphan).map(words)).toEqual([
      "Delete members",
      "Await members",
      "Delete applications",
      "Await applications",
      "Delete policies",
      ...end,
      ...rest,
    ]);
  });

  test("of an orphaning without a manager begins with the webhooks, and takes the finalizers away", () => {
    expect(way({ ...full(), managerAlive: false }, orphan).map(words)).toEqual([
      "Withdraw",
      "Delete members",
      "Release members",
      "Delete applications",
      "Release applications",
      "Delete policies",
      "CleanMembers",
      ...rest,
    ]);
  });
});

const arbitraryItem = (type: ResourceType, ...finalizers: string[]): fc.Arbitrary<Item> =>
  fc
    .record({
      deleting: fc.boolean(),
      guarded: fc.constant(false),
      finalizers: fc.subarray([...finalizers, "example.com/foreign"]),
    })
    .map((more) => item(type, more));
const arbitraryObserved: fc.Arbitrary<Observed> = fc.record({
  applications: fc.array(
    fc
      .tuple(
        arbitraryItem(DEMOAPPLICATIONS, OBJECT_FINALIZER, "orphan"),
        fc.subarray(["a", "b"]),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([base, clusters, keepsCopies, owner]): Application => ({ ...base, clusters, keepsCopies, owner })),
    { maxLength: 4 },
  ),
  policies: fc.array(arbitraryItem(PLACEMENTS), { maxLength: 3 }),
  members: fc.array(
    fc
      .tuple(arbitraryItem(MEMBERCLUSTERS, CLUSTER_FINALIZER), fc.constantFrom(undefined, "Drain", "Orphan"))
      .map(
        ([base, policyOf]) => ({ ...base, ...(policyOf === undefined ? {} : { deletionPolicy: policyOf }) }) as Member,
      ),
    { maxLength: 3 },
  ),
  bindings: fc.array(
    arbitraryItem(RESOURCEBINDINGS, OBJECT_FINALIZER).map((base): Binding => ({
      ...base,
      resource: "configmap shop/settings",
      clusters: ["a"],
      keepsCopies: false,
    })),
    { maxLength: 3 },
  ),
  bound: fc.array(
    fc.boolean().map((deleting) => item(CONFIGMAPS, { deleting, finalizers: [OBJECT_FINALIZER] })),
    { maxLength: 3 },
  ),
  marked: fc.array(arbitraryItem(SECRETS), { maxLength: 2 }),
  joined: fc.array(arbitraryItem(SECRETS), { maxLength: 2 }),
  admission: fc.array(arbitraryItem(SECRETS), { maxLength: 2 }),
  converts: fc.boolean(),
  storedElsewhere: fc.constant([]),
  doomed: fc.array(arbitraryItem(CRDS), { maxLength: 2 }),
  crds: fc.array(arbitraryItem(CRDS), { maxLength: 6 }),
  workload: fc.array(arbitraryItem(DEPLOYMENTS), { maxLength: 2 }),
  access: fc.array(arbitraryItem(SECRETS), { maxLength: 3 }),
  state: fc.array(arbitraryItem(SECRETS), { maxLength: 3 }),
  accounts: fc.array(arbitraryItem(SECRETS), { maxLength: 1 }),
  namespaces: fc.array(arbitraryItem(SECRETS), { maxLength: 1 }),
  occupied: fc.constant([]),
  releases: fc.constant([]),
  managerAlive: fc.boolean(),
});
const arbitraryWish = fc.record({
  objects: fc.constantFrom("Drain", "Orphan"),
  keepCrds: fc.boolean(),
}) as fc.Arbitrary<Wish>;

/** A run that ended in the middle of a step: only some of its objects were reached. */
function partly(step: Step, share: number): Step {
  if (!("items" in step) || step.do === "Withdraw" || step.items.length === 0) return step;
  return { ...step, items: step.items.slice(0, Math.max(1, Math.ceil(step.items.length * share))) } as Step;
}

describe("from any state", () => {
  test.prop([arbitraryObserved, arbitraryWish, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 })])(
    "the way ends with nothing left, however often it breaks off, or with the word that a drain needs a manager",
    (seen, wish, shares) => {
      let state = seen;
      let step = nextStep(state, wish);
      for (let turn = 0; after(step, state, wish) !== state; turn += 1) {
        expect(turn).toBeLessThan(200);
        state = after(partly(step, shares[turn % shares.length] ?? 1), state, wish);
        step = nextStep(state, wish);
      }
      if (wish.objects === "Drain" && !state.managerAlive && step.do === "StartManager") return;
      expect(step.do).toBe("Done");
      expect({ ...state, crds: [], doomed: [] }).toEqual({ ...EMPTY_HUB });
      expect(state.crds).toHaveLength(wish.keepCrds ? seen.crds.length : 0);
    },
  );

  test.prop([arbitraryObserved, arbitraryWish])("nothing is deleted before what rests on it is gone", (seen, wish) => {
    let state = seen;
    for (const step of way(seen, wish)) {
      const stage = "stage" in step ? step.stage : undefined;
      // A CRD takes its objects along without a word to the members.
      if (step.do === "Delete" && stage === "crds")
        expect(state).toMatchObject({ applications: [], members: [], policies: [], bindings: [], bound: [] });
      // Our finalizer stands for what is on the members: only who said to leave that takes it off.
      if (step.do === "Release") expect([wish.objects, state.managerAlive]).toEqual(["Orphan", false]);
      // A manager that comes to life again must not find both an application that goes and a member to delete it from.
      if (wish.objects === "Orphan" && step.do === "Delete" && stage === "applications")
        expect(state.members).toEqual([]);
      if (wish.objects === "Drain" && step.do === "Delete" && stage === "members")
        expect(state.applications).toEqual([]);
      // What a manager would put back is not let go of.
      if (step.do === "LetGo") expect(state).toMatchObject({ applications: [], members: [] });
      // The credentials are the only way to clean a member, and the manager's own.
      if (step.do === "CleanMembers") expect(state).toMatchObject({ applications: [], members: [] });
      // Whoever is refused at the webhooks cannot be removed.
      if (step.do === "Withdraw") expect(state.managerAlive).toBe(false);
      state = after(step, state, wish);
    }
  });

  test.prop([arbitraryObserved, fc.boolean()])(
    "without a word on the objects none of them is touched",
    (seen, keepCrds) => {
      const steps = way(seen, { objects: "Refuse", keepCrds });
      const objects = seen.applications.length + seen.policies.length + seen.members.length + seen.bindings.length;
      if (objects > 0) expect(steps.map(words)).toEqual(["Refuse"]);
    },
  );
});
