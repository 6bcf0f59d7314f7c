import { changedFacts } from "../../hub/index.ts";
import { from, merged, type Source } from "../../runtime/index.ts";
import {
  changedCommand,
  type CopySources,
  freesBundles,
  type Gates,
  type HubNamespaces,
  type RolloutSlots,
} from "../facts/index.ts";
import type { PolicyProgress } from "../progress/index.ts";
import type { Capacities } from "../states/index.ts";
import type { ObservationChange } from "../tables/index.ts";
import {
  affectedBy,
  changedContent,
  changedFinished,
  changedHealthClocks,
  changedRecord,
  isNews,
  isRelevant,
  leavesClusters,
  ownersToReplan,
  relevantAmong,
} from "./plan/index.ts";
import type { OrphaningDeletions } from "./ends/index.ts";

/** The sources of planning. An object is planned again when one of its inputs has changed, or when a wait may be over. */

export interface PlanningSources extends CopySources {
  namespaces: HubNamespaces;
  policyProgress: PolicyProgress;
  orphaning: OrphaningDeletions;
  capacities: Capacities;
  gates: Gates;
  places: RolloutSlots;
}

/** The object itself: its content, and what people and reports wrote into its record. */
export function objectChanges(sources: PlanningSources): Source {
  const { hub, states, observations, classes, orphaning } = sources;
  const relevant = { hub, states, observations };
  return merged(
    orphaning.noting(hub),
    from(hub.objectEvents)
      .when((event) => isRelevant(relevant, event))
      .when((event) => isNews({ classes }, event) || changedContent(event)),
    from(hub.statuses.events).when(
      (event) =>
        changedCommand(event) ||
        changedHealthClocks(event) ||
        changedFinished(event) ||
        // A cluster without copies has gone from the record: the rows that confirmed the absence are not needed any more.
        (states.waits.has(event.key, "hubSync") && changedRecord(event)),
    ),
  );
}

/** Policies, kinds, clusters and namespaces: each may concern many objects. */
export function settingChanges({ hub, states, observations, namespaces, policyProgress }: PlanningSources): Source {
  const relevant = { hub, states, observations };
  return merged(
    ...policyProgress.sources(),
    from(hub.clusters)
      .when((event) => !event.initial && changedFacts(event))
      .map((event) => affectedBy(hub, states, event)),
    from(hub.rescaled).map((type) => relevantAmong(relevant, hub.ownersOf(type))),
    from(namespaces.changes).map((namespace) => relevantAmong(relevant, namespaces.ownersIn(namespace))),
  );
}

/** Objects of the hub that the object needs. */
export function dependencyChanges({ dependencies }: PlanningSources): Source {
  return from(dependencies.changes);
}

/** Reports of copies. `debounceMs`: how long reports of an object are gathered. */
export function copyChanges(
  { assignments, observations, states }: PlanningSources,
  debounceMs: (owner: string | undefined) => number | undefined,
): Source {
  const isWaiting = (owner: string): boolean => states.waits.has(owner, "contact");
  return merged(
    from(observations.changes)
      .map((change) => ownersToReplan(assignments, isWaiting, change))
      .after(({ named }: ObservationChange) => debounceMs(named.after ?? named.before)),
    from(assignments.departures).when((owner) => states.waits.has(owner, "hubSync")),
  );
}

/** The ends of waits. */
export function waitEnds(sources: PlanningSources): Source {
  const { hub, states, observations, progress, classes, missing, dependencies, capacities, gates, places } = sources;
  const { waits } = states;
  const hubSync = (): string[] => waits.for("hubSync");
  const others = (): string[] => waits.for("others");
  return merged(
    from(observations.contacts).map((cluster) => waits.for("contact", cluster)),
    from(capacities.changes).map((cluster) => waits.for("capacity", cluster)),
    from(gates.changes),
    from(places.changes),
    // Caches, held deletions and the owners of copies decide about every removal.
    from(hub.clusters)
      .when((event) => !event.initial && changedFacts(event))
      .map(hubSync),
    from(hub.holds).map(hubSync),
    from(hub.syncs).map(hubSync),
    from(hub.kindDeletions.changes).map(hubSync),
    from(missing.changes).map(hubSync),
    from(progress.advanced).map(hubSync),
    from(classes.othersChanged).map(hubSync),
    from(dependencies.releases).map(others),
    from(observations.changes)
      .when((change) => freesBundles({ hub }, change))
      .map(others),
    from(states.planChanges).when(leavesClusters).map(others),
  );
}
