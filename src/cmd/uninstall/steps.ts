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

/** The next step from any state towards a hub without Meridian. Pure, so that others may work on the hub meanwhile. */
export type Step =
  /** Without `--drain` and `--orphan`. */
  | { do: "Refuse"; items: readonly Item[] }
  /** A label protects objects from deletion. */
  | { do: "RefuseGuarded"; items: readonly Item[] }
  /** Only a manager can continue, and none is alive. */
  | { do: "StartManager"; why: "Finalizers" | "StoredVersions"; items: readonly Item[] }
  | { do: "Withdraw"; items: readonly Item[] }
  /** Confirm for CRDs that are being deleted that the copies go too: a manager holds these until then. */
  | { do: "Agree"; items: readonly Item[] }
  | { do: "Delete"; stage: Stage; items: readonly Item[] }
  /** Remove the finalizers on behalf of a manager. */
  | { do: "Release"; stage: Stage; items: readonly Item[] }
  /** `byManager`: a manager has to remove its finalizers. */
  | { do: "Await"; stage: Stage; items: readonly Item[]; byManager: boolean }
  /** Remove the marks of objects on the hub itself, and leave the objects there. */
  | { do: "LetGo"; items: readonly Item[] }
  /** Remove what join made on the members, and then the credentials. */
  | { do: "CleanMembers"; items: readonly Item[] }
  | { do: "HandOver"; releases: readonly HelmRelease[] }
  /** A manager would create the removed objects again. */
  | { do: "StopManager" }
  | { do: "Done" };

/** Steps that end the command. */
export const ENDINGS = ["Refuse", "RefuseGuarded", "StartManager", "HandOver", "Done"] as const satisfies Step["do"][];
export type Ending = (typeof ENDINGS)[number];

/**
 * With Drain applications go first, while their policies and clusters exist. Draining the members then removes
 * propagated objects of other kinds, and after these the bundles, which may hold their operators. With Orphan members
 * go first: then no manager has a cluster on which it could delete anything.
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

function remove(stage: Stage, items: readonly Item[]): Step | undefined {
  const pending = items.filter(({ deleting }) => !deleting);
  if (pending.length > 0) return { do: "Delete", stage, items: pending };
  return items.length > 0 ? { do: "Await", stage, items, byManager: false } : undefined;
}

function clear(stage: "applications" | "policies" | "members", seen: Observed, { objects }: UninstallChoice): Step {
  const items: readonly Item[] = seen[stage];
  const needing = needManager(stage, seen);
  if (!seen.managerAlive) {
    if (objects === "Drain" && needing.length > 0) return { do: "StartManager", why: "Finalizers", items: needing };
    // The hub refuses requests whose webhook nobody answers.
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

/** A manager releases objects that no policy places and that are on no cluster. They belong to their owners. */
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

/** What waits for a manager to remove its finalizer, or to delete member objects. */
function needManager(stage: "applications" | "policies" | "members", seen: Observed): Item[] {
  const held = seen[stage].filter(({ finalizers }) => finalizers.some((one) => isOwnFinalizer(stage, one)));
  if (stage !== "applications") return held;
  // Without the finalizer, only a manager that sees the deletion deletes the member objects.
  const bare = seen.applications.filter((one) => !held.includes(one) && !one.deleting && hasCopies(one));
  return [...held, ...bare];
}

/** What is not yet deleted in the way that keeps member objects. */
function toBeLeft(stage: "applications" | "policies" | "members", seen: Observed): Item[] {
  if (stage === "members")
    return seen.members.filter(({ deleting, deletionPolicy }) => !deleting || deletionPolicy !== "Orphan");
  if (stage === "policies") return seen.policies.filter(({ deleting }) => !deleting);
  return seen.applications.filter((one) => !one.deleting || keepsDependents(one) === "ToBeAsked");
}

function hasWebhooks({ admission, converts }: Observed): boolean {
  return admission.length > 0 || converts;
}

/** The state after a step, for printing steps. */
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
    default:
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

/** With Drain a policy that is set stays: the objects are gone by then. */
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
