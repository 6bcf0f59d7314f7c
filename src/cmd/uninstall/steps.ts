import { type HelmRelease } from "../shared/index.ts";
import {
  type Application,
  hasCopies,
  isOwnFinalizer,
  type Item,
  keepsDependents,
  type Member,
  objectsOf,
  type Observed,
  type Stage,
  type UninstallChoice,
} from "./state.ts";

/**
 * The next step from any state towards a hub without Meridian. Pure: the same state gives the same step. So the command
 * may be interrupted at any time, and others may remove objects meanwhile.
 */
export type Step =
  /** Objects exist, and neither `--drain` nor `--orphan` is given. */
  | { do: "Refuse"; items: readonly Item[] }
  /** A label protects objects from deletion. */
  | { do: "RefuseGuarded"; items: readonly Item[] }
  /** Only a manager can continue, and none is alive. */
  | { do: "StartManager"; why: "Finalizers" | "StoredVersions"; items: readonly Item[] }
  /** Remove the webhook configurations and the conversion. */
  | { do: "Withdraw"; items: readonly Item[] }
  /**
   * Confirm for CRDs that are being deleted that the copies of their objects are deleted too: a manager holds the
   * copies until then.
   */
  | { do: "Agree"; items: readonly Item[] }
  | { do: "Delete"; stage: Stage; items: readonly Item[] }
  /** Remove Meridian's finalizers, on behalf of a manager. */
  | { do: "Release"; stage: Stage; items: readonly Item[] }
  /** Wait until the objects are gone. `byManager`: a manager has to remove its finalizers. */
  | { do: "Await"; stage: Stage; items: readonly Item[]; byManager: boolean }
  /** Remove Meridian's marks from its objects on the hub itself, and leave the objects there. */
  | { do: "LetGo"; items: readonly Item[] }
  /** Remove the objects that join made on the members, and then the credentials. */
  | { do: "CleanMembers"; items: readonly Item[] }
  /** The rest belongs to Helm. */
  | { do: "HandOver"; releases: readonly HelmRelease[] }
  /** Wait until the manager ends: it would create the removed objects again. */
  | { do: "StopManager" }
  | { do: "Done" };

/** Steps that end the command. */
export type Ending = Extract<Step["do"], "Refuse" | "RefuseGuarded" | "StartManager" | "HandOver" | "Done">;

/**
 * With Drain the applications are deleted first, while their policies and clusters still exist. Then the members are
 * drained. The drain removes the propagated objects of other kinds, which stay on the hub, and after them the bundles,
 * which may contain the operators of these objects. With Orphan the members are deleted first: then even an unknown
 * manager has no cluster on which it could delete anything.
 */
const ORDER = {
  Refuse: [],
  Drain: ["applications", "members", "policies"],
  Orphan: ["members", "applications", "policies"],
} as const;
const INSTALLATION = ["crds", "access", "state", "accounts", "namespaces"] as const;

export function nextStep(seen: Observed, choice: UninstallChoice): Step {
  const objects = objectsOf(seen);
  if (choice.objects === "Refuse" && objects.length > 0) return { do: "Refuse", items: objects };
  const guarded = [...objects, ...seen.namespaces].filter((item) => item.guarded && !item.deleting);
  if (guarded.length > 0) return { do: "RefuseGuarded", items: guarded };
  if (choice.objects === "Drain" && objects.length > 0 && seen.crdsBeingDeleted.length > 0)
    return { do: "Agree", items: seen.crdsBeingDeleted };
  for (const stage of ORDER[choice.objects]) {
    if (seen[stage].length > 0) return clear(stage, seen, choice);
  }
  if (seen.bindings.length > 0 || seen.bound.length > 0) return unbind(seen, choice);
  if (seen.marked.length > 0) return { do: "LetGo", items: seen.marked };
  if (seen.joined.length > 0) return { do: "CleanMembers", items: seen.joined };
  if (seen.releases.length > 0) return { do: "HandOver", releases: seen.releases };
  // The manager pods end within a grace period, and release the Lease.
  const workload = remove("workload", seen.workload);
  if (workload !== undefined) return workload;
  if (seen.managerAlive) return { do: "StopManager" };
  if (hasWebhooks(seen)) return { do: "Withdraw", items: seen.admission };
  for (const stage of INSTALLATION) {
    const step = remove(stage, removable(stage, seen, choice));
    if (step !== undefined) return step;
  }
  return { do: "Done" };
}

function removable(
  stage: (typeof INSTALLATION)[number],
  seen: Observed,
  { keepCrds }: UninstallChoice,
): readonly Item[] {
  if (stage === "crds" && keepCrds) return [];
  if (stage !== "namespaces") return seen[stage];
  // The namespace holds the Secret by which the next run knows of a member with leftovers.
  const kept = new Set(seen.unclean.map(({ namespace }) => namespace));
  return seen.namespaces.filter(({ name }) => !kept.has(name));
}

/** Undefined when nothing is left. */
function remove(stage: Stage, items: readonly Item[]): Step | undefined {
  const pending = items.filter(({ deleting }) => !deleting);
  if (pending.length > 0) return { do: "Delete", stage, items: pending };
  return items.length > 0 ? { do: "Await", stage, items, byManager: false } : undefined;
}

