/**
 * Workqueue, sources and the loop that reconciles keys.
 *
 * Promises: a key is reconciled by one worker at a time; a failure comes back with backoff, and nothing is dropped.
 */
export {
  Controller,
  done,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  TerminalError,
} from "./controller.ts";
export { Emitter, type Enqueue, from, type Source } from "./sources.ts";
export { Workqueue } from "./workqueue.ts";
