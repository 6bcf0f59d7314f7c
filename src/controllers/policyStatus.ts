import { FIELD_MANAGER, type KubeObject, type Placement, policyKey } from "../apis/index.ts";
import type { Target } from "../desiredstate/index.ts";
import { changedSpec, type HubCache, type Policy } from "../hub/index.ts";
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
} from "../runtime/index.ts";
import { policyStatus } from "../status/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { PlanningProgress } from "./planningProgress.ts";
import { policiesIn, type Plans } from "./plans.ts";

const TYPES: Record<Policy["kind"], ResourceType> = {
  Placement: PLACEMENTS,
  ClusterPlacement: CLUSTERPLACEMENTS,
  OverridePolicy: OVERRIDEPOLICIES,
  ClusterOverridePolicy: CLUSTEROVERRIDEPOLICIES,
};

/** One object's plan changes a policy's status little, and a thousand objects' plans change it a thousand times: so it is debounced. */
const DEBOUNCE_MS = 2_000;

export interface PolicyStatusReconcilerOptions {
  hub: HubCache;
  client: Client;
  clock: Clock;
  plans: Plans;
  classes: ControllerClasses;
  /** Before every object has been planned, nobody knows what a policy matches. */
  progress: PlanningProgress;
}

/** What the plans say of one policy. */
interface Outcome {
  matched: number;
  decisions: { clusters: string[]; objects: number }[];
  error?: string;
  reason?: string;
  notes?: string[];
}

/** Writes into the status of each policy which objects it matches, where they run, and the policy's error. */
export class PolicyStatusReconciler implements Reconciler {
  readonly #options: PolicyStatusReconcilerOptions;

  constructor(options: PolicyStatusReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, plans, progress } = this.#options;
    return [
      from(hub.policyEvents)
        // A change of the status alone is most often our own: answered at once, it would be written again with every plan made meanwhile.
        .after((event) => (changedSpec(event) ? undefined : DEBOUNCE_MS)),
      from(plans.changes)
        .when(() => progress.isComplete)
        .map(({ before, after }) => [...policiesIn(before), ...policiesIn(after)])
        .after(DEBOUNCE_MS),
      from(progress.advanced)
        .map(() => this.keys())
        .after(DEBOUNCE_MS),
    ];
  }

  /** Of every policy. */
  keys(): string[] {
    const { hub } = this.#options;
    return [...hub.allPlacements(), ...hub.allOverrides()].map((policy) => policyKey(policy));
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { client, clock, hub, classes, progress } = this.#options;
    const found = hub.policy(key);
    if (found === undefined || !progress.isComplete || found.policy.metadata.deletionTimestamp !== undefined)
      return done;
    const { policy, informer } = found;
    if (!classes.isOurPolicy(policy)) return done;
    const outcome = await this.#outcome(policy);
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
      metadata: { ...(namespace === undefined ? {} : { namespace }), name },
      status,
    };
    try {
      informer.observe(await client.applyStatus(type, body, { force: true, fieldManager: FIELD_MANAGER, signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return done;
  }

  /** What the plans say of the policy now; of ten thousand plans so many at a time as leave the event loop free. */
  async #outcome(policy: Policy): Promise<Outcome> {
    const { plans, clock } = this.#options;
    const slice = TimeSlice.of(clock);
    const groups = new Map<string, { clusters: string[]; objects: number }>();
    let matched = 0;
    const notes = new Set<string>();
    let trouble: { reason: string; message: string } | undefined;
    for (const owner of [...plans.namedBy(policyKey(policy))]) {
      while (slice.spent) await slice.next();
      const target = plans.get(owner)?.target;
      if (target === undefined) continue;
      // All that a placement decides about knows the same clusters.
      if (matched === 0 && isPlacement(policy)) trouble = unknownClusters(target);
      matched += 1;
      if (isPlacement(policy)) for (const note of target.decision.notes ?? []) notes.add(note);
      const clusters = target.clusters.map(({ name }) => name);
      const key = clusters.join();
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { clusters, objects: 1 });
      else group.objects += 1;
      trouble ??= troubleOf(target, policy);
    }
    return {
      matched,
      decisions: [...groups.values()],
      ...(notes.size === 0 ? {} : { notes: [...notes] }),
      ...(trouble === undefined ? {} : { error: trouble.message, reason: trouble.reason }),
    };
  }
}

function isPlacement(policy: Policy): policy is Placement {
  return policy.kind === "Placement" || policy.kind === "ClusterPlacement";
}

/** What is wrong that this policy's author can mend. */
function troubleOf(target: Target, policy: Policy): { reason: string; message: string } | undefined {
  if (isPlacement(policy)) return target.scheduled.status === "False" ? target.scheduled : undefined;
  const named = `${policy.kind} ${policy.metadata.name}, rule `;
  return target.clusters.find(({ problem }) => problem?.message.startsWith(named) === true)?.problem;
}

function unknownClusters({ decision }: Target): { reason: string; message: string } | undefined {
  const unknown = decision.verdicts.filter(({ reason }) => reason === "UnknownCluster").map(({ cluster }) => cluster);
  return unknown.length === 0
    ? undefined
    : { reason: "UnknownCluster", message: `unknown cluster ${unknown.join(", ")}` };
}
