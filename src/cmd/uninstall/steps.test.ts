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
const policy = (more: Partial<Item> = {}) => item(PLACEMENTS, more);

const CRD = item(CRDS);
const secret = () => [item(SECRETS)];
const INSTALLED = { crds: [CRD], access: secret(), state: secret(), accounts: secret() };
const APPS = { applications: [application()] };
const GOING_APPS = { applications: [application({ deleting: true })] };
const MEMBERS = { members: [member()] };
const POLICIES = { policies: [policy()] };
/** An object that is sent as it is, with its binding. */
const BOUND = { bindings: [binding()], bound: [item(CONFIGMAPS, { finalizers: [OBJECT_FINALIZER] })] };
const WORKLOAD = { workload: [item(DEPLOYMENTS)] };
const HELM = { releases: [{ name: "meridian", namespace: "m" }] };
const WEBHOOKS = { admission: secret() };
const UNCLEAN = { unclean: [item(SECRETS, { namespace: "meridian-system" })] };
const NAMESPACE = { namespaces: [item(NAMESPACES, { name: "meridian-system" })] };
const FREE = { finalizers: [] };
const UNSEEN = { finalizers: [], clusters: [] };
const ALIVE = { managerAlive: true };

describe("the next step", () => {
  type Case = [name: string, seen: Partial<Observed>, want: string];
  const step = (seen: Partial<Observed>, choice: UninstallChoice) => words(nextStep({ ...EMPTY_HUB, ...seen }, choice));

  test.each<Case>([
    ["of a hub without anything is none", {}, "Done"],
    ["is refused while there is an application", APPS, "Refuse"],
    ["is refused while there is only a policy", POLICIES, "Refuse"],
    ["is refused while there is only a member", MEMBERS, "Refuse"],
    ["is refused while there is only a binding", BOUND, "Refuse"],
    ["leaves the namespace of a Secret that remembers what a member keeps", { ...UNCLEAN, ...NAMESPACE }, "Done"],
    ["hands over to Helm when objects and credentials are gone", { ...INSTALLED, ...HELM, ...ALIVE }, "HandOver"],
    ["takes away the members' credentials before that", { joined: secret(), ...HELM }, "CleanMembers"],
    ["removes the managers that install runs", { ...INSTALLED, ...WORKLOAD, ...ALIVE }, "Delete workload"],
    ["waits for them", { workload: [item(DEPLOYMENTS, { deleting: true })], ...ALIVE }, "Await workload"],
    ["waits for the manager to stop before the installation goes", { ...INSTALLED, ...ALIVE }, "StopManager"],
    ["takes the CRDs before the rights", INSTALLED, "Delete crds"],
    ["waits for CRDs that are being deleted", { ...INSTALLED, crds: [{ ...CRD, deleting: true }] }, "Await crds"],
  ])("%s", (_, seen, want) => expect(step(seen, refuse)).toBe(want));

  const GUARDED = { policies: [policy({ guarded: true })] };
  const OF_ANOTHER_RELEASE = { applications: [application({ finalizers: [`${OBJECT_FINALIZER}.v2`], clusters: [] })] };
  const ALL = { ...APPS, ...POLICIES, ...MEMBERS };

  test.each<Case>([
    [
      "is refused when a label protects an object, whatever was said",
      { ...APPS, ...GUARDED, ...ALIVE },
      "RefuseGuarded",
    ],
    [
      "is not refused for what is being deleted",
      { policies: [policy({ guarded: true, deleting: true })] },
      "Await policies",
    ],
    ["needs a manager for what was placed", APPS, "StartManager"],
    ["needs a manager for what another release owns", OF_ANOTHER_RELEASE, "StartManager"],
    ["needs one where somebody took the finalizer off", { applications: [application(FREE)] }, "StartManager"],
    ["needs none for what no manager has seen", { applications: [application(UNSEEN)] }, "Delete applications"],
    ["deletes the applications before anything else", { ...ALL, ...ALIVE }, "Delete applications"],
    ["waits for the applications", { ...GOING_APPS, ...POLICIES, ...ALIVE }, "Await applications"],
    // Else a manager would hold what is on the members.
    ["agrees on a CRD that somebody deletes", { ...GOING_APPS, crdsBeingDeleted: [CRD], ...ALIVE }, "Agree"],
    ["leaves objects that are sent as they are to the manager", { ...BOUND, ...ALIVE }, "Await bindings"],
    ["takes such objects off the members first", { ...BOUND, ...POLICIES, ...MEMBERS, ...ALIVE }, "Delete members"],
    ["needs a manager for what it still holds of them", BOUND, "StartManager"],
    ["takes the webhooks back first where nobody answers", { ...POLICIES, ...WEBHOOKS }, "Withdraw"],
    ["leaves the webhooks while a manager answers", { ...POLICIES, ...WEBHOOKS, ...ALIVE }, "Delete policies"],
    [
      "leaves managers while there are objects",
      { ...INSTALLED, ...APPS, ...WORKLOAD, ...ALIVE },
      "Delete applications",
    ],
  ])("of a drain %s", (_, seen, want) => expect(step(seen, drain)).toBe(want));

  const going = (deletionPolicy: "Drain" | "Orphan") => ({ members: [member({ deleting: true, deletionPolicy })] });
  const owning = (...finalizers: string[]) => application({ deleting: true, owner: true, finalizers });
  const stored = (kind: string) => ({ converts: true, storedElsewhere: [kind] });

  test.each<Case>([
    [
      "deletes the members first: no manager can delete there then",
      { ...APPS, ...MEMBERS, ...ALIVE },
      "Delete members",
    ],
    ["switches a member that is being drained to Orphan", { ...going("Drain"), ...ALIVE }, "Delete members"],
    ["leaves the finalizer of a member to a manager", { ...going("Orphan"), ...ALIVE }, "Await members"],
    ["takes that finalizer away where no manager is alive", going("Orphan"), "Release members"],
    ["asks for dependents to be kept, also late", { applications: [owning(OBJECT_FINALIZER)] }, "Delete applications"],
    ["waits until they are", { applications: [owning("orphan", OBJECT_FINALIZER)] }, "Await applications"],
    ["agrees on nothing", { ...GOING_APPS, crdsBeingDeleted: [CRD], ...ALIVE }, "Await applications"],
    ["takes the clusters of objects that are sent as they are", { ...BOUND, ...MEMBERS, ...ALIVE }, "Delete members"],
    ["takes the finalizers off such objects where no manager is alive", BOUND, "Release bound"],
    ["deletes the bindings after that", { bindings: [binding()] }, "Delete bindings"],
    ["takes the finalizers of bindings", { bindings: [binding({ deleting: true })] }, "Release bindings"],
    ["keeps conversion while objects are stored otherwise", { ...APPS, ...stored("DemoApplication") }, "StartManager"],
    ["keeps conversion while policies are", { ...POLICIES, ...stored("Placement") }, "StartManager"],
    ["gives up conversion when none of the kind is left", { ...POLICIES, ...stored("DemoApplication") }, "Withdraw"],
  ])("of an orphaning %s", (_, seen, want) => expect(step(seen, orphan)).toBe(want));

  test("keeps the CRDs with --keep-crds", () => {
    expect(step(INSTALLED, { ...refuse, keepCrds: true })).toBe("Delete access");
  });
});

describe("the way", () => {
  const full = (): Observed => ({
    ...EMPTY_HUB,
    ...INSTALLED,
    applications: [application(), application({ keepsCopies: true })],
    policies: [policy()],
    members: [member()],
    joined: secret(),
    ...WEBHOOKS,
    converts: true,
    namespaces: secret(),
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
