import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import { type Cell } from "../tables/index.ts";
import type { Debounce } from "./debounce.ts";
import { newProgress, type ObjectProgress } from "./progressEvents.ts";

/** What is remembered between two writes of one object's status. */
export interface Tracked extends Debounce {
  /** Monotonic milliseconds at which the change began that is being carried out, for the propagation metric. */
  propagating: number | undefined;
  /** What tells the last change from another one. */
  change: string | undefined;
  /** Something has changed since the status was computed last. */
  changed: boolean;
  /** Monotonic milliseconds at which everything of an object that is being deleted was first seen gone. */
  goneAt: number | undefined;
  /** A member object that is not yet as its row says; undefined when none was found. */
  open: Cell | undefined;
  readonly progress: ObjectProgress;
}

export function newTracked(): Tracked {
  return {
    plannedAt: undefined,
    movedAt: undefined,
    saysReady: false,
    propagating: undefined,
    change: undefined,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    earlierWriteAt: Number.NEGATIVE_INFINITY,
    changedAt: 0,
    changed: false,
    goneAt: undefined,
    open: undefined,
    progress: newProgress(),
  };
}

/** Whether people who wait for the object take it for ready as it is asked for now: another plan for the same generation makes that untrue. */
export function saysReady({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && (ready.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
