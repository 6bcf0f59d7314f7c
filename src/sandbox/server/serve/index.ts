/**
 * The HTTP server, and the same server for callers in this process.
 *
 * Promises: both take the same path through the verbs.
 */
export { ApiServer } from "./apiServer.ts";
export { type Incoming, type Outgoing } from "./exchange.ts";
