/**
 * Get, list and watch.
 *
 * Promises: a watch continues from a resourceVersion without a gap, or reports that the resourceVersion is too old.
 */
export { type Form, listIn, objectIn } from "./forms.ts";
export { checkReached, type ListAnswer, listObjects } from "./list.ts";
export { selectionOf } from "./selection.ts";
export { Watches, type WatchSink } from "./watch.ts";
