import { kindKeyOf } from "../../apis/index.ts";
import {
  assembleSnapshot,
  type ClusterDifference,
  copyDifferences,
  type Explanation,
  type ObservedCopy,
  type ResolvedNeeds,
} from "../../desiredstate/index.ts";
import { explained } from "../../status/index.ts";
import type { CopySources } from "../facts/index.ts";
import { declaredOf, resolvedOf } from "./plan/index.ts";

export type DecisionSources = Pick<
  CopySources,
  "hub" | "hubState" | "dependencies" | "states" | "assignments" | "observations"
>;

/** The planner's decisions about objects, for readers. Nothing is changed or asked for. */
export class Decisions {
  readonly #sources: DecisionSources;

  constructor(sources: DecisionSources) {
    this.#sources = sources;
  }

  /** Undefined if this manager does not plan the object, or does not know yet what the object depends on. */
  explain(owner: string): Explanation | undefined {
    const { hub, hubState, states } = this.#sources;
    const found = hub.object(owner);
    const state = states.get(owner);
    if (found === undefined || state?.plan?.ours !== true) return undefined;
    // Only a planned object has its dependencies watched. A deletion has let go of them, and watches none again.
    const resolved: ResolvedNeeds | undefined =
      state.life === "Placing"
        ? resolvedOf(this.#sources, owner, found)
        : { ...declaredOf(this.#sources, owner, found), dependencies: new Map() };
    if (resolved === undefined) return undefined;
    return explained(assembleSnapshot(hubState, found.object, resolved), hub.now());
  }

  /** By cluster. Empty if this manager does not plan the object. */
  differences(owner: string): ClusterDifference[] {
    const plan = this.#sources.states.planOf(owner);
    return plan?.ours === true ? copyDifferences(plan.target, this.#copiesOf(owner)) : [];
  }

  *#copiesOf(owner: string): Iterable<ObservedCopy> {
    const { assignments, observations } = this.#sources;
    for (const { cluster, key, ref, rows } of assignments.of(owner))
      yield {
        ...{ cluster, ref, row: rows.get(owner), observation: observations.get(cluster, key) },
        isKnown: observations.knows(cluster, [kindKeyOf(ref)]),
      };
  }
}
