/**
 * Kubeconfigs, tokens, certificates and exec plugins: how a client proves who it is.
 *
 * Promises: no credential stands in an error or a log.
 */
export { addressOf, guardedLookup, hostOf } from "./address.ts";
export { kubeconfigContexts, loadHubConfig } from "./hubConfig.ts";
export { clusterConfigFromKubeconfig, parseKubeconfig, serverOfKubeconfig } from "./kubeconfig.ts";
export { kubeconfigFor } from "./kubeconfigWriter.ts";
export { staticCredentials, tokenFileCredentials } from "./providers.ts";
export { requestToken } from "./tokenRequest.ts";
