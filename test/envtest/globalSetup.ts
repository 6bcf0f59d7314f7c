import { AssetsUnavailableError } from "../../src/cmd/realClusters/index.ts";
import { controlPlaneAssets } from "./assets.ts";
import { buildMeridian } from "./commands.ts";

/** Resolves or builds the programs once, before the first test: building them takes minutes and belongs to no test's time. */
export default async function setup(): Promise<void> {
  try {
    await controlPlaneAssets();
    await buildMeridian();
  } catch (error) {
    if (!(error instanceof AssetsUnavailableError)) throw error;
    // The sentence is the whole story; a stack trace of the test runner would bury it.
    process.stderr.write(`\n${error.message}\n\n`);
    process.exit(1);
  }
}
