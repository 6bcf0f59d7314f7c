import {
  assembleRemovalFacts,
  copiesToPlan,
  type HubState,
  type Removal,
  type Row,
  step,
  type StepResult,
  type Target,
  type WaitFor,
  waitsOfRows,
} from "../../../desiredstate/index.ts";
import type { ReconcileContext } from "../../../runtime/index.ts";
import type { Assignments } from "../../tables/index.ts";
import type { ObjectStates } from "../../states/index.ts";
import type { ObjectRollout } from "../rollout/index.ts";

export interface RowPlannerOptions {
  hubState: HubState;
  assignments: Assignments;
  states: ObjectStates;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Turns decisions into rows, and hands the rows to the workers. */
export class RowPlanner {
  readonly #options: RowPlannerOptions;

  constructor(options: RowPlannerOptions) {
    this.#options = options;
  }

  /** The rows for the target, and for copies that the target does not ask for. */
  step(owner: string, target: Target | undefined, removal: Removal, rollout?: ObjectRollout): StepResult {
    const { hubState } = this.#options;
    const copies = copiesToPlan(hubState, owner, target);
    const facts = assembleRemovalFacts(hubState, copies, removal);
    return step({ target, ...rollout?.step, observations: copies, removal: facts });
  }

  /** Replaces the rows of the object, and the waits that follow from the rows. Returns the clusters with changed rows. */
  assign(
    owner: string,
    rows: readonly Row[],
    context: Pick<ReconcileContext, "origin" | "class">,
    waits: readonly WaitFor[] = [],
  ): ReadonlySet<string> {
    const { assignments, states, now } = this.#options;
    const changed = assignments.replace(owner, rows, {
      origin: context.origin,
      isBacklog: context.class === "Backlog",
    });
    const open = waitsOfRows(states.planOf(owner)?.target, rows);
    states.waits.set(owner, [...open, ...waits.filter((wait) => !open.some((one) => isSame(one, wait)))], now());
    return changed;
  }
}

function isSame(a: WaitFor, b: WaitFor): boolean {
  return a.for === b.for && a.of === b.of;
}
