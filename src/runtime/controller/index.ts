/**
 * Workqueue, sources and the loop that reconciles keys.
 *
 * Promises: only one worker at a time reconciles a key; a failed key is retried with backoff (except after a
 * TerminalError); no key is lost.
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
export { type KeyClass, KeyOrder } from "./keyOrder.ts";
export { Emitter, type Enqueue, from, merged, type Source, waking } from "./sources.ts";
export { AdaptiveWorkers, DEFAULT_WORKERS, type WorkerLimit } from "./workers.ts";
export { Workqueue } from "./workqueue.ts";
