/**
 * The query API over HTTP: Kubernetes lists, watches, tables and discovery, and server-sent events.
 *
 * Promises: every request is of a user whom the hub knows, and is answered with the rights that the hub gives this user;
 * what he may not read has no effect on an answer. No token is logged or sent to an address that is not proven. Requests,
 * watches and reviews are bounded for each user.
 */
export { followClientTrust, type ReadableKind } from "./access/index.ts";
export { Leader, LEADER_ADDRESS, type LeaderTrust } from "./leader.ts";
export { QueryServer, type QueryServerOptions } from "./server.ts";
export { QueryTls } from "./tls.ts";
