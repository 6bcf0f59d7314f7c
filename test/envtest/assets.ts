import * as realClusters from "../../src/cmd/realClusters/index.ts";

/** The programs of KUBEBUILDER_ASSETS, else those in the cache, built there when they are missing. */
export function controlPlaneAssets(env: NodeJS.ProcessEnv = process.env): Promise<realClusters.Assets> {
  return realClusters.controlPlaneAssets({ env, say: (line) => void process.stderr.write(`envtest: ${line}\n`) });
}

/** The same for a suite that cannot run without them: ends the process with the sentence that says why they cannot be had. */
export async function requireControlPlaneAssets(): Promise<void> {
  try {
    await controlPlaneAssets();
  } catch (error) {
    if (!(error instanceof realClusters.AssetsUnavailableError)) throw error;
    // The sentence is the whole story; a stack trace of the test runner would bury it.
    process.stderr.write(`\n${error.message}\n\n`);
    process.exit(1);
  }
}
