import type { FaultPlan } from "./faultPlan.ts";
import type { FleetKind } from "./folder.ts";

/** One cluster of the quickstart, in a sandbox, as a real control plane, or given by the person. */
export interface FleetCluster {
  name: string;
  /** Region of a member. */
  region?: string;
  zone?: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfigFile: string;
  /**
   * Breaks the cluster, or repairs it when `plan` is undefined. Resolves with a sentence about faults that the cluster
   * does not support. Absent where Meridian may not break the cluster.
   */
  setFault?: (plan: FaultPlan | undefined) => Promise<string | undefined>;
}

/** A hub and its members. Disposal stops the clusters that the quickstart started. */
export interface QuickstartFleet extends AsyncDisposable {
  kind: FleetKind;
  hub: FleetCluster;
  members: readonly FleetCluster[];
}

/** Request to start clusters. */
export interface FleetRequest {
  /** Regions of the members, one member for each. */
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
  /** Called with each step that takes long. */
  say: (line: string) => void;
  signal: AbortSignal;
}

export const HUB = "hub";

/** Zone of a region. One zone is enough for a sandbox; its name looks like a cloud's zone. */
export function zoneOf(region: string): string {
  return `${region}-a`;
}
