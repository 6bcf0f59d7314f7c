import type { KubeObject } from "../../types.ts";
import { DoesNotFit } from "./check.ts";
import { type Comparison, compareObjects } from "./compare.ts";
import { ApplyConflicts, type FieldConflicts } from "./conflicts.ts";
import {
  containsAll,
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  type Managers,
  type Owned,
  type ResetFields,
  union,
} from "../sets/index.ts";
import { mergeObjects } from "./merge.ts";
import { fieldsOfObject, withNamedFields } from "./ownedFields.ts";
import { reconcileWithType } from "./reconcile.ts";
import { removeFields } from "./remove.ts";
import type { Typed, Versions } from "./versions.ts";

/** Facts about the resource that an update and an apply both need. */
export interface Context {
  versions: Versions;
  /** The fields that a write resets, as seen by entries in that version. */
  resetFields: (apiVersion: string) => ResetFields;
}

/** A manager's identity, and its entry without the set. */
export interface Self {
  id: string;
  entry: Omit<Owned, "set">;
}

/**
 * Ownership after an update from `live` to `next`. Changed fields leave all other managers, and removed fields have no
 * owner. Changes `managers`. Returns the fields that the writer gained; undefined when the write changed nothing.
 */
export function ownAfterUpdate(live: Typed, next: Typed, managers: Managers, context: Context): FieldSet | undefined {
  reconcile(live, managers, context);
  const { modified, added } = settle(live, next, managers, undefined, true, context);
  const set = context.resetFields(next.object.apiVersion)(union(modified, added));
  return isEmpty(set) ? undefined : set;
}

/**
 * Merges a configuration into `live` for the manager `self`. Removes fields that the configuration no longer names and
 * nobody else owns. Throws {@link ApplyConflicts} for fields of others unless forced. Changes `managers`. Returns
 * `live` itself if no value changes.
 */
export function applyOver(
  live: Typed,
  config: Typed,
  managers: Managers,
  self: Self,
  force: boolean,
  context: Context,
): Typed {
  reconcile(live, managers, context);
  const merged = typed(mergeObjects(live.object, config.object, live.type), live);
  const last = managers.get(self.id);
  const fields = fieldsOfObject(config.object, config.type);
  const set = context.resetFields(config.object.apiVersion)(fields);
  managers.set(self.id, { ...self.entry, ...timeOf(last), set });
  // A manager that applies everything it applied before drops nothing.
  const drops = last !== undefined && !(last.apiVersion === self.entry.apiVersion && containsAll(set, last.set));
  const pruned = drops ? prune(merged, last, managers, self.entry.apiVersion, context) : merged;
  settle(live, pruned, managers, self.id, force, context);
  return pruned;
}

function timeOf(owned: Owned | undefined): { time?: string } {
  return owned?.time === undefined ? {} : { time: owned.time };
}

function typed(value: unknown, like: Typed): Typed {
  return { object: value as KubeObject, type: like.type };
}

/** Reads all entries by the current schemas, and drops entries of versions that no longer exist. */
function reconcile(live: Typed, managers: Managers, { versions }: Context): void {
  for (const [id, owned] of managers.entries()) {
    const type = owned.apiVersion === live.object.apiVersion ? live.type : versions.typeOf(owned.apiVersion);
    if (type === undefined) {
      managers.delete(id);
      continue;
    }
    const set = reconcileWithType(owned.set, type);
    if (set !== owned.set) managers.set(id, { ...owned, set });
  }
}

/** Removes changed and deleted fields from all managers but `self`, each in the version of its entry. */
function settle(
  live: Typed,
  next: Typed,
  managers: Managers,
  self: string | undefined,
  force: boolean,
  context: Context,
): Comparison {
  const own = compareIn(live, next, context);
  const comparisons = new Map([[next.object.apiVersion, own]]);
  const taken = new Map<string, FieldSet>();
  for (const [id, { set, apiVersion }] of managers.entries()) {
    if (id === self) continue;
    let comparison = comparisons.get(apiVersion);
    if (comparison === undefined) {
      const before = context.versions.to(live, apiVersion);
      const after = context.versions.to(next, apiVersion);
      if (before === undefined || after === undefined) {
        managers.delete(id);
        continue;
      }
      comparisons.set(apiVersion, (comparison = compareIn(before, after, context)));
    }
    const lost = intersection(set, union(comparison.modified, comparison.added));
    if (!isEmpty(lost)) taken.set(id, lost);
  }
  if (!force && taken.size > 0) throw new ApplyConflicts(conflictsOf(taken, managers));
  for (const [id, owned] of managers.entries()) {
    const lost = taken.get(id);
    let set = lost === undefined ? owned.set : difference(owned.set, lost);
    const removed = id === self ? undefined : comparisons.get(owned.apiVersion)?.removed;
    if (removed !== undefined) set = difference(set, removed);
    if (isEmpty(set)) managers.delete(id);
    else if (set !== owned.set) managers.set(id, { ...owned, set });
  }
  return own;
}

