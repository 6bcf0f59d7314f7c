/**
 * Get, list and watch.
 *
 * Promises: a watch goes on from a resourceVersion without a gap, or says that it is too old.
 */
export { type Form, listIn, objectIn } from "./forms.ts";
export { checkReached, type ListAnswer, listObjects } from "./list.ts";
export { selectionOf } from "./selection.ts";
export { Watches, type WatchSink } from "./watch.ts";
