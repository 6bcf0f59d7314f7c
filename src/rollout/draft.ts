import { namesText, type RolloutStatus, timestamp } from "../apis/index.ts";
import type { PauseReason, RolloutCluster, RolloutClusterState, RolloutStage, RunState, Transition } from "./types.ts";

/**
 * A run while it is advanced. Changes are made in place and noted as transitions; `recheckAt` is the next moment at
 * which time alone changes something. Times are whole seconds, as in the status.
 */
export class Draft {
  readonly status: RolloutStatus;
  readonly transitions: Transition[] = [];
  readonly now: number;
  recheckAt = Number.POSITIVE_INFINITY;

  constructor(status: RolloutStatus, now: number) {
    this.status = structuredClone(status);
    this.now = now;
  }

  get revision(): number {
    return this.status.revision ?? 0;
  }

  get stages(): RolloutStage[] {
    return this.status.stages ?? [];
  }

  run(to: RunState, reason: PauseReason | "" = "", message?: string): void {
    const { status } = this;
    if (status.state !== to || (status.reason ?? "") !== reason) {
      this.#note({ of: "Run", from: status.state, to, ...(reason === "" ? {} : { reason }) });
      status.since = timestamp(this.now);
    }
    status.state = to;
    if (reason === "") delete status.reason;
    else status.reason = reason;
    if (message === undefined) delete status.message;
    else status.message = message;
  }

  stage(stage: RolloutStage, to: RolloutStage["state"]): void {
    if (stage.state === to) return;
    const reason = to === "Failed" ? failuresOf(stage) : "";
    const told = reason === "" ? {} : { reason };
    this.#note({ of: "Stage", name: stage.name, from: stage.state, to, ...told });
    stage.state = to;
  }

  cluster(cluster: RolloutCluster, to: RolloutClusterState, reason?: string): void {
    if (cluster.state !== to) {
      const told = reason === undefined ? {} : { reason };
      this.#note({ of: "Cluster", name: cluster.name, from: cluster.state, to, ...told });
      cluster.state = to;
      if (to === "Applying" || to === "Verifying" || to === "Deferred") cluster.since = timestamp(this.now);
      else delete cluster.since;
    }
    if (reason === undefined) delete cluster.reason;
    else cluster.reason = reason;
  }

  restartClock(cluster: RolloutCluster): void {
    cluster.since = timestamp(this.now);
  }

  /** The duration has passed since `since`; if not, its end is a time to recheck. */
  hasPassed(since: string | undefined, milliseconds: number): boolean {
    const due = Date.parse(since ?? timestamp(this.now)) + milliseconds;
    if (due <= this.now) return true;
    this.recheckAt = Math.min(this.recheckAt, due);
    return false;
  }

  #note(transition: Omit<Transition, "revision">): void {
    this.transitions.push({ ...transition, revision: this.revision });
  }
}

/** Failed clusters with their reasons, or else those that were not done in time. */
function failuresOf({ clusters = [] }: RolloutStage): string {
  const failed = clusters.filter(({ state }) => state === "Failed");
  const late = clusters.filter(({ state }) => state !== "Done" && state !== "Skipped");
  const named = (failed.length > 0 ? failed : late).map(({ name, state, reason = state }) => `${name}: ${reason}`);
  return namesText(named);
}
