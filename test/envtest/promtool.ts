import { type GoProgram, programBuilt, programHere } from "./goProgram.ts";

const MODULE = "github.com/prometheus/prometheus";

const PROMTOOL: GoProgram = {
  name: "promtool",
  variable: "PROMTOOL",
  module: MODULE,
  package: `${MODULE}/cmd/promtool`,
  neededBy: "The checks of metrics and alerts",
  buildTime: "a minute or two",
  // Rules and metrics are checked without the clients of twenty clouds.
  tags: ["remove_all_sd"],
  ldflags: (versionOf) => [`-X github.com/prometheus/common/version.Version=${versionOf(MODULE)}`],
};

/** Path of the promtool that the machine has, if it has one. */
export async function promtoolHere(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  return programHere(PROMTOOL, env);
}

/** As {@link promtoolHere}, built with Go where the machine has none. */
export async function promtoolBuilt(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return programBuilt(PROMTOOL, env);
}
