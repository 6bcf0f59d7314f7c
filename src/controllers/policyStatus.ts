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
} from "../runtime/index.ts";
import { policyStatus } from "../status/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { PlanningProgress } from "./planningProgress.ts";
import type { PlanChange, Plans } from "./plans.ts";

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
        .map(policiesOf)
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
    const status = policyStatus(
      { generation: policy.metadata.generation ?? 0, ...this.#outcome(policy), previous: policy.status },
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

  #outcome(policy: Policy): {
    matched: number;
    decisions: { clusters: string[]; objects: number }[];
    error?: string;
    reason?: string;
    notes?: string[];
  } {
    const key = policyKey(policy);
    const groups = new Map<string, { clusters: string[]; objects: number }>();
    let matched = 0;
    const notes = new Set<string>();
    let trouble: { reason: string; message: string } | undefined;
    for (const [, { target }] of this.#options.plans.entries()) {
      if (target === undefined || !policiesNamedIn(target).includes(key)) continue;
      matched += 1;
      if (isPlacement(policy)) for (const note of target.decision.notes ?? []) notes.add(note);
      const clusters = target.clusters.map(({ name }) => name);
      const group = groups.get(clusters.join());
      if (group === undefined) groups.set(clusters.join(), { clusters, objects: 1 });
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

/** Keys of the policies that a plan has named, or names now. */
function policiesOf({ before, after }: PlanChange): string[] {
  return [before?.target, after?.target].flatMap((target) => (target === undefined ? [] : policiesNamedIn(target)));
}

function policiesNamedIn({ placement, overrides }: Target): string[] {
  return [...(placement === undefined ? [] : [placement]), ...overrides].map((policy) => policyKey(policy));
}

/** What is wrong that this policy's author can mend. */
function troubleOf(target: Target, policy: Policy): { reason: string; message: string } | undefined {
  if (!isPlacement(policy)) {
    const named = `${policy.kind} ${policy.metadata.name}, rule `;
    return target.clusters.find(({ problem }) => problem?.message.startsWith(named) === true)?.problem;
  }
  const unknown = target.decision.verdicts
    .filter(({ reason }) => reason === "UnknownCluster")
    .map(({ cluster }) => cluster);
  if (unknown.length > 0) return { reason: "UnknownCluster", message: `unknown cluster ${unknown.join(", ")}` };
  return target.scheduled.status === "False" ? target.scheduled : undefined;
}