/** The next step towards a hub without the objects of this stage. */
function clear(stage: "applications" | "policies" | "members", seen: Observed, { objects }: UninstallChoice): Step {
  const items: readonly Item[] = seen[stage];
  const needing = needManager(stage, seen);
  if (!seen.managerAlive) {
    if (objects === "Drain" && needing.length > 0) return { do: "StartManager", why: "Finalizers", items: needing };
    // No manager answers webhook calls, and the hub refuses requests whose webhook does not answer.
    if (hasWebhooks(seen)) {
      const unreadable = objectsOf(seen).filter(({ type }) => seen.storedElsewhere.includes(type.kind));
      if (unreadable.length > 0) return { do: "StartManager", why: "StoredVersions", items: unreadable };
      return { do: "Withdraw", items: seen.admission };
    }
  }
  const pending = objects === "Orphan" ? toBeLeft(stage, seen) : items.filter(({ deleting }) => !deleting);
  if (pending.length > 0) return { do: "Delete", stage, items: pending };
  if (objects === "Orphan" && !seen.managerAlive) {
    const held = needing.filter((item) => stage !== "applications" || keepsDependents(item as Application) === "Done");
    if (held.length > 0) return { do: "Release", stage, items: held };
  }
  return { do: "Await", stage, items, byManager: seen.managerAlive && needing.length > 0 };
}

/**
 * The next step towards a hub without bindings. A manager releases objects that no policy places any more and that are
 * on no cluster. The objects themselves belong to their owners.
 */
function unbind({ bindings, bound, managerAlive }: Observed, { objects }: UninstallChoice): Step {
  if (managerAlive) return { do: "Await", stage: "bindings", items: bindings, byManager: true };
  const held = bindings.filter(({ finalizers }) => finalizers.some((one) => isOwnFinalizer("bindings", one)));
  if (objects === "Drain" && bound.length + held.length > 0)
    return { do: "StartManager", why: "Finalizers", items: [...bound, ...held] };
  if (bound.length > 0) return { do: "Release", stage: "bound", items: bound };
  const pending = bindings.filter(({ deleting }) => !deleting);
  if (pending.length > 0) return { do: "Delete", stage: "bindings", items: pending };
  if (held.length > 0) return { do: "Release", stage: "bindings", items: held };
  return { do: "Await", stage: "bindings", items: bindings, byManager: false };
}

/** Objects that wait for a manager to remove its finalizer, or to delete their member objects. */
function needManager(stage: "applications" | "policies" | "members", seen: Observed): Item[] {
  const held = seen[stage].filter(({ finalizers }) => finalizers.some((one) => isOwnFinalizer(stage, one)));
  if (stage !== "applications") return held;
  // An application with member objects but without Meridian's finalizer: only a manager that observes the deletion
  // deletes the member objects.
  const bare = seen.applications.filter((one) => !held.includes(one) && !one.deleting && hasCopies(one));
  return [...held, ...bare];
}

/** Objects whose deletion does not yet say that the member objects stay. */
function toBeLeft(stage: "applications" | "policies" | "members", seen: Observed): Item[] {
  if (stage === "members")
    return seen.members.filter(({ deleting, deletionPolicy }) => !deleting || deletionPolicy !== "Orphan");
  if (stage === "policies") return seen.policies.filter(({ deleting }) => !deleting);
  return seen.applications.filter((one) => !one.deleting || keepsDependents(one) === "ToBeAsked");
}

function hasWebhooks({ admission, converts }: Observed): boolean {
  return admission.length > 0 || converts;
}

/** The state of the hub after a step, for printing the steps without executing them. */
export function after(step: Step, seen: Observed, { objects }: UninstallChoice): Observed {
  switch (step.do) {
    case "Delete":
      return { ...seen, [step.stage]: replaced(seen[step.stage], step.items, (item) => deleted(item, objects)) };
    case "Release":
      return {
        ...seen,
        [step.stage]: replaced(seen[step.stage], step.items, (item) =>
          step.stage === "bound"
            ? undefined
            : unlessFree({ ...item, finalizers: item.finalizers.filter((one) => !isOwnFinalizer(step.stage, one)) }),
        ),
      };
    case "Await":
      return {
        ...seen,
        [step.stage]: replaced(seen[step.stage], step.items, () => undefined),
        // A manager that removes the binding has released the object.
        ...(step.stage === "bindings" ? { bound: [] } : {}),
      };
    case "LetGo":
      return { ...seen, marked: replaced(seen.marked, step.items, () => undefined) };
    case "Agree":
      return { ...seen, crdsBeingDeleted: replaced(seen.crdsBeingDeleted, step.items, () => undefined) };
    case "CleanMembers":
      return { ...seen, joined: replaced(seen.joined, step.items, () => undefined) };
    case "Withdraw":
      return { ...seen, admission: [], converts: false };
    case "StopManager":
      return { ...seen, managerAlive: false };
    case "Refuse":
    case "RefuseGuarded":
    case "StartManager":
    case "HandOver":
    case "Done":
      return seen;
  }
}

function replaced(all: readonly Item[], some: readonly Item[], by: (item: Item) => Item | undefined): Item[] {
  const uids = new Set(some.map(({ uid }) => uid));
  return all.flatMap((item) => (uids.has(item.uid) ? (by(item) ?? []) : [item]));
}

function deleted(item: Item | Application | Member, objects: UninstallChoice["objects"]): Item | undefined {
  if (item.type.kind === "MemberCluster") {
    const { deletionPolicy } = item as Member;
    return unlessFree({ ...item, deleting: true, deletionPolicy: memberPolicy(objects, deletionPolicy) } as Member);
  }
  return unlessFree({ ...item, deleting: true, ...("owner" in item ? { owner: false } : {}) });
}

/**
 * The deletionPolicy of a MemberCluster that is deleted. With Drain a policy that is already set stays, because the
 * objects are gone by then.
 */
export function memberPolicy(
  objects: UninstallChoice["objects"],
  before: Member["deletionPolicy"],
): "Drain" | "Orphan" {
  return objects === "Orphan" ? "Orphan" : (before ?? "Drain");
}

/** An object that is being deleted is gone once it has no finalizer. */
function unlessFree(item: Item): Item | undefined {
  return item.deleting && item.finalizers.length === 0 ? undefined : item;
}
