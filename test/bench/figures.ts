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
  /** Deleting everything, on members and hub. */
  deleteSeconds: number;
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

export interface DeletionFigures {
  /** Until nothing is left anywhere. */
  wallSeconds: number;
  ratioFullFloor: number;
  /** By Meridian, without leases and events. */
  hubWritesPerApp: number;
  memberWritesPerAppMember: number;
}

/** One time that everything was created, updated and deleted, and the floors of the same minutes. */
export interface RoundFigures {
  floors: FloorFigures;
  create: RolloutFigures;
  update: RolloutFigures;
  delete: DeletionFigures;
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

/** The same of a manager, with what it spent: free of most of the noise that latencies have. */
export interface ManagerStatusFigures extends StatusFigures {
  cpuMsPerChange: number;
}

/** The same changes carried to the hub by a bare relay and by Meridian, at the highest rate that the relay keeps up with here. */
export interface StatusRateFigures {
  perSecond: number;
  /** Just before and just after each turn of Meridian. */
  relay: StatusFigures[];
  turns: ManagerStatusFigures[];
  /** The turn with the p99 in the middle. */
  meridian: ManagerStatusFigures;
  /** Meridian's p99 ÷ the relay's, each of the turn in the middle. */
  ratioP99: number;
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
  status5: ManagerStatusFigures;
  statusRate: StatusRateFigures;
  restart: RestartFigures;
  /** Objects left anywhere after everything was deleted in the end. */
  left: number;
  /** Over one minute, at the begin of each phase. */
  loadAverage: Record<string, number>;
  requests: Record<string, Requests>;
}
