import { InvalidArgumentError } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import { duration, type OptionsOf, parseClusterName, parseLabelValue, verb } from "../shared/index.ts";

export interface GivenMember {
  name: string;
  /** Path. */
  kubeconfig: string;
  /** Undefined: the region of its node labels, or a region of the sample. */
  region?: string;
}

export interface GivenClusters {
  /** Path of a kubeconfig. */
  hub: string;
  members: GivenMember[];
}

export const DEFAULT_REGIONS = 4;

export const quickstart = verb({
  name: "quickstart",
  summary: "starts a hub and a member for each region on this machine, and runs the sample application there",
  flags: (command) =>
    command
      .option("--regions <count>", "number of regions, of the 12 regions of placements/ (default: 4)", parseRegions)
      .option(
        "--dir <folder>",
        "keep the state in this folder, and continue from it the next time (default: a temporary folder)",
      )
      .option("--once", "exit as soon as everything is Available, with the status on standard output", false)
      .option("--json", "with --once: the status as JSON", false)
      .addOption(duration("--timeout <duration>", "how long --once waits", "120s"))
      .option(
        "--port <first>",
        "port of the hub; members and metrics take the ports that follow (default: free ports)",
        parseBasePort,
      )
      .option("--real", "run etcd, kube-apiserver and kube-controller-manager instead of the sandbox", false)
      .option("--keep", "leave everything when it stops: the temporary folder, or the objects on your clusters", false)
      .addHelpText(
        "after",
        `
For clusters that you have already (kind, k3d), --kubeconfig names the hub and each member; @REGION chooses a region:
  meridian quickstart --kubeconfig hub=hub.yaml,m1=m1.yaml,m2@eu-central-1=m2.yaml
When quickstart stops, it removes its objects from these clusters, unless --dir or --keep is given. KUBECONFIG is not used.`,
      ),
  options({ kubeconfig, context, ...options }) {
    if (context !== undefined)
      throw new InvalidArgumentError(
        "--context has no meaning for quickstart, which uses the current-context of each kubeconfig: leave --context out",
      );
    if (options.json && !options.once) throw new InvalidArgumentError("--json needs --once: give --once as well");
    const clash = [
      options.real && "--real",
      options.regions !== undefined && "--regions",
      options.port !== undefined && "--port",
    ].find((flag) => flag !== false);
    if (kubeconfig !== undefined && clash !== undefined)
      throw new InvalidArgumentError(
        `${clash} is for clusters that quickstart starts, --kubeconfig for clusters that you have: leave one of them out`,
      );
    /** Existing clusters to use instead of starting clusters. */
    const given = kubeconfig === undefined ? undefined : parseGivenClusters(kubeconfig);
    return { ...options, ...defined({ given }) };
  },
});
export type QuickstartOptions = OptionsOf<typeof quickstart>;

/** Reads `hub=FILE,m1=FILE,m2@eu-central-1=FILE`. */
function parseGivenClusters(text: string): GivenClusters {
  const shape = "--kubeconfig of quickstart looks like hub=FILE,m1=FILE,m2@eu-central-1=FILE";
  let hub: string | undefined;
  const members: GivenMember[] = [];
  for (const part of text.split(",")) {
    const equals = part.indexOf("=");
    const [who, kubeconfig] = [part.slice(0, equals), part.slice(equals + 1)];
    if (equals < 1 || kubeconfig === "") throw new InvalidArgumentError(`${shape}; "${part}" is not NAME=FILE`);
    if (who === "hub") {
      if (hub !== undefined) throw new InvalidArgumentError(`${shape}; the hub is named twice`);
      hub = kubeconfig;
      continue;
    }
    const [name = "", region] = who.split("@", 2);
    if (members.some((member) => member.name === name))
      throw new InvalidArgumentError(`${shape}; ${name} is named twice`);
    members.push({
      name: parseClusterName(name),
      kubeconfig,
      ...defined({ region: region === undefined ? undefined : parseLabelValue(region) }),
    });
  }
  if (hub === undefined) throw new InvalidArgumentError(`${shape}; the hub is missing`);
  if (members.length === 0) throw new InvalidArgumentError(`${shape}; a member is missing`);
  return { hub, members };
}

function parseRegions(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError("The value is a number, 1 or more.");
  return count;
}

function parseBasePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_000)
    throw new InvalidArgumentError("A first port is a number between 1 and 65000.");
  return port;
}
