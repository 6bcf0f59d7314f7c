import type { OwnerRef } from "../../apis/index.ts";
import { type HubState, isCustom, leavingOf, type Observation } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Assignments, ObservationChange, Observations } from "../tables/index.ts";
import type { ObjectStates } from "../states/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { DependencyWatches } from "./dependencies.ts";
import type { MissingOwners } from "./missingOwners.ts";
import type { PlanningProgress } from "./planningProgress.ts";

export interface CopySources {
  hub: HubCache;
  assignments: Assignments;
  observations: Observations;
  states: ObjectStates;
  dependencies: DependencyWatches;
  progress: PlanningProgress;
  classes: ControllerClasses;
  missing: MissingOwners;
  hubState: HubState;
}

/** The hub objects that these member objects name as owner, one for each UID. */
export function ownersNamedBy(copies: readonly Observation[]): OwnerRef[] {
  const owners = new Map<string, OwnerRef>();
  for (const { present } of copies) if (present?.owner !== undefined) owners.set(present.owner.uid, present.owner);
  return [...owners.values()];
}

/** True if a custom object, for which bundles may wait, is gone from a draining cluster. */
export function freesBundles({ hub }: Pick<CopySources, "hub">, change: ObservationChange): boolean {
  const { cluster, ref, before, after } = change;
  if (before?.present === undefined || after?.present !== undefined || !isCustom(ref)) return false;
  const member = hub.clusters.get(cluster);
  return member !== undefined && leavingOf(member) === "Drain";
}
