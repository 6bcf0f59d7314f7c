import { type KubeObject, policyKey, refKey, refOf } from "../../apis/index.ts";
import { assembleSnapshot, computeTarget, type Target } from "../../desiredstate/index.ts";
import type { PlannerHubState } from "../plan/index.ts";
import type { Finding } from "../shared/index.ts";
import type { Catalog } from "./catalog.ts";

/** Plans of the fleet with the files as if they were applied. Pure. */

/** An object of the files that a hub would take. */
export interface Subject {
  from: string;
  object: KubeObject;
}

export type Said = Omit<Finding, "where">;

export interface Planned {
  object: KubeObject;
  target: Target;
}

export interface Analysis {
  state: PlannerHubState;
  catalog: Catalog;
  /** By {@link refKey}; without objects that are being deleted. */
  planned: ReadonlyMap<string, Planned>;
  /** Those of `planned` by namespace. */
  inNamespace: ReadonlyMap<string, readonly Planned[]>;
  /** Keys of the policies in the files: their findings are not repeated for each object. */
  givenPolicies: ReadonlySet<string>;
  /** Epoch milliseconds. */
  now: number;
}

export function analysisOf(
  state: PlannerHubState,
  catalog: Catalog,
  subjects: readonly Subject[],
  now: number,
): Analysis {
  const planned = new Map<string, Planned>();
  for (const [key, object] of state.objects) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    planned.set(key, { object, target: targetOf(state, object, now) });
  }
  state.plan(new Map(Array.from(planned, ([key, { target }]) => [key, target])));
  const givenPolicies = new Set(subjects.map(({ object }) => policyKey(object)));
  const inNamespace = Map.groupBy(planned.values(), ({ object }) => object.metadata.namespace ?? "");
  return { state, catalog, planned, inNamespace, givenPolicies, now };
}

export function targetOf(state: PlannerHubState, object: KubeObject, now: number): Target {
  return computeTarget(assembleSnapshot(state, object, { dependencies: state.dependencies }), now);
}

export function plannedOf({ planned }: Analysis, object: KubeObject): Planned | undefined {
  return planned.get(refKey(refOf(object)));
}
