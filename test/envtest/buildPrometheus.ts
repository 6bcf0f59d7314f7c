/** Builds promtool, prometheus or both into the cache, where the tests of metrics and alerts find them from then on. */
import { AssetsUnavailableError } from "../../src/cmd/realClusters/index.ts";
import { isPrometheusProgram, prometheusBuilt } from "./prometheus.ts";

try {
  for (const name of process.argv.slice(2).filter(isPrometheusProgram))
    console.log(`${name} is ${await prometheusBuilt(name)}`);
} catch (error) {
  if (!(error instanceof AssetsUnavailableError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
