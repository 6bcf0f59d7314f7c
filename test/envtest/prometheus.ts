import { type GoProgram, programBuilt, programHere } from "./goProgram.ts";

const MODULE = "github.com/prometheus/prometheus";

/** Both are of one module, so that the rules are checked by the release that carries them out. */
const SHARED = {
  source: "prometheus",
  module: MODULE,
  // Rules and metrics are checked without the clients of twenty clouds.
  tags: ["remove_all_sd"],
  ldflags: (versionOf: (module: string) => string) => [
    `-X github.com/prometheus/common/version.Version=${versionOf(MODULE)}`,
  ],
};

const PROGRAMS = {
  promtool: {
    ...SHARED,
    name: "promtool",
    variable: "PROMTOOL",
    package: `${MODULE}/cmd/promtool`,
    neededBy: "The checks of metrics and alerts",
    buildTime: "a minute or two",
  },
  prometheus: {
    ...SHARED,
    name: "prometheus",
    variable: "PROMETHEUS",
    package: `${MODULE}/cmd/prometheus`,
    neededBy: "The tests that see alerts fire",
    buildTime: "two minutes",
  },
} satisfies Record<string, GoProgram>;

export type PrometheusProgram = keyof typeof PROGRAMS;

export function isPrometheusProgram(name: string): name is PrometheusProgram {
  return Object.hasOwn(PROGRAMS, name);
}

/** Path of the program that the machine has, if it has one. */
export async function prometheusHere(
  name: PrometheusProgram,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  return programHere(PROGRAMS[name], env);
}

/** As {@link prometheusHere}, built with Go where the machine has none. */
export async function prometheusBuilt(name: PrometheusProgram, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return programBuilt(PROGRAMS[name], env);
}
