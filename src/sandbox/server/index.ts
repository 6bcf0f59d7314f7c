/**
 * The API server of the sandbox: takes requests from a loopback port, or from a controller in the same process, to the
 * store and back. Promises the answers of kube-apiserver to the requests of Meridian and its users: the same codes,
 * texts, objects and events. Contains no rules of a kind, a schema or a role, keeps no object outside the store, and
 * never serves beyond the loopback address.
 */
export { ApiServer, type Incoming, type Outgoing } from "./serve/index.ts";
export { ServiceAccountTokens } from "./request/index.ts";
