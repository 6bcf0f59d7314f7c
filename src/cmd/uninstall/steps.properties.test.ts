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
import type { Application, Binding, Item, Member, Observed, UninstallChoice } from "./state.ts";
import { after, nextStep, type Step } from "./steps.ts";
import { EMPTY_HUB } from "./testing/emptyHub.ts";
import { item, way, words } from "./testing/way.ts";

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
  unclean: fc.constant([]),
  admission: fc.array(arbitraryItem(SECRETS), { maxLength: 2 }),
  converts: fc.boolean(),
  storedElsewhere: fc.constant([]),
  crdsBeingDeleted: fc.array(arbitraryItem(CRDS), { maxLength: 2 }),
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
}) as fc.Arbitrary<UninstallChoice>;

/** A run that ended in the middle of a step: only some of its objects were reached. */
function partly(step: Step, share: number): Step {
  if (!("items" in step) || step.do === "Withdraw" || step.items.length === 0) return step;
  return { ...step, items: step.items.slice(0, Math.max(1, Math.ceil(step.items.length * share))) } as Step;
}

describe("from any state", () => {
  test.prop([arbitraryObserved, arbitraryWish, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 })])(
    "the way ends with nothing left, however often it breaks off, or with the word that a drain needs a manager",
    (seen, choice, shares) => {
      let state = seen;
      let step = nextStep(state, choice);
      for (let turn = 0; after(step, state, choice) !== state; turn += 1) {
        expect(turn).toBeLessThan(200);
        state = after(partly(step, shares[turn % shares.length] ?? 1), state, choice);
        step = nextStep(state, choice);
      }
      if (choice.objects === "Drain" && !state.managerAlive && step.do === "StartManager") return;
      expect(step.do).toBe("Done");
      expect({ ...state, crds: [], crdsBeingDeleted: [] }).toEqual({ ...EMPTY_HUB });
      expect(state.crds).toHaveLength(choice.keepCrds ? seen.crds.length : 0);
    },
  );

  test.prop([arbitraryObserved, arbitraryWish])(
    "nothing is deleted before what rests on it is gone",
    (seen, choice) => {
      let state = seen;
      for (const step of way(seen, choice)) {
        const stage = "stage" in step ? step.stage : undefined;
        // A CRD takes its objects along without a word to the members.
        if (step.do === "Delete" && stage === "crds")
          expect(state).toMatchObject({ applications: [], members: [], policies: [], bindings: [], bound: [] });
        // Our finalizer stands for what is on the members: only who said to leave that takes it off.
        if (step.do === "Release") expect([choice.objects, state.managerAlive]).toEqual(["Orphan", false]);
        // A manager that comes to life again must not find both an application that goes and a member to delete it from.
        if (choice.objects === "Orphan" && step.do === "Delete" && stage === "applications")
          expect(state.members).toEqual([]);
        if (choice.objects === "Drain" && step.do === "Delete" && stage === "members")
          expect(state.applications).toEqual([]);
        // What a manager would put back is not let go of.
        if (step.do === "LetGo") expect(state).toMatchObject({ applications: [], members: [] });
        // The credentials are the only way to clean a member, and the manager's own.
        if (step.do === "CleanMembers") expect(state).toMatchObject({ applications: [], members: [] });
        // Whoever is refused at the webhooks cannot be removed.
        if (step.do === "Withdraw") expect(state.managerAlive).toBe(false);
        state = after(step, state, choice);
      }
    },
  );

  test.prop([arbitraryObserved, fc.boolean()])(
    "without a word on the objects none of them is touched",
    (seen, keepCrds) => {
      const steps = way(seen, { objects: "Refuse", keepCrds });
      const objects = seen.applications.length + seen.policies.length + seen.members.length + seen.bindings.length;
      if (objects > 0) expect(steps.map(words)).toEqual(["Refuse"]);
    },
  );
});
