/**
 * Server-side apply: compare, merge, conflicts, removal.
 *
 * Promises: the same end state, owners and conflicts as structured-merge-diff.
 */
export { checkValue, DoesNotFit } from "./check.ts";
export { ApplyConflicts } from "./conflicts.ts";
export { remainingConflicts, withLastApplied } from "./lastApplied.ts";
export { applyOver, type Context, ownAfterUpdate, type Self } from "./updater.ts";
export { type Typed, Versions } from "./versions.ts";
