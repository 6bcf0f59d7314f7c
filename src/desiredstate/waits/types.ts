/**
 * Reasons for which an object waits:
 * - `contact`: news of a cluster: contact, or a report of the object's copies;
 * - `dependency`: an object that it needs is being read;
 * - `turn`: a slot among the rollouts of its policy;
 * - `gate`: the answer of a rollout's gate;
 * - `capacity`: the room of a cluster;
 * - `approval`: a person's approval or command;
 * - `hubSync`: the caches of the hub, or the first planning of other objects;
 * - `others`: other hub objects, or other managers;
 * - `window`: a time.
 */
export type WaitReason = (typeof WAIT_REASONS)[number];

export const WAIT_REASONS = [
  ...(["contact", "dependency", "turn", "gate", "capacity", "approval", "hubSync", "others", "window"] as const),
];

export interface WaitFor {
  for: WaitReason;
  /** Name of the cluster, namespace or rollout stage; absent: any of them. */
  of?: string;
  /** The end of the wait, whatever happens, in epoch milliseconds. */
  until?: number;
}

/** What a hub object waits for. */
export interface Wait extends WaitFor {
  /** Epoch milliseconds. */
  since: number;
}
