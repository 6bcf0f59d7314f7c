/**
 * The core that every controller stands on, as client-go and controller-runtime are for Go: a client for one cluster, informers that
 * follow its objects, workqueues and controllers, leader election, and the manager's own HTTP server.
 *
 * Promises: a watch survives whatever a server does to it; a store never goes back in time; a key is never lost and never
 * worked on twice at once; a leader stops before its Lease can be taken. Time and randomness are injected.
 * Never decides what should be in a cluster, and never keeps a process-wide state.
 */
export { backoffDelay } from "./backoff.ts";
export * from "./clientSide.ts";
export {
  Controller,
  done,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  TerminalError,
} from "./controller.ts";
export { Informer } from "./informer.ts";
export { type InformerEvent, type InformerOptions, isMassVanishing } from "./informerTypes.ts";
export { compareResourceVersions, keyOf, objectKey } from "./keys.ts";
export { LeaderElector } from "./leaderElection.ts";
export { WentBackError } from "./reflector.ts";
export { serveHttp } from "./serving.ts";
export { signalContext } from "./shutdown.ts";
export type { Indexers } from "./store.ts";
export { Emitter, type Enqueue, from, type Source } from "./sources.ts";
export { Workqueue } from "./workqueue.ts";
export { TimeSlice } from "./timeSlice.ts";
export { withSignal } from "./withSignal.ts";
