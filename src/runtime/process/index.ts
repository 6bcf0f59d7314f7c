/**
 * Parts of a process besides its controllers: leader election, health endpoints, shutdown.
 *
 * Promises: a leader stops before another process can take its Lease.
 */
export { LeaderElector } from "./leaderElection.ts";
export { serveHttp } from "./serving.ts";
export { signalContext } from "./shutdown.ts";
