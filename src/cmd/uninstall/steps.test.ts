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
  test.each<{ name: string; seen: Partial<Observed>; choice: UninstallChoice; want: string }>([
    { name: "of a hub without anything is none", seen: {}, choice: refuse, want: "Done" },
    {
      name: "is refused while there is an application",
      seen: { applications: [application()] },
      choice: refuse,
      want: "Refuse",
    },
    { name: "is refused while there is only a policy", seen: { policies: [policy()] }, choice: refuse, want: "Refuse" },
    { name: "is refused while there is only a member", seen: { members: [member()] }, choice: refuse, want: "Refuse" },
    {
      name: "is refused when a label protects an object, whatever was said",
      seen: { applications: [application()], policies: [policy({ guarded: true })], managerAlive: true },
      choice: drain,
      want: "RefuseGuarded",
    },
    {
      name: "is not refused for a label on what is being deleted already",
      seen: { policies: [policy({ guarded: true, deleting: true })] },
      choice: drain,
      want: "Await policies",
    },
    {
      name: "of a drain needs a manager for what was placed",
      seen: { applications: [application()] },
      choice: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs a manager for what another release owns",
      seen: { applications: [application({ finalizers: [`${OBJECT_FINALIZER}.v2`], clusters: [] })] },
      choice: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs a manager also where somebody took the finalizer off",
      seen: { applications: [application({ finalizers: [] })] },
      choice: drain,
      want: "StartManager",
    },
    {
      name: "of a drain needs none for what no manager has ever seen",
      seen: { applications: [application({ finalizers: [], clusters: [] })] },
      choice: drain,
      want: "Delete applications",
    },
    {
      name: "of a drain deletes the applications before anything else",
      seen: { applications: [application()], policies: [policy()], members: [member()], managerAlive: true },
      choice: drain,
      want: "Delete applications",
    },
    {
      name: "of a drain waits for the applications that are being deleted",
      seen: { applications: [application({ deleting: true })], policies: [policy()], managerAlive: true },
      choice: drain,
      want: "Await applications",
    },
    {
      name: "of an orphaning deletes the members first, so that no manager can delete on them",
      seen: { applications: [application()], members: [member()], managerAlive: true },
      choice: orphan,
      want: "Delete members",
    },
    {
      name: "of an orphaning switches a member that is being drained to Orphan",
      seen: { members: [member({ deleting: true, deletionPolicy: "Drain" })], managerAlive: true },
      choice: orphan,
      want: "Delete members",
    },
    {
      name: "of an orphaning leaves the finalizer of a member to a manager that is alive",
      seen: { members: [member({ deleting: true, deletionPolicy: "Orphan" })], managerAlive: true },
      choice: orphan,
      want: "Await members",
    },
    {
      name: "of an orphaning takes the finalizer of a member away where no manager is alive",
      seen: { members: [member({ deleting: true, deletionPolicy: "Orphan" })] },
      choice: orphan,
      want: "Release members",
    },
    {
      name: "of an orphaning asks for the dependents on the hub to be kept, also when the deletion has begun",
      seen: { applications: [application({ deleting: true, owner: true })] },
      choice: orphan,
      want: "Delete applications",
    },
    {
      name: "of an orphaning removes the finalizer of an application only when the garbage collector has orphaned its dependents",
      seen: { applications: [application({ deleting: true, owner: true, finalizers: ["orphan", OBJECT_FINALIZER] })] },
      choice: orphan,
      want: "Await applications",
    },
    {
      name: "of a drain agrees on a CRD that somebody deletes, or a manager would hold what is on the members",
      seen: { applications: [application({ deleting: true })], crdsBeingDeleted: [crd()], managerAlive: true },
      choice: drain,
      want: "Agree",
    },
    {
      name: "of an orphaning agrees on nothing",
      seen: { applications: [application({ deleting: true })], crdsBeingDeleted: [crd()], managerAlive: true },
      choice: orphan,
      want: "Await applications",
    },
    {
      name: "is refused while there is only a binding",
      seen: { bindings: [binding()], bound: [bound()] },
      choice: refuse,
      want: "Refuse",
    },
    {
      name: "leaves objects that are sent as they are to the manager, once their policies and clusters are gone",
      seen: { bindings: [binding()], bound: [bound()], managerAlive: true },
      choice: drain,
      want: "Await bindings",
    },
    {
      name: "takes the clusters of such objects first",
      seen: { bindings: [binding()], bound: [bound()], members: [member()], managerAlive: true },
      choice: orphan,
      want: "Delete members",
    },
    {
      name: "of a drain takes such objects off the members while their policies and bundles exist",
      seen: { bindings: [binding()], bound: [bound()], policies: [policy()], members: [member()], managerAlive: true },
      choice: drain,
      want: "Delete members",
    },
    {
      name: "leaves the namespace of a Secret that remembers what a member keeps",
      seen: {
        unclean: [item(SECRETS, { namespace: "meridian-system" })],
        namespaces: [item(NAMESPACES, { name: "meridian-system" })],
      },
      choice: refuse,
      want: "Done",
    },
    {
      name: "of a drain needs a manager for what it still holds of them",
      seen: { bindings: [binding()], bound: [bound()] },
      choice: drain,
      want: "StartManager",
    },
    {
      name: "of an orphaning takes the finalizers off such objects where no manager is alive, and leaves the objects",
      seen: { bindings: [binding()], bound: [bound()] },
      choice: orphan,
      want: "Release bound",
    },
    {
      name: "of an orphaning deletes the bindings after that",
      seen: { bindings: [binding()] },
      choice: orphan,
      want: "Delete bindings",
    },
    {
      name: "of an orphaning takes the finalizers of bindings that are being deleted",
      seen: { bindings: [binding({ deleting: true })] },
      choice: orphan,
      want: "Release bindings",
    },
    {
      name: "takes the webhooks back first where nobody answers at them",
      seen: { policies: [policy()], admission: [item(SECRETS)] },
      choice: drain,
      want: "Withdraw",
    },
    {
      name: "leaves the webhooks while a manager answers at them",
      seen: { policies: [policy()], admission: [item(SECRETS)], managerAlive: true },
      choice: drain,
      want: "Delete policies",
    },
    {
      name: "does not give up conversion while objects are stored in another version",
      seen: { applications: [application()], converts: true, storedElsewhere: ["DemoApplication"] },
      choice: orphan,
      want: "StartManager",
    },
    {
      name: "does not give up conversion while policies are stored in another version either",
      seen: { policies: [policy()], converts: true, storedElsewhere: ["Placement"] },
      choice: orphan,
      want: "StartManager",
    },
    {
      name: "gives up conversion when no object of the kind that is stored in another version is left",
      seen: { policies: [policy()], converts: true, storedElsewhere: ["DemoApplication"] },
      choice: orphan,
      want: "Withdraw",
    },
    {
      name: "hands over to Helm what Helm brought, when the objects and the credentials are gone",
      seen: { ...installed(), releases: [{ name: "meridian", namespace: "m" }], managerAlive: true },
      choice: refuse,
      want: "HandOver",
    },
    {
      name: "takes away the members' credentials before it hands over to Helm",
      seen: { joined: [item(SECRETS)], releases: [{ name: "meridian", namespace: "m" }] },
      choice: refuse,
      want: "CleanMembers",
    },
    {
      name: "removes the managers that install runs before it waits for them to stop",
      seen: { ...installed(), workload: [item(DEPLOYMENTS)], managerAlive: true },
      choice: refuse,
      want: "Delete workload",
    },
    {
      name: "leaves the managers that install runs while there are objects to take off the members",
      seen: { ...installed(), applications: [application()], workload: [item(DEPLOYMENTS)], managerAlive: true },
      choice: drain,
      want: "Delete applications",
    },
    {
      name: "waits for the managers that are being removed",
      seen: { ...installed(), workload: [item(DEPLOYMENTS, { deleting: true })], managerAlive: true },
      choice: refuse,
      want: "Await workload",
    },
    {
      name: "waits for the manager to be stopped before the installation goes",
      seen: { ...installed(), managerAlive: true },
      choice: refuse,
      want: "StopManager",
    },
    { name: "takes the CRDs before the rights", seen: installed(), choice: refuse, want: "Delete crds" },
    {
      name: "waits for CRDs that are being deleted",
      seen: { ...installed(), crds: [{ ...crd(), deleting: true }] },
      choice: refuse,
      want: "Await crds",
    },
    {
      name: "keeps the CRDs with --keep-crds",
      seen: installed(),
      choice: { ...refuse, keepCrds: true },
      want: "Delete access",
    },
  ])("$name", ({ seen, choice, want }) => expect(words(nextStep({ ...EMPTY_HUB, ...seen }, choice))).toBe(want));
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
