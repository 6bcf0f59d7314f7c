import { PAAS_GROUP } from "./wellknown.ts";

/**
 * On a Namespace, set by the platform: the replicas its applications may ask for, such as `0-500`. Part of the
 * contract.
 */
export const REPLICA_BOUNDS_ANNOTATION = `${PAAS_GROUP}/replica-bounds`;

/** Ends included. */
export interface ReplicaBounds {
  least: number;
  most: number;
}

export const DEFAULT_REPLICA_BOUNDS: ReplicaBounds = { least: 1, most: 100 };

/** Undefined when the text is no valid range. */
export function parseReplicaBounds(text: string): ReplicaBounds | undefined {
  const [, least, most] = /^\s*(\d{1,4})\s*-\s*(\d{1,4})\s*$/.exec(text) ?? [];
  if (least === undefined || most === undefined || Number(least) > Number(most)) return undefined;
  return { least: Number(least), most: Number(most) };
}
