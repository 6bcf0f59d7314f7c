import type { RolloutPolicy } from "./types.ts";

/**
 * Whether another object's rollout may begin, where the policy bounds how many run at once: `running` of the `objects` that the policy places
 * are being rolled out. A bound, however small the share, lets one run.
 */
export function mayBegin({ maxObjects }: RolloutPolicy, running: number, objects: number): boolean {
  if (maxObjects === undefined) return true;
  if (typeof maxObjects === "number") return running < maxObjects;
  return running < Math.max(1, Math.floor((objects * Number.parseInt(maxObjects, 10)) / 100));
}
