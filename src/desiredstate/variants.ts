import { type KubeObject, type OwnerRef, parseApiVersion, type PlacementSpec } from "../apis/index.ts";
import { memberKindOf, shortMessage } from "../interpreter/index.ts";
import { applyRules, type MatchedRule } from "../override/index.ts";
import { mark, type Marked, protectedChange, withControllerReference, withDependenciesHash } from "./marks.ts";
import { withoutRetained } from "./retain.ts";
import type { ClusterPlan } from "./types.ts";

/** What clusters have in common that differ in nothing: one rendering for all of them. */
export interface Variant {
  objects: readonly Marked[];
  replicas: number | undefined;
  problem: ClusterPlan["problem"];
}

export interface VariantOptions {
  base: readonly KubeObject[];
  owner: OwnerRef;
  ownerText: string;
  hubId: string;
  dependenciesHash: string | undefined;
  retain: PlacementSpec["retain"];
}

export interface VariantOf {
  /** Share of the cluster; undefined leaves what the object says. */
  replicas: number | undefined;
  /** Overrides of replicas do not count: the cluster keeps what it has. */
  fixed: boolean;
  local: boolean;
}

/** Renders one object for any number of clusters, once for each way in which they differ. */
export class VariantRenderer {
  readonly #options: VariantOptions;
  readonly #variants = new Map<string, Variant>();
  /** Marked objects by what they were before: what no rule touches is the same object on every cluster. */
  readonly #marked = { local: new Map<KubeObject, Marked>(), member: new Map<KubeObject, Marked>() };

  constructor(options: VariantOptions) {
    this.#options = options;
  }

  render(rules: readonly MatchedRule[], { replicas, fixed, local }: VariantOf): Variant {
    let key = `${local ? "local" : "member"} ${replicas ?? ""} ${fixed ? "fixed" : ""}`;
    for (const { policy, index } of rules) key += ` ${policyKey(policy)}#${index}`;
    let variant = this.#variants.get(key);
    if (variant === undefined) this.#variants.set(key, (variant = this.#make(rules, { replicas, fixed, local })));
    return variant;
  }

  #make(rules: readonly MatchedRule[], { replicas, fixed, local }: VariantOf): Variant {
    const { base } = this.#options;
    // Shares first, so that a patch which speaks of replicas still has the last word over division.
    const shared = replicas === undefined ? base : base.map((object) => withReplicas(object, replicas));
    const overridden = applyRules(shared, rules);
    const changed = protectedChange(shared, overridden.objects);
    const objects = changed === undefined ? overridden.objects : [...shared];
    const asked = fixed ? replicas : overridden.replicas;
    const final = asked === undefined ? objects : objects.map((object) => withReplicas(object, asked));
    return {
      objects: final.map((object) => this.#mark(object, local)),
      replicas: replicasOf(final),
      problem: problemOf(overridden.problem, changed),
    };
  }

  #mark(object: KubeObject, local: boolean): Marked {
    const marked = local ? this.#marked.local : this.#marked.member;
    let known = marked.get(object);
    if (known === undefined) {
      const { owner, ownerText, hubId, dependenciesHash, retain } = this.#options;
      const [rest = object] = withoutRetained([object], retain);
      const rolled = withDependenciesHash(rest, dependenciesHash);
      const owned = local ? withControllerReference(rolled, owner) : rolled;
      known = { ...mark(owned, hubId, ownerText), ...(rest === object ? {} : { unretained: object }) };
      marked.set(object, known);
    }
    return known;
  }
}

export function policyKey({ kind, namespace, name }: MatchedRule["policy"]): string {
  return `${kind}/${namespace ?? ""}/${name}`;
}

function memberKind(object: KubeObject): ReturnType<typeof memberKindOf> {
  return memberKindOf(parseApiVersion(object.apiVersion).group, object.kind);
}

function withReplicas(object: KubeObject, replicas: number): KubeObject {
  const kind = memberKind(object);
  if (kind.withReplicas === undefined || kind.replicas?.(object) === replicas) return object;
  return kind.withReplicas(object, replicas);
}

/** Of all objects that have replicas; undefined when none has. */
function replicasOf(objects: readonly KubeObject[]): number | undefined {
  let sum: number | undefined;
  for (const object of objects) {
    const replicas = memberKind(object).replicas?.(object);
    if (replicas !== undefined) sum = (sum ?? 0) + replicas;
  }
  return sum;
}

function problemOf(
  problem: ReturnType<typeof applyRules>["problem"],
  changed: string | undefined,
): ClusterPlan["problem"] {
  if (problem !== undefined) {
    const { policy, rule, reason, message } = problem;
    return { reason, message: shortMessage(`${policy.kind} ${policy.name}, rule ${rule}: ${message}`) };
  }
  if (changed === undefined) return undefined;
  return { reason: "ProtectedField", message: shortMessage(`an override may not change ${changed}`) };
}
