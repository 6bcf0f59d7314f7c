/** What the client half of the runtime gives to others; re-exported by index.ts. */
export { objectPath } from "./apiPaths.ts";
export { createClient, type ClientOptions } from "./client.ts";
export { type Clock, steadyTime, systemClock } from "./clock.ts";
export type { ClusterConfig, Credentials } from "./credentials/types.ts";
export { kubeconfigContexts, loadHubConfig } from "./credentials/hubConfig.ts";
export { clusterConfigFromKubeconfig, parseKubeconfig, serverOfKubeconfig } from "./credentials/kubeconfig.ts";
export { kubeconfigFor } from "./credentials/kubeconfigWriter.ts";
export { requestToken } from "./credentials/tokenRequest.ts";
export { Discovery } from "./discovery.ts";
export { groupVersionsIn } from "./discoveryDocuments.ts";
export * from "./errors.ts";
export { type Bounds, DEFAULT_BOUNDS, listAll, listPages } from "./pages.ts";
export { checkedPrometheus, Prometheus, type PrometheusConfig } from "./prometheus.ts";
export * from "./resources.ts";
export { ServerHistory } from "./serverHistory.ts";
export type * from "./types.ts";