function compareIn(before: Typed, after: Typed, { resetFields }: Context): Comparison {
  const { removed, modified, added } = compareObjects(before.object, after.object, after.type);
  const kept = resetFields(after.object.apiVersion);
  return { removed: kept(removed), modified: kept(modified), added: kept(added) };
}

function conflictsOf(taken: ReadonlyMap<string, FieldSet>, managers: Managers): FieldConflicts[] {
  return [...taken].map(([id, set]) => ({ id, owner: managers.get(id) as Owned, set }));
}

/**
 * Removes what the manager applied last time but not this time, unless somebody else owns it. Unowned fields inside a
 * dropped item go with the item; fields of an updater, and fields that nobody ever applied, stay.
 */
function prune(merged: Typed, last: Owned, managers: Managers, apiVersion: string, context: Context): Typed {
  const { versions } = context;
  const inLast = versions.to(merged, last.apiVersion);
  if (inLast === undefined) return merged;
  const dropped = withNamedFields(last.set, inLast.type);
  let pruned = typed(removeFields(inLast.object, dropped, inLast.type), inLast);
  pruned = addBackOwned(inLast, pruned, managers, last.apiVersion, context);
  pruned = addBackForeign(inLast, pruned, dropped, context);
  return versions.to(pruned, apiVersion) ?? merged;
}

/** Adds to a refusal the version in which the object does not fit. */
function inVersion(versions: Versions, object: Typed, apiVersion: string): Typed | undefined {
  try {
    return versions.to(object, apiVersion);
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error;
    const at = `failed to convert merged object at version ${apiVersion}`;
    throw new DoesNotFit(`failed to prune fields: failed add back owned items: ${at}: ${error.message}`);
  }
}

/**
 * Restores removed fields that any manager owns, the applier's new configuration included, version by version and
 * starting with the version of the pruning.
 */
function addBackOwned(
  merged: Typed,
  pruned: Typed,
  managers: Managers,
  prunedVersion: string,
  { versions }: Context,
): Typed {
  const owned = new Map<string, FieldSet>();
  for (const [, { apiVersion, set }] of managers.entries())
    owned.set(apiVersion, union(owned.get(apiVersion) ?? {}, set));
  const first = [...owned.keys()].sort((a, b) => Number(b === prunedVersion) - Number(a === prunedVersion));
  let whole = merged;
  let rest = pruned;
  for (const apiVersion of first) {
    const wholeThere = inVersion(versions, whole, apiVersion);
    const restThere = versions.to(rest, apiVersion);
    if (wholeThere === undefined || restThere === undefined) continue;
    const { type } = wholeThere;
    const all = withNamedFields(fieldsOfObject(wholeThere.object, type), type);
    const kept = withNamedFields(fieldsOfObject(restThere.object, type), type);
    const held = withNamedFields(owned.get(apiVersion) ?? {}, type);
    whole = wholeThere;
    rest = typed(removeFields(whole.object, difference(all, union(kept, held)), type), whole);
  }
  return rest;
}

/** Restores removed fields that the applier had not applied last time, because only those were its own to remove. */
function addBackForeign(merged: Typed, pruned: Typed, last: FieldSet, { versions }: Context): Typed {
  const inLast = versions.to(pruned, merged.object.apiVersion);
  if (inLast === undefined) return merged;
  const { type } = merged;
  const kept = withNamedFields(fieldsOfObject(inLast.object, type), type);
  const all = withNamedFields(fieldsOfObject(merged.object, type), type);
  return typed(removeFields(merged.object, intersection(difference(all, kept), last), type), merged);
}
