import {
  type KubeObject,
  type ObjectRef,
  type OwnerRef,
  parseApiVersion,
  type PlacementSpec,
  protectedChange,
  shortMessage,
} from "../apis/index.ts";
import { memberKindOf } from "../interpreter/index.ts";
import { applyRules, type MatchedRule } from "../override/index.ts";
import type { PropagatedDependencies } from "./dependencies.ts";
import { mark, withControllerReference, withDependenciesHash } from "./marks.ts";
import { withoutRetained } from "./retain.ts";
import { isSameRef } from "./rows.ts";
import type { DesiredObject, Why } from "./types.ts";

/** What clusters have in common that differ in nothing: one rendering for all of them. */
export interface Variant {
  /** In the order of application: dependencies first, which the hub itself does not get. */
  objects: readonly DesiredObject[];
  replicas: number | undefined;
  problem: Why | undefined;
}

export interface VariantOptions {
  base: readonly KubeObject[];
  owner: OwnerRef;
  ownerText: string;
  hubId: string;
  dependencies: Pick<PropagatedDependencies, "objects" | "hash">;
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
  readonly #variants = new Map<readonly MatchedRule[], Map<string, Variant>>();
  /** Marked objects by what they were before: what no rule touches is the same object on every cluster. */
  readonly #marked = { local: new Map<KubeObject, DesiredObject>(), member: new Map<KubeObject, DesiredObject>() };

  constructor(options: VariantOptions) {
    this.#options = options;
  }

  /** `rules`: the same list for clusters on which the same rules apply. */
  render(rules: readonly MatchedRule[], of: VariantOf): Variant {
    let variants = this.#variants.get(rules);
    if (variants === undefined) this.#variants.set(rules, (variants = new Map()));
    const key = `${of.local ? "local" : "member"} ${of.replicas ?? ""} ${of.fixed ? "fixed" : ""}`;
    let variant = variants.get(key);
    if (variant === undefined) variants.set(key, (variant = this.#make(rules, of)));
    return variant;
  }

  #make(rules: readonly MatchedRule[], { replicas, fixed, local }: VariantOf): Variant {
    const { base, dependencies } = this.#options;
    // Shares first, so that a patch which speaks of replicas still has the last word over division.
    const shared = replicas === undefined ? base : base.map((object) => withReplicas(object, replicas));
    const overridden = applyRules(shared, rules);
    const changed = firstProtectedChange(shared, overridden.objects);
    const objects = changed === undefined ? overridden.objects : [...shared];
    const asked = fixed ? replicas : overridden.replicas;
    const final = asked === undefined ? objects : objects.map((object) => withReplicas(object, asked));
    const rendered = final.map((object) => this.#mark(object, local));
    return {
      objects: local ? rendered.filter(({ ref }) => !this.#isOwner(ref)) : [...dependencies.objects, ...rendered],
      replicas: replicasOf(final),
      problem: problemOf(overridden.problem, changed),
    };
  }

  /** A kind that is propagated as it is would be applied onto itself on the hub. */
  #isOwner(ref: ObjectRef): boolean {
    return isSameRef(ref, this.#options.owner);
  }

  #mark(object: KubeObject, local: boolean): DesiredObject {
    const marked = local ? this.#marked.local : this.#marked.member;
    let known = marked.get(object);
    if (known === undefined) {
      const { owner, ownerText, hubId, dependencies, retain } = this.#options;
      const [rest = object] = withoutRetained([object], retain);
      const rolled = withDependenciesHash(rest, dependencies.hash);
      const owned = local ? withControllerReference(rolled, owner) : rolled;
      known = { ...mark(owned, "rendered", hubId, ownerText), ...(rest === object ? {} : { unretained: object }) };
      marked.set(object, known);
    }
    return known;
  }
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

/** A second line behind the checks of the overrides themselves. */
function firstProtectedChange(before: readonly KubeObject[], after: readonly KubeObject[]): string | undefined {
  if (before.length !== after.length) return "the number of objects";
  for (const [index, was] of before.entries()) {
    const is = after[index];
    const changed = is === was ? undefined : protectedChange(was, is);
    if (changed !== undefined) return changed;
  }
  return undefined;
}

function problemOf(problem: ReturnType<typeof applyRules>["problem"], changed: string | undefined): Why | undefined {
  if (problem !== undefined) {
    const { policy, rule, reason, message } = problem;
    return { reason, message: shortMessage(`${policy.kind} ${policy.name}, rule ${rule}: ${message}`) };
  }
  if (changed === undefined) return undefined;
  return { reason: "ProtectedField", message: shortMessage(`an override may not change ${changed}`) };
}
