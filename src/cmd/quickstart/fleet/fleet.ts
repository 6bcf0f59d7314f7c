import { allOf } from "../../shared/index.ts";
import type { FaultPlan } from "./faultPlan.ts";
import type { FleetKind } from "./folder.ts";

export interface FleetCluster {
  name: string;
  /** Region of a member. */
  region?: string;
  zone?: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfigFile: string;
  /**
   * Breaks the cluster, or repairs it without a plan. Resolves with a sentence about what the cluster does not support.
   * Absent where Meridian may not break the cluster.
   */
  setFault?: (plan: FaultPlan | undefined) => Promise<string | undefined>;
}

/** Disposal stops what the quickstart started. */
export interface QuickstartFleet extends AsyncDisposable {
  kind: FleetKind;
  hub: FleetCluster;
  members: readonly FleetCluster[];
}

export interface FleetRequest {
  /** One member for each. */
  regions: readonly string[];
  /** Ports by cluster name; the hub's name is `hub`. */
  ports: Readonly<Record<string, number>>;
  /** True if the state must survive for the next run. */
  kept: boolean;
  /** Folder for the state of a cluster. */
  folderOf: (cluster: string) => string;
  kubeconfigFileOf: (cluster: string) => string;
  /** Writes a file that holds secrets. */
  write: (file: string, text: string) => Promise<void>;
  say: (line: string) => void;
  signal: AbortSignal;
}

export const HUB = "hub";

/** Waits for all clusters, so that no started cluster is left behind when another cannot start. */
export async function startAll(
  { regions }: FleetRequest,
  start: (name: string) => Promise<FleetCluster>,
): Promise<Pick<QuickstartFleet, "hub" | "members">> {
  const [hub, ...started] = await allOf([start(HUB), ...regions.map(start)]);
  // The zone looks like a cloud's.
  const members = started.map((member) => ({ ...member, region: member.name, zone: `${member.name}-a` }));
  return { hub, members };
}
