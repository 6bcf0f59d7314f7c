import { CommandFailure, type CommandOptions, type CommandResult, run } from "./commands.ts";
import { type GoProgram, programBuilt } from "./goProgram.ts";

const MODULE = "helm.sh/helm/v3";

const HELM: GoProgram = {
  name: "helm",
  variable: "HELM",
  module: MODULE,
  package: `${MODULE}/cmd/helm`,
  neededBy: "The tests of the chart",
  buildTime: "a minute",
  // Without them helm takes itself for v3 of Kubernetes 1.20, and refuses charts that need a newer one.
  ldflags(versionOf) {
    const [, minor = ""] = versionOf("k8s.io/client-go").slice(1).split(".");
    return [
      `-X ${MODULE}/internal/version.version=${versionOf(MODULE)}`,
      ...["chartutil", "lint/rules"].flatMap((of) => [
        `-X ${MODULE}/pkg/${of}.k8sVersionMajor=1`,
        `-X ${MODULE}/pkg/${of}.k8sVersionMinor=${minor}`,
      ]),
    ];
  },
};

let found: Promise<string> | undefined;

/** Path of the real helm, built with Go where the machine has none: see {@link programBuilt}. */
export function helmBinary(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return (found ??= programBuilt(HELM, env));
}

/** Runs the real helm to its end, whatever its exit code. Its state goes to no folder of the user's. */
export async function helm(args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const env = { ...(options.env ?? process.env), HELM_NO_PLUGINS: "1" };
  return run(await helmBinary(), args, { ...options, env });
}

/** As {@link helm}; throws {@link CommandFailure} unless it succeeds, and returns its standard output. */
export async function helmOk(args: string[], options: CommandOptions = {}): Promise<string> {
  const result = await helm(args, options);
  if (result.code !== 0) throw new CommandFailure(`helm ${args.join(" ")}`, result);
  return result.stdout;
}
