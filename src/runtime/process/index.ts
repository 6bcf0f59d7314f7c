/**
 * What a process needs besides its controllers: leader election, health endpoints, shutdown.
 *
 * Promises: a leader stops before its Lease can be taken.
 */
export { LeaderElector } from "./leaderElection.ts";
export { serveHttp } from "./serving.ts";
export { signalContext } from "./shutdown.ts";
