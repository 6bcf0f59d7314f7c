/**
 * The core that every controller stands on, as client-go and controller-runtime are for Go: a client for one cluster, informers that
 * follow its objects, workqueues and controllers, leader election, and the manager's own HTTP server.
 *
 * Promises: a watch survives whatever a server does to it; a store never goes back in time; a key is never lost and never
 * worked on twice at once; a leader stops before its Lease can be taken. Time and randomness are injected.
 * Never decides what should be in a cluster, and never keeps a process-wide state.
 */
export { backoffDelay } from "./core/backoff.ts";
export { objectPath } from "./client/apiPaths.ts";
export { createClient, type ClientOptions } from "./client/client.ts";
export { type Clock, steadyTime, systemClock } from "./core/clock.ts";
export type { ClusterConfig, Credentials } from "./credentials/types.ts";
export { kubeconfigContexts, loadHubConfig } from "./credentials/hubConfig.ts";
export { clusterConfigFromKubeconfig, parseKubeconfig, serverOfKubeconfig } from "./credentials/kubeconfig.ts";
export { kubeconfigFor } from "./credentials/kubeconfigWriter.ts";
export { requestToken } from "./credentials/tokenRequest.ts";
export { Discovery } from "./client/discovery.ts";
export { groupVersionsIn } from "./client/discoveryDocuments.ts";
export * from "./core/errors.ts";
export { type Bounds, DEFAULT_BOUNDS, listAll, listPages } from "./client/pages.ts";
export { checkedPrometheus, Prometheus, type PrometheusConfig } from "./client/prometheus.ts";
export * from "./client/resources.ts";
export { ServerHistory } from "./client/serverHistory.ts";
export type * from "./types.ts";
export {
  Controller,
  done,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  type Result,
  TerminalError,
} from "./controller/controller.ts";
export { Informer } from "./informer/informer.ts";
export { type InformerEvent, type InformerOptions, isMassVanishing } from "./informer/informerTypes.ts";
export { compareResourceVersions, keyOf, objectKey } from "./core/keys.ts";
export { LeaderElector } from "./process/leaderElection.ts";
export { WentBackError } from "./informer/reflector.ts";
export { serveHttp } from "./process/serving.ts";
export { signalContext } from "./process/shutdown.ts";
export type { Indexers } from "./informer/store.ts";
export { Emitter, type Enqueue, from, type Source } from "./controller/sources.ts";
export { Workqueue } from "./controller/workqueue.ts";
export { TimeSlice } from "./core/timeSlice.ts";
export { withSignal } from "./core/withSignal.ts";
