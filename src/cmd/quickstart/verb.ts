import { InvalidArgumentError } from "commander";
import type { LogLevel } from "../../observability/index.ts";
import { parseClusterName, parseLabelValue } from "../shared/index.ts";

/** A cluster that exists already. */
export interface GivenMember {
  name: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfig: string;
  /** Undefined: the region of its node labels, or a region of the sample. */
  region?: string;
}

export interface GivenClusters {
  /** Path of the hub's kubeconfig. */
  hub: string;
  members: GivenMember[];
}

/** Options of `meridian quickstart`. */
export interface QuickstartOptions {
  /** Log level of the manager's log file. */
  logLevel: LogLevel;
  /** Number of the sample's regions; undefined: four, or the regions that the folder has already. */
  regions?: number;
  /** Folder that keeps the state; undefined: a temporary folder. */
  dir?: string;
  /** Exits as soon as everything is Available. */
  once: boolean;
  /** With `once`: prints the status of the hub's objects as JSON. */
  json: boolean;
  /** Milliseconds that `once` waits for everything to be Available. */
  timeout: number;
  /** Port of the hub; the members and the manager take the following ports. */
  port?: number;
  /** Uses real control planes instead of the sandbox. */
  real: boolean;
  /** Keeps all created objects when the quickstart stops. */
  keep: boolean;
  /** Existing clusters to use instead of starting clusters. */
  given?: GivenClusters;
}

/** Default number of regions. */
export const DEFAULT_REGIONS = 4;

/** Flags of the command line, before they are checked together. */
export type QuickstartFlags = Omit<QuickstartOptions, "given"> & { kubeconfig?: string; context?: string };

/** Throws for options that contradict each other. */
export function quickstartOptions(flags: QuickstartFlags): QuickstartOptions {
  const { kubeconfig, context, ...options } = flags;
  if (context !== undefined)
    throw new InvalidArgumentError(
      "--context has no meaning for quickstart, which uses the current-context of each kubeconfig: leave --context out",
    );
  if (options.json && !options.once) throw new InvalidArgumentError("--json needs --once: give --once as well");
  if (kubeconfig === undefined) return options;
  const clash = [
    options.real && "--real",
    options.regions !== undefined && "--regions",
    options.port !== undefined && "--port",
  ].find((flag) => flag !== false);
  if (clash !== undefined)
    throw new InvalidArgumentError(
      `${clash} is for clusters that quickstart starts, --kubeconfig for clusters that you have: leave one of them out`,
    );
  return { ...options, given: parseGivenClusters(kubeconfig) };
}

/** Reads `hub=FILE,m1=FILE,m2@eu-central-1=FILE`. */
export function parseGivenClusters(text: string): GivenClusters {
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
      ...(region === undefined ? {} : { region: parseLabelValue(region) }),
    });
  }
  if (hub === undefined) throw new InvalidArgumentError(`${shape}; the hub is missing`);
  if (members.length === 0) throw new InvalidArgumentError(`${shape}; a member is missing`);
  return { hub, members };
}

/** Reads a number of regions. The maximum is checked later. */
export function parseRegions(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError("The value is a number, 1 or more.");
  return count;
}

/** Reads the first of several consecutive ports. */
export function parseBasePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_000)
    throw new InvalidArgumentError("A first port is a number between 1 and 65000.");
  return port;
}
