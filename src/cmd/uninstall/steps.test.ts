import { describe, expect, test } from "vitest";
import { CLUSTER_FINALIZER, OBJECT_FINALIZER } from "../../apis/index.ts";
import {
  CONFIGMAPS,
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  SECRETS,
} from "../../runtime/index.ts";
import type { Application, Binding, Item, Member, Observed, UninstallChoice } from "./state.ts";
import { nextStep } from "./steps.ts";
import { EMPTY_HUB } from "./testing/emptyHub.ts";
import { item, way, words } from "./testing/way.ts";

const drain: UninstallChoice = { objects: "Drain", keepCrds: false };
const orphan: UninstallChoice = { objects: "Orphan", keepCrds: false };
const refuse: UninstallChoice = { objects: "Refuse", keepCrds: false };

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

const installed = () => ({ crds: [crd()], access: [item(SECRETS)], state: [item(SECRETS)], accounts: [item(SECRETS)] });

describe("the next step", () => {
  type Case = [name: string, seen: Partial<Observed>, want: string];
  const step = (seen: Partial<Observed>, choice: UninstallChoice) => words(nextStep({ ...EMPTY_HUB, ...seen }, choice));

  test.each<Case>([
    ["of a hub without anything is none", {}, "Done"],
    ["is refused while there is an application", { applications: [application()] }, "Refuse"],
    ["is refused while there is only a policy", { policies: [policy()] }, "Refuse"],
    ["is refused while there is only a member", { members: [member()] }, "Refuse"],
    ["is refused while there is only a binding", { bindings: [binding()], bound: [bound()] }, "Refuse"],
    [
      "leaves the namespace of a Secret that remembers what a member keeps",
      {
        unclean: [item(SECRETS, { namespace: "meridian-system" })],
        namespaces: [item(NAMESPACES, { name: "meridian-system" })],
      },
      "Done",
    ],
    [
      "hands over to Helm what Helm brought, when the objects and the credentials are gone",
      { ...installed(), releases: [{ name: "meridian", namespace: "m" }], managerAlive: true },
      "HandOver",
    ],
    [
      "takes away the members' credentials before it hands over to Helm",
      { joined: [item(SECRETS)], releases: [{ name: "meridian", namespace: "m" }] },
      "CleanMembers",
    ],
    [
      "removes the managers that install runs before it waits for them to stop",
      { ...installed(), workload: [item(DEPLOYMENTS)], managerAlive: true },
      "Delete workload",
    ],
    [
      "waits for the managers that are being removed",
      { ...installed(), workload: [item(DEPLOYMENTS, { deleting: true })], managerAlive: true },
      "Await workload",
    ],
    [
      "waits for the manager to be stopped before the installation goes",
      { ...installed(), managerAlive: true },
      "StopManager",
    ],
    ["takes the CRDs before the rights", installed(), "Delete crds"],
    ["waits for CRDs that are being deleted", { ...installed(), crds: [{ ...crd(), deleting: true }] }, "Await crds"],
  ])("%s", (_, seen, want) => expect(step(seen, refuse)).toBe(want));

  test.each<Case>([
    [
      "is refused when a label protects an object, whatever was said",
      { applications: [application()], policies: [policy({ guarded: true })], managerAlive: true },
      "RefuseGuarded",
    ],
    [
      "is not refused for a label on what is being deleted already",
      { policies: [policy({ guarded: true, deleting: true })] },
      "Await policies",
    ],
    ["needs a manager for what was placed", { applications: [application()] }, "StartManager"],
    [
      "needs a manager for what another release owns",
      { applications: [application({ finalizers: [`${OBJECT_FINALIZER}.v2`], clusters: [] })] },
      "StartManager",
    ],
    [
      "needs a manager also where somebody took the finalizer off",
      { applications: [application({ finalizers: [] })] },
      "StartManager",
    ],
    [
      "needs none for what no manager has ever seen",
      { applications: [application({ finalizers: [], clusters: [] })] },
      "Delete applications",
    ],
    [
      "deletes the applications before anything else",
      { applications: [application()], policies: [policy()], members: [member()], managerAlive: true },
      "Delete applications",
    ],
    [
      "waits for the applications that are being deleted",
      { applications: [application({ deleting: true })], policies: [policy()], managerAlive: true },
      "Await applications",
    ],
    [
      "agrees on a CRD that somebody deletes, or a manager would hold what is on the members",
      { applications: [application({ deleting: true })], crdsBeingDeleted: [crd()], managerAlive: true },
      "Agree",
    ],
    [
      "leaves objects that are sent as they are to the manager, once their policies and clusters are gone",
      { bindings: [binding()], bound: [bound()], managerAlive: true },
      "Await bindings",
    ],
    [
      "takes such objects off the members while their policies and bundles exist",
      { bindings: [binding()], bound: [bound()], policies: [policy()], members: [member()], managerAlive: true },
      "Delete members",
    ],
    ["needs a manager for what it still holds of them", { bindings: [binding()], bound: [bound()] }, "StartManager"],
    [
      "takes the webhooks back first where nobody answers at them",
      { policies: [policy()], admission: [item(SECRETS)] },
      "Withdraw",
    ],
    [
      "leaves the webhooks while a manager answers at them",
      { policies: [policy()], admission: [item(SECRETS)], managerAlive: true },
      "Delete policies",
    ],
    [
      "leaves the managers that install runs while there are objects to take off the members",
      { ...installed(), applications: [application()], workload: [item(DEPLOYMENTS)], managerAlive: true },
      "Delete applications",
    ],
  ])("of a drain %s", (_, seen, want) => expect(step(seen, drain)).toBe(want));

  test.each<Case>([
    [
      "deletes the members first, so that no manager can delete on them",
      { applications: [application()], members: [member()], managerAlive: true },
      "Delete members",
    ],
    [
      "switches a member that is being drained to Orphan",
      { members: [member({ deleting: true, deletionPolicy: "Drain" })], managerAlive: true },
      "Delete members",
    ],
    [
      "leaves the finalizer of a member to a manager that is alive",
      { members: [member({ deleting: true, deletionPolicy: "Orphan" })], managerAlive: true },
      "Await members",
    ],
    [
      "takes the finalizer of a member away where no manager is alive",
      { members: [member({ deleting: true, deletionPolicy: "Orphan" })] },
      "Release members",
    ],
    [
      "asks for the dependents on the hub to be kept, also when the deletion has begun",
      { applications: [application({ deleting: true, owner: true })] },
      "Delete applications",
    ],
    [
      "removes the finalizer of an application only when the garbage collector has orphaned its dependents",
      { applications: [application({ deleting: true, owner: true, finalizers: ["orphan", OBJECT_FINALIZER] })] },
      "Await applications",
    ],
    [
      "agrees on nothing",
      { applications: [application({ deleting: true })], crdsBeingDeleted: [crd()], managerAlive: true },
      "Await applications",
    ],
    [
      "takes the clusters of such objects first",
      { bindings: [binding()], bound: [bound()], members: [member()], managerAlive: true },
      "Delete members",
    ],
    [
      "takes the finalizers off such objects where no manager is alive, and leaves the objects",
      { bindings: [binding()], bound: [bound()] },
      "Release bound",
    ],
    ["deletes the bindings after that", { bindings: [binding()] }, "Delete bindings"],
    [
      "takes the finalizers of bindings that are being deleted",
      { bindings: [binding({ deleting: true })] },
      "Release bindings",
    ],
    [
      "does not give up conversion while objects are stored in another version",
      { applications: [application()], converts: true, storedElsewhere: ["DemoApplication"] },
      "StartManager",
    ],
    [
      "does not give up conversion while policies are stored in another version either",
      { policies: [policy()], converts: true, storedElsewhere: ["Placement"] },
      "StartManager",
    ],
    [
      "gives up conversion when no object of the kind that is stored in another version is left",
      { policies: [policy()], converts: true, storedElsewhere: ["DemoApplication"] },
      "Withdraw",
    ],
  ])("of an orphaning %s", (_, seen, want) => expect(step(seen, orphan)).toBe(want));

  test("keeps the CRDs with --keep-crds", () => {
    expect(step(installed(), { ...refuse, keepCrds: true })).toBe("Delete access");
  });
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

  test("of a drain is: applications, members, policies, webhooks, CRDs, and the rest", () => {
    expect(way(full(), drain).map(words)).toEqual([
      "Delete applications",
      "Await applications",
      "Delete members",
      "Await members",
      "Delete policies",
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
