import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import { type Cell } from "../tables/index.ts";
import type { Debounce } from "./debounce.ts";
import { newProgress, type ObjectProgress } from "./progressEvents.ts";

export interface Tracked extends Debounce {
  /** Start of the change that is being carried out, in monotonic milliseconds. For the propagation metric. */
  propagating: number | undefined;
  change: string | undefined;
  /** True if an input has changed since the status was last computed. */
  changed: boolean;
  /** Time at which all copies of a deleted object were first seen gone, in monotonic milliseconds. */
  goneAt: number | undefined;
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

/** True if the status reports the present generation as ready. */
export function saysReady({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && (ready.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
