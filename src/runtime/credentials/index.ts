/** Kubeconfigs, tokens, certificates and exec plugins. No error and no log contains a credential. */
export { addressOf, guardedLookup, hostOf } from "./address.ts";
export { kubeconfigContexts, loadHubConfig } from "./hubConfig.ts";
export { clusterConfigFromKubeconfig, parseKubeconfig, serverOfKubeconfig } from "./kubeconfig.ts";
export { kubeconfigFor } from "./kubeconfigWriter.ts";
export { staticCredentials, tokenFileCredentials } from "./providers.ts";
export { requestToken } from "./tokenRequest.ts";
