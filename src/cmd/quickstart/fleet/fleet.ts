import type { FaultPlan } from "./faultPlan.ts";
import type { FleetKind } from "./folder.ts";

/** One cluster of the quickstart, whoever runs it. */
export interface FleetCluster {
  name: string;
  /** Of a member. */
  region?: string;
  zone?: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfigFile: string;
  /**
   * Breaks it, or mends it when undefined. Resolves with what it cannot do, as a sentence; absent where the cluster is not ours to
   * break.
   */
  setFault?: (plan: FaultPlan | undefined) => Promise<string | undefined>;
}

/** A hub and its members. Disposal ends those that the quickstart started. */
export interface QuickstartFleet extends AsyncDisposable {
  kind: FleetKind;
  hub: FleetCluster;
  members: readonly FleetCluster[];
}

/** What is asked of those who start clusters. */
export interface FleetRequest {
  /** A member for each. */
  regions: readonly string[];
  /** Of the hub, under the name `hub`, and of the members. */
  ports: Readonly<Record<string, number>>;
  /** The state is to be there the next time. */
  kept: boolean;
  /** For the state of the cluster of that name. */
  folderOf: (cluster: string) => string;
  kubeconfigFileOf: (cluster: string) => string;
  /** Writes a file that holds secrets. */
  write: (file: string, text: string) => Promise<void>;
  /** Called with what takes long. */
  say: (line: string) => void;
  signal: AbortSignal;
}

export const HUB = "hub";

/** One zone is enough for a sandbox; its name looks like those of the clouds. */
export function zoneOf(region: string): string {
  return `${region}-a`;
}
