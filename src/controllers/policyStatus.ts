import { FIELD_MANAGER, type KubeObject, type OverridePolicy, type Placement } from "../apis/index.ts";
import type { Plan } from "../desiredstate/index.ts";
import {
  apiVersionOf,
  type Client,
  type Clock,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  done,
  type Informer,
  isNotFound,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
  type Result,
} from "../runtime/index.ts";
import { policyStatus } from "../status/index.ts";
import type { Hub } from "./hub.ts";

type Policy = Placement | OverridePolicy;

const TYPES: Record<Policy["kind"], ResourceType> = {
  Placement: PLACEMENTS,
  ClusterPlacement: CLUSTERPLACEMENTS,
  OverridePolicy: OVERRIDEPOLICIES,
  ClusterOverridePolicy: CLUSTEROVERRIDEPOLICIES,
};

export interface PolicyStatusReconcilerOptions {
  hub: Hub;
  client: Client;
  clock: Clock;
  /** Of every object, whoever carries it. */
  plans: () => Iterable<Plan>;
  /** Whether the policy's status is this manager's to write. */
  isOurs: (policy: Policy) => boolean;
  /** Before every object has been planned, nobody knows what a policy matches. */
  ready: () => boolean;
}

/** Key of a policy in workqueues: `Kind/namespace/name`. */
export function policyKey(policy: Policy): string {
  return `${policy.kind}/${policy.metadata.namespace ?? ""}/${policy.metadata.name}`;
}

/** Tells on each policy what it matches, where that runs, and what is wrong with it. */
export class PolicyStatusReconciler {
  readonly #options: PolicyStatusReconcilerOptions;

  constructor(options: PolicyStatusReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { client, clock, ready } = this.#options;
    const found = this.#find(key);
    if (found === undefined || !ready() || found.policy.metadata.deletionTimestamp !== undefined) return done;
    const { policy, informer } = found;
    if (!this.#options.isOurs(policy)) return done;
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

  #find(key: string): { policy: Policy; informer: Informer<Placement> | Informer<OverridePolicy> } | undefined {
    const [kind = "", namespace = "", name = ""] = key.split("/");
    const { placements, overrides } = this.#options.hub;
    const informers: Record<string, Informer<Placement> | Informer<OverridePolicy> | undefined> = {
      Placement: placements[0],
      ClusterPlacement: placements[1],
      OverridePolicy: overrides[0],
      ClusterOverridePolicy: overrides[1],
    };
    const informer = informers[kind];
    const policy = informer?.get(namespace === "" ? name : `${namespace}/${name}`);
    return informer === undefined || policy === undefined ? undefined : { policy, informer };
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
    for (const plan of this.#options.plans()) {
      if (!concerns(plan, policy, key)) continue;
      matched += 1;
      if (isPlacement(policy)) for (const note of plan.decision.notes ?? []) notes.add(note);
      const clusters = plan.clusters.map(({ name }) => name);
      const group = groups.get(clusters.join());
      if (group === undefined) groups.set(clusters.join(), { clusters, objects: 1 });
      else group.objects += 1;
      trouble ??= troubleOf(plan, policy);
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

function concerns(plan: Plan, policy: Policy, key: string): boolean {
  const named = isPlacement(policy) ? [plan.placement] : plan.overrides;
  return named.some((ref) => ref !== undefined && `${ref.kind}/${ref.namespace ?? ""}/${ref.name}` === key);
}

/** What is wrong that this policy's author can mend. */
function troubleOf(plan: Plan, policy: Policy): { reason: string; message: string } | undefined {
  if (!isPlacement(policy)) {
    const named = `${policy.kind} ${policy.metadata.name}, rule `;
    return plan.clusters.find(({ problem }) => problem?.message.startsWith(named) === true)?.problem;
  }
  const unknown = plan.decision.verdicts
    .filter(({ reason }) => reason === "UnknownCluster")
    .map(({ cluster }) => cluster);
  if (unknown.length > 0) return { reason: "UnknownCluster", message: `unknown cluster ${unknown.join(", ")}` };
  return plan.scheduled.status === "False" ? plan.scheduled : undefined;
}
