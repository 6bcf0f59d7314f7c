import { type PodNeeds, podNeedsKey } from "../../interpreter/index.ts";
import type { ClusterRoom } from "../types.ts";
import { podsThatFit, type Room } from "./room.ts";

/** What was found out about a member's room, or why nothing was. */
export type RoomReading = { room: Room } | { reason: string; message: string; remedy?: string };

const known = new WeakMap<Room, Map<string, ClusterRoom>>();

/**
 * For pods with these needs: how many more fit on each cluster. No answer for a cluster of which there is no reading yet. Worked out when it is first
 * asked for, and once for all objects whose pods need the same.
 */
export function roomFor(
  needs: PodNeeds,
  readings: { get(cluster: string): RoomReading | undefined },
): { get(cluster: string): ClusterRoom | undefined } {
  const key = podNeedsKey(needs);
  return {
    get(cluster) {
      const reading = readings.get(cluster);
      if (reading === undefined || !("room" in reading)) return reading;
      const { room } = reading;
      let answers = known.get(room);
      if (answers === undefined) known.set(room, (answers = new Map()));
      let answer = answers.get(key);
      if (answer === undefined) answers.set(key, (answer = { fits: podsThatFit(room, needs) }));
      return answer;
    },
  };
}

/** Replicas of which nobody knows what they take up. */
export const NEEDS_UNKNOWN: ClusterRoom = {
  reason: "RoomUnknown",
  message: "the object has no pod template, so nobody knows what a replica takes up",
};
