import { type PodNeeds, podNeedsKey } from "../../interpreter/index.ts";
import type { ClusterHeadroom } from "../types.ts";
import { podsThatFit, type Headroom } from "./headroom.ts";

/** Measured room of a member, or why there is no measurement. */
export type CapacityReading = { room: Headroom } | { reason: string; message: string; remedy?: string };

const known = new WeakMap<Headroom, Map<string, ClusterHeadroom>>();

/**
 * Room for pods with these needs; undefined without a reading. Computed on first use, once for all objects with equal
 * needs.
 */
export function headroomFor(
  needs: PodNeeds,
  readings: { get(cluster: string): CapacityReading | undefined },
): { get(cluster: string): ClusterHeadroom | undefined } {
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
export const NEEDS_UNKNOWN: ClusterHeadroom = {
  reason: "RoomUnknown",
  message: "the object has no pod template, so nobody knows what a replica takes up",
};
