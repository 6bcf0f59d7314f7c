import type { KubeObject } from "../../../apis/index.ts";
import { assembleSnapshot, computeTarget, copiesOf } from "../../../desiredstate/index.ts";
import type { Metrics } from "../../../observability/index.ts";
import { done, type Result } from "../../../runtime/index.ts";
import { type CopySources, keepHeld } from "../../facts/index.ts";
import { lifeOf } from "../../states/index.ts";
import type { RolloutStep } from "../rollout/index.ts";

export interface ObjectEndsOptions extends CopySources {
  metrics: Metrics;
  rolloutStep: RolloutStep;
}

const NOWHERE: ReadonlySet<string> = new Set();

/** The ends of planning for an object: others own it now, no policy plans it any more, or it is gone. */
export class ObjectEnds {
  readonly #options: ObjectEndsOptions;

  constructor(options: ObjectEndsOptions) {
    this.#options = options;
  }

  /** Withdraws all rows of an object that another class owns or that is not planned: its copies stay untouched. */
  leave(owner: string, object: KubeObject, ownership: "Foreign" | "Claimable" | "Yielded" | "Unplanned"): Result {
    const { hub, hubState, states, assignments, progress, dependencies, rolloutStep } = this.#options;
    states.update(owner, { life: "Foreign", finalization: undefined });
    states.waits.set(owner, [], 0);
    if (ownership !== "Claimable") dependencies.forget(owner);
    assignments.replace(owner, []);
    if (ownership === "Unplanned") return this.forget(owner);
    rolloutStep.forget(owner, object.metadata.uid);
    if (object.metadata.deletionTimestamp !== undefined) states.dropPlan(owner);
    else {
      const target = computeTarget(assembleSnapshot(hubState, object), hub.now());
      states.setPlan(owner, { ...lifeOf(object), target, remaining: NOWHERE, ours: false });
    }
    progress.planned(owner);
    return done;
  }

  /** Forgets an object that is gone from the hub or has no copies left. */
  forget(owner: string): Result {
    const { hub, hubState, states, assignments, dependencies, progress, metrics, classes, rolloutStep } = this.#options;
    const isOver = copiesOf(hubState, owner).length === 0;
    rolloutStep.forget(owner, states.planOf(owner)?.uid);
    states.update(owner, { life: "Gone", finalization: undefined });
    states.waits.set(owner, [], 0);
    dependencies.forget(owner);
    metrics.forgetObject(owner);
    if (!isOver) states.dropPlan(owner);
    else {
      states.update(owner, { deletionPolicy: undefined });
      if (!keepHeld({ hub, states, classes }, owner)) states.forget(owner);
      assignments.replace(owner, []);
    }
    progress.planned(owner);
    return done;
  }
}
