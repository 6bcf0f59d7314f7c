import {
  defined,
  FIELD_MANAGER,
  type KubeObject,
  parseApiVersion,
  policyKey,
  type PolicyStatus,
  timestamp,
} from "../../apis/index.ts";
import type { HubCache, Policy } from "../../hub/index.ts";
import {
  apiVersionOf,
  type Client,
  type Clock,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  done,
  from,
  isNotFound,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type Reconciler,
  type ResourceType,
  type Result,
  type Source,
  TimeSlice,
} from "../../runtime/index.ts";
import { policyStatus } from "../../status/index.ts";
import { type Assignments, type ObservationChange, type Observations, refOfKey } from "../tables/index.ts";
import { type ObjectStates, policiesIn } from "../states/index.ts";
import type { ControllerClasses, Gates, PlanningProgress, RolloutSlots, StoppedRun } from "../facts/index.ts";
import type { PolicyProgress } from "../progress/index.ts";
import { type Outcome, PolicyTally } from "./policyOutcome.ts";
import { withoutEffect } from "./withoutEffect.ts";

const TYPES: Record<Policy["kind"], ResourceType> = {
  Placement: PLACEMENTS,
  ClusterPlacement: CLUSTERPLACEMENTS,
  OverridePolicy: OVERRIDEPOLICIES,
  ClusterOverridePolicy: CLUSTEROVERRIDEPOLICIES,
};

/** A thousand plans must not write the policy's status a thousand times. */
const DEBOUNCE_MS = 2_000;
/** Other members refuse the same patch a moment later. Short, since the author waits for the answer. */
const REFUSAL_DEBOUNCE_MS = 500;

export interface PolicyStatusReconcilerOptions {
  hub: HubCache;
  client: Client;
  clock: Clock;
  states: ObjectStates;
  classes: ControllerClasses;
  assignments: Pick<Assignments, "get">;
  observations: Observations;
  gates: Pick<Gates, "hasPrometheus">;
  places: Pick<RolloutSlots, "stoppedOf">;
  /** The matches of a policy are unknown before every object has been planned. */
  progress: PlanningProgress;
  /** The result of a changed policy is unknown before its objects have been planned with the change. */
  policyProgress: Pick<PolicyProgress, "isOpen" | "settled">;
}

/** Writes the status of each policy: the number of matched objects, their clusters, and the policy's error. */
export class PolicyStatusReconciler implements Reconciler {
  readonly #options: PolicyStatusReconcilerOptions;

  constructor(options: PolicyStatusReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, states, progress, policyProgress, observations } = this.#options;
    return [
      // Mostly our own status write. Without a delay, it would cause another write for every plan made meanwhile.
      from(hub.policyEvents).after(DEBOUNCE_MS),
      from(policyProgress.settled),
      from(hub.denials).map(() => this.keys()),
      // Policies may name clusters that no plan uses.
      from(hub.clusters)
        .when(({ type, initial }) => !initial && type !== "Updated")
        .map(() => this.keys())
        .after(DEBOUNCE_MS),
      from(states.planChanges)
        .when(() => progress.isComplete)
        .map(({ before, after }) => [...policiesIn(before), ...policiesIn(after)])
        .after(DEBOUNCE_MS),
      from(observations.changes)
        .when(() => progress.isComplete)
        .map((change) => this.#blamed(change))
        .after(REFUSAL_DEBOUNCE_MS),
      from(progress.advanced)
        .map(() => this.keys())
        .after(DEBOUNCE_MS),
      from(hub.catalog.settlements).map(() => this.keys()),
    ];
  }

  keys(): string[] {
    const { hub } = this.#options;
    return [...hub.allPlacements(), ...hub.allOverrides()].map((policy) => policyKey(policy));
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { client, clock, hub, classes, progress, gates } = this.#options;
    const found = hub.policy(key);
    if (found === undefined || !progress.isComplete || found.policy.metadata.deletionTimestamp !== undefined)
      return done;
    const { policy, informer } = found;
    if (!classes.isOurPolicy(policy) || this.#isOpen(policy)) return done;
    const facts = { clusters: hub.clusters, hasPrometheus: gates.hasPrometheus };
    const outcome = {
      ...withoutEffect(policy, facts),
      ...(await this.#outcome(policy)),
      ...ungrantedKinds(policy, hub),
      stoppedRollouts: this.#options.places.stoppedOf(key).map(stoppedRollout),
    };
    const status = policyStatus(
      { generation: policy.metadata.generation ?? 0, ...outcome, previous: policy.status },
      clock.now(),
    );
    if (status === policy.status) return done;
    const type = TYPES[policy.kind];
    const { namespace, name } = policy.metadata;
    const body: KubeObject = {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { ...defined({ namespace }), name },
      status,
    };
    try {
      informer.observe(await client.applyStatus(type, body, { force: true, fieldManager: FIELD_MANAGER, signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return done;
  }

  /** True if the present policy is not fully evaluated yet. The previous status then stays, with its generation. */
  #isOpen(policy: Policy): boolean {
    const { hub, policyProgress } = this.#options;
    const { catalog } = hub;
    return (
      policyProgress.isOpen(policyKey(policy)) ||
      policy.spec.resourceSelectors.some(
        (selector) =>
          hub.kindOf(selector)?.informer.synced === false ||
          (!catalog.settled && catalog.servingState(selector) === "Unknown"),
      )
    );
  }

  /** The policy's result from the present plans. Pauses, so that ten thousand plans do not block the event loop. */
  async #outcome(policy: Policy): Promise<Outcome> {
    const { states, clock, hub, observations } = this.#options;
    const slice = TimeSlice.of(clock);
    const tally = new PolicyTally(policy, observations);
    for (const owner of [...states.namedBy(policyKey(policy))]) {
      while (slice.spent) await slice.next();
      const target = states.planOf(owner)?.target;
      if (target !== undefined) tally.add(target);
    }
    return tally.outcome(hub.catalog);
  }

  /** Keys of the overrides of objects that a member has begun or stopped to refuse. */
  *#blamed({ before, after, key, cluster }: ObservationChange): Iterable<string> {
    const { states, assignments } = this.#options;
    if (before?.failure === after?.failure) return;
    for (const owner of assignments.get(cluster, key)?.rows.keys() ?? []) {
      const { overrides = [], dependencyOverrides = [] } = states.planOf(owner)?.target ?? {};
      for (const policy of [...overrides, ...dependencyOverrides.map((one) => one.policy)]) yield policyKey(policy);
    }
  }
}

function stoppedRollout({ owner, since, yieldsAt }: StoppedRun): NonNullable<PolicyStatus["stoppedRollouts"]>[number] {
  const { kind, namespace, name } = refOfKey(owner);
  const where = namespace === undefined ? {} : { namespace };
  return { kind, ...where, name, since: timestamp(since), yieldsAt: timestamp(yieldsAt) };
}

/** Kinds that the policy selects and that the manager may not read on the hub, as `plural.group`. */
function ungrantedKinds(policy: Policy, hub: Pick<HubCache, "deniedKinds">): { ungranted?: string[] } {
  const ungranted: string[] = [];
  for (const { group, kind, plural } of hub.deniedKinds()) {
    const isSelected = policy.spec.resourceSelectors.some(
      (selector) => selector.kind === kind && parseApiVersion(selector.apiVersion).group === group,
    );
    if (isSelected) ungranted.push(group === "" ? plural : `${plural}.${group}`);
  }
  return ungranted.length === 0 ? {} : { ungranted: ungranted.toSorted() };
}
