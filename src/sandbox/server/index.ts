/**
 * The API server of the sandbox: from a request on a loopback port, or from a controller in the same process, to the store and back.
 * It promises the answers of kube-apiserver for what Meridian and its users ask: the same codes, the same words, the same objects, the same events.
 * It decides nothing that belongs to a kind, a schema or a role, keeps no object outside the store, and never serves beyond the
 * loopback address.
 */
export { ApiServer, type Incoming, type Outgoing } from "./serve/index.ts";
export { ServiceAccountTokens } from "./request/index.ts";
