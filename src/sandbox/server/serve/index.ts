/**
 * The HTTP server, and the same server for callers in this process.
 *
 * Promises: both ways go through the same verbs.
 */
export { ApiServer } from "./apiServer.ts";
export { type Incoming, type Outgoing } from "./exchange.ts";
