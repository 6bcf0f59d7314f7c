import * as realClusters from "../../src/cmd/realClusters/index.ts";

/** The programs of KUBEBUILDER_ASSETS, else those in the cache, built there when they are missing. */
export function controlPlaneAssets(env: NodeJS.ProcessEnv = process.env): Promise<realClusters.Assets> {
  return realClusters.controlPlaneAssets({ env, say: (line) => void process.stderr.write(`envtest: ${line}\n`) });
}
