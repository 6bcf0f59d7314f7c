import { defined } from "../../apis/index.ts";
import type { StatusStore } from "../../hub/index.ts";
import type { EventSink, Following, Metrics, Recoveries, Tracer } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  type ReconcileContext,
  type Reconciler,
  type Result,
  type Source,
  waking,
} from "../../runtime/index.ts";
import { type CopySources, type EvictionPace, type HubNamespaces, PendingMembers } from "../facts/index.ts";
import type { DelayedWarnings, PolicyProgress } from "../progress/index.ts";
import { type Capacities, followingOf } from "../states/index.ts";
import { logFieldsOf, spanAttributes } from "../tables/index.ts";
import { Deleting, ObjectEnds, OrphaningDeletions } from "./ends/index.ts";
import { awaitsMembers, RowPlanner } from "./plan/index.ts";
import { Placing } from "./placing.ts";
import {
  copyChanges,
  dependencyChanges,
  objectChanges,
  type PlanningSources,
  settingChanges,
  waitEnds,
} from "./planningSources.ts";
import { RolloutStep, type RolloutStepSources } from "./rollout/index.ts";

export interface PlacementReconcilerOptions
  extends CopySources, Pick<RolloutStepSources, "revisions" | "gates" | "places" | "approversProvenSince"> {
  /** Asks before each write whether this process still leads. */
  client: Client;
  store: Pick<StatusStore, "record" | "decide" | "bind" | "unbind">;
  policyProgress: PolicyProgress;
  namespaces: HubNamespaces;
  capacities: Capacities;
  pace: EvictionPace;
  clock: Clock;
  metrics: Metrics;
  tracer: Tracer;
  events: EventSink;
  recoveries: Recoveries;
  warnings: Pick<DelayedWarnings, "warn">;
}

/**
 * Plans one hub object: takes a snapshot of all that the plan depends on, and writes rows to the assignments. An object
 * that is being deleted, or is gone, is planned like any other: its rows say what happens to its copies.
 */
export class PlacementReconciler implements Reconciler {
  readonly #options: PlacementReconcilerOptions;
  readonly #sources: PlanningSources;
  readonly #placing: Placing;
  readonly #deleting: Deleting;
  readonly #ends: ObjectEnds;

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
    const { hub, hubState, assignments, observations, states, client, clock, events, metrics } = options;
    const { revisions, gates, places, approversProvenSince, dependencies, progress, classes, missing } = options;
    const copies = { hub, hubState, assignments, observations, states, dependencies, progress, classes, missing };
    const orphaning = new OrphaningDeletions({ client, states });
    const { policyProgress, namespaces, capacities } = options;
    this.#sources = { ...copies, policyProgress, namespaces, capacities, orphaning, gates, places };
    const rolloutStep = new RolloutStep({
      ...{ hub, observations, states, events, metrics, revisions, gates, places },
      ...defined({ approversProvenSince }),
    });
    const rows = new RowPlanner({ hubState, assignments, states, now: () => hub.now() });
    this.#ends = new ObjectEnds({ ...copies, metrics, rolloutStep });
    const shared = { ...copies, client, clock, events, rolloutStep, rows, ends: this.#ends };
    const { store, recoveries, tracer, warnings, pace } = options;
    const pendingMembers = new PendingMembers({ hub, observations });
    this.#placing = new Placing({ ...shared, store, namespaces, pace, metrics, tracer, warnings, pendingMembers });
    this.#deleting = new Deleting({ ...shared, store, recoveries, orphaning });
  }

  sources(): Source[] {
    return [
      objectChanges(this.#sources),
      settingChanges(this.#sources),
      dependencyChanges(this.#sources),
      waking(copyChanges(this.#sources, (owner) => this.#deleting.debounceMs(owner))),
      waking(waitEnds(this.#sources)),
    ];
  }

  follows(owner: string): Following | undefined {
    const { hub, states, clock } = this.#options;
    return followingOf({ hub, states, clock }, owner);
  }

  logFields(owner: string): Record<string, string | undefined> {
    return logFieldsOf(this.#options.hub, owner);
  }

  async reconcile(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { progress, policyProgress, dependencies, states } = this.#options;
    const policies = policyProgress.begin(owner);
    try {
      return await this.#plan(owner, signal, context);
    } finally {
      const isComing = signal.aborted || dependencies.areComing(owner) || awaitsMembers(states.waits.of(owner));
      if (!isComing) progress.failed(owner);
      policyProgress.end(owner, policies, isComing);
    }
  }

  async #plan(owner: string, signal: AbortSignal, context: ReconcileContext): Promise<Result> {
    const { hub, metrics, classes, states } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return await this.#deleting.cleanUp(owner, context, signal);
    const { object } = found;
    if (!hub.planned.includes(object)) return this.#ends.leave(owner, object, "Unplanned");
    metrics.reconciled(object.kind);
    context.span?.setAttributes(spanAttributes(owner, object));
    states.traces.ran(owner, context);
    states.update(owner, { isBacklog: context.class === "Backlog" });
    const ownership = classes.of(object);
    switch (ownership) {
      case "Foreign":
      case "Claimable":
      case "Yielded":
        return this.#ends.leave(owner, object, ownership);
      case "Yielding":
        return await this.#placing.run(owner, found, context, signal);
      case "Owned":
        return object.metadata.deletionTimestamp === undefined
          ? await this.#placing.run(owner, found, context, signal)
          : await this.#deleting.finalize(owner, found, context, signal);
    }
  }
}
