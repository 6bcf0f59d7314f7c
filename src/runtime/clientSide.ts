/** What the client half of the runtime gives to others; re-exported by index.ts. */
export { createClient, type CallRecord, type ClientOptions } from "./client.ts";
export { type Clock, systemClock } from "./clock.ts";
export type { ClientCertificate, ClusterConfig, Credentials } from "./credentials/types.ts";
export { loadHubConfig, type HubConfigOptions } from "./credentials/hubConfig.ts";
export { clusterConfigFromKubeconfig, type KubeconfigOptions } from "./credentials/kubeconfig.ts";
export { kubeconfigFor } from "./credentials/kubeconfigWriter.ts";
export { requestToken, type RequestedToken, type TokenRequestOptions } from "./credentials/tokenRequest.ts";
export { Discovery } from "./discovery.ts";
export * from "./errors.ts";
export * from "./resources.ts";
export type * from "./types.ts";
