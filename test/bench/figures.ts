import type { Requests } from "./requests.ts";
import type { StatusLatency } from "./statusChanges.ts";

/** What a run of the bench found: the shape of its JSON. */

export interface FloorFigures {
  /** The applies on the members alone. */
  membersSeconds: number;
  /** With what cannot be avoided on the hub. */
  fullSeconds: number;
  /** Changing all images: the applies alone. */
  updateMembersSeconds: number;
  /** With what cannot be avoided on the hub. */
  updateSeconds: number;
}

export interface RolloutFigures {
  /** Until the last status says so. */
  wallSeconds: number;
  /** Until the last member is right. */
  membersSeconds: number;
  ratioMembersFloor: number;
  ratioFullFloor: number;
  /** By Meridian, without leases and events. */
  hubWritesPerApp: number;
  /** With the one write of the bench. */
  hubRequestsPerAppInclCreate: number;
  memberWritesPerAppMember: number;
  eventsPerApp: number;
  p50Ms: number;
  p99Ms: number;
}

/** One time that everything was created and updated, and the floors of the same minutes. */
export interface RoundFigures {
  floors: FloorFigures;
  create: RolloutFigures;
  update: RolloutFigures;
}

export interface UsageFigures {
  /** At the end of the first update. */
  rssMiB: number;
  /** From the first create to the end of the first update. */
  cpuSeconds: number;
}

export interface StatusFigures extends StatusLatency {
  hubWritesPerChange: number;
}

export interface RestartFigures {
  hubWrites: number;
  memberWrites: number;
  /** From the start of the process until an application that was changed meanwhile is right on all members. */
  seconds: number;
  /** Until it was ready. */
  readySeconds: number;
  /** From SIGTERM until the process had ended. */
  stopSeconds: number;
}

export interface Figures extends RoundFigures, UsageFigures {
  apps: number;
  members: number;
  /** All of them, in order; what stands beside them is of the one in the middle. */
  rounds: RoundFigures[];
  status5: StatusFigures;
  status200: StatusFigures;
  /** The same changes, carried to the hub by a bare relay instead of Meridian. */
  status200Floor: StatusFigures;
  restart: RestartFigures;
  delete: { wallSeconds: number; left: number };
  /** Over one minute, at the begin of each phase. */
  loadAverage: Record<string, number>;
  requests: Record<string, Requests>;
}
