import { type PodNeeds, podNeedsKey } from "../../interpreter/index.ts";
import type { ClusterRoom } from "../types.ts";
import { podsThatFit, type Room } from "./headroom.ts";

/** Measured room of a member, or why there is no measurement. */
export type RoomReading = { room: Room } | { reason: string; message: string; remedy?: string };

const known = new WeakMap<Room, Map<string, ClusterRoom>>();

/**
 * Room on each cluster for pods with these needs; undefined for a cluster without a reading. Each answer is computed on
 * first use, once for all objects whose pods have the same needs.
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

/** Answer for replicas with unknown needs. */
export const NEEDS_UNKNOWN: ClusterRoom = {
  reason: "RoomUnknown",
  message: "the object has no pod template, so nobody knows what a replica takes up",
};
