import {
  defined,
  type FieldsV1,
  type KubeObject,
  type Message,
  type ObjectRef,
  type OwnerRef,
  parseApiVersion,
  type PlacementSpec,
  prefixed,
  protectedChange,
  refKey,
} from "../../apis/index.ts";
import {
  memberKindOf,
  phaseOf,
  replicasAt,
  sameIn,
  type HubOwnedField,
  withAccountNames,
  withoutPath,
  withReplicasAt,
  withSecretData,
} from "../../interpreter/index.ts";
import { applyRules, type MatchedRule, type OverrideEffect } from "../../override/index.ts";
import type { PropagatedDependencies } from "./dependencies.ts";
import { judgeRendering, type NamespaceTerms, type Rendering } from "../podSecurity/index.ts";
import { isSameRef, mark, type Marking, withControllerReference, withDependenciesHash } from "../rows/index.ts";
import type { Runs } from "./finished.ts";
import { once } from "./once.ts";
import { effectOn } from "./overrideEffect.ts";
import { wrongReplicas } from "./patchedReplicas.ts";
import { withoutRetained } from "./retain.ts";
import { reportTermsOf } from "./reporting.ts";
import { judgeRights } from "./tenantRights.ts";
import { withoutDuplicatesIn } from "./duplicates.ts";
import type { DesiredObject, Problem, Why } from "../types.ts";

export interface Variant {
  /** In order of application: dependencies first. The hub itself gets no dependencies. */
  objects: readonly DesiredObject[];
  replicas: number | undefined;
  problem: Problem | undefined;
  /** Set if the sent form differs from the written one. */
  warning?: Why;
  /** Undefined if nothing is overridden or a rule failed. */
  overrides: OverrideEffect | undefined;
}

export interface VariantOptions {
  base: readonly KubeObject[];
  owner: OwnerRef;
  marking: Marking;
  dependencies: Pick<PropagatedDependencies, "objects" | "hash" | "refusal">;
  terms: NamespaceTerms;
  retain: PlacementSpec["retain"];
  /** Paths of pod templates that the kinds do not tell. */
  templates?: PlacementSpec["podTemplates"];
  reporting?: Pick<PlacementSpec, "health" | "aggregateStatus"> | undefined;
  /** Path of the replica field of an object that is sent as it is, if its kind does not tell the path. */
  replicaPath?: readonly string[] | undefined;
  /** Fields of the single object in `base` that nobody wrote. */
  unwritten?: FieldsV1 | undefined;
  /** Fields of the hub object that are missing in `base` and that copies keep. */
  hubOwned?: readonly HubOwnedField[] | undefined;
  problem?: Problem | undefined;
  inPhases?: true;
  runs?: Runs;
}

export interface VariantOf {
  /** The cluster's share of the replicas; undefined keeps the object's own number. */
  replicas: number | undefined;
  /** Overrides of replicas do not count, because the cluster keeps its present state. */
  fixed: boolean;
  local: boolean;
}

interface RulesInUse {
  hasPatches: boolean;
  byShare: Map<number | undefined, Applied>;
}

interface Applied {
  objects: readonly KubeObject[];
  replicas: number | undefined;
  problem: Problem | undefined;
  warning: Why | undefined;
  overrides: OverrideEffect | undefined;
  local: Map<number | undefined, Variant>;
  member: Map<number | undefined, Variant>;
}

type Apply = (rules: readonly MatchedRule[]) => ReturnType<typeof applyRules>;

/** Renders one object for any number of clusters, once for each difference between them. */
export class VariantRenderer {
  readonly #options: VariantOptions;
  readonly #rules = new Map<readonly MatchedRule[], Map<readonly MatchedRule[] | undefined, RulesInUse>>();
  /** Marked objects by their unmarked form, so that objects without overrides are shared by all clusters. */
  readonly #marked = {
    local: new Map<KubeObject, DesiredObject>(),
    member: new Map<KubeObject, DesiredObject>(),
    scaled: new Map<KubeObject, DesiredObject>(),
  };

  constructor(options: VariantOptions) {
    this.#options = options;
  }

  /** Pass the same lists for clusters with the same rules. `present`: the current cluster-scoped rules, for a revision. */
  render(
    rules: readonly MatchedRule[],
    { replicas, fixed, local }: VariantOf,
    present?: readonly MatchedRule[],
  ): Variant {
    const ofRules = once(this.#rules, rules, () => new Map<readonly MatchedRule[] | undefined, RulesInUse>());
    const inUse = once(ofRules, present, () => ({ hasPatches: hasPatches(rules), byShare: new Map() }));
    // A patch may change replicas and has the last word, so the share is set first. Other rules need no share.
    const { hasPatches: inTurn } = inUse;
    const share = inTurn ? replicas : undefined;
    const applied = once(inUse.byShare, share, () => this.#apply(rules, share, { inTurn, present }));
    const asked = fixed ? replicas : inTurn ? undefined : (applied.replicas ?? replicas);
    return once(local ? applied.local : applied.member, asked, () => this.#make(applied, asked, local));
  }

  #apply(
    rules: readonly MatchedRule[],
    share: number | undefined,
    { inTurn, present }: { inTurn: boolean; present: readonly MatchedRule[] | undefined },
  ): Applied {
    const { base, templates } = this.#options;
    const withReplicas = (object: KubeObject, count: number): KubeObject => this.#withReplicas(object, count);
    // applyRules caches results by array, and the same rules give another result with another share.
    const shared = inTurn ? base.map((object) => (share === undefined ? object : withReplicas(object, share))) : base;
    const apply: Apply = (some) => applyRules(shared, some, { templates, ...(inTurn ? { withReplicas } : {}) });
    // Rules that fail change nothing.
    const made = (some: readonly MatchedRule[]) => (): readonly KubeObject[] => {
      const result = apply(some);
      return result.problem === undefined ? result.objects : shared;
    };
    const { objects, replicas, problem } = apply(rules);
    const changed = firstProtectedChange(shared, objects);
    const miscounted = wrongReplicas(shared, rules, objects);
    const wrong =
      this.#options.problem ?? problemOf(problem ?? miscounted, changed) ?? this.#withoutReplicas(rules, objects);
    const after = (count: number): readonly KubeObject[] =>
      count === rules.length ? objects : apply(rules.slice(0, count)).objects;
    const refused = wrong ?? this.#judge({ base: shared, rules, after, ...(present && { present: made(present) }) });
    const sendable = withoutDuplicatesIn(
      ((changed ?? miscounted) === undefined ? objects : shared).map((one) => withSecretData(withAccountNames(one))),
      this.#options.inPhases === true,
    );
    return {
      objects: sendable.objects,
      replicas,
      problem: refused ?? sendable.problem,
      warning: sendable.warning,
      overrides: refused !== undefined || rules.length === 0 ? undefined : effectOn(rules, after),
      local: new Map(),
      member: new Map(),
    };
  }

  #judge(rendering: Rendering): Problem | undefined {
    const { owner, terms } = this.#options;
    return judgeRendering(rendering, `${owner.kind} ${owner.name}`, terms) ?? judgeRights(rendering);
  }

  #make({ objects, problem, warning, overrides }: Applied, asked: number | undefined, local: boolean): Variant {
    const { dependencies } = this.#options;
    const final = asked === undefined ? objects : objects.map((object) => this.#withReplicas(object, asked));
    const rendered = final.map((object) => this.#mark(object, local, asked !== undefined));
    return {
      objects: local ? rendered.filter(({ ref }) => !this.#isOwner(ref)) : [...dependencies.objects, ...rendered],
      replicas: this.#replicasOf(final),
      problem: problem ?? (local ? undefined : dependencies.refusal),
      ...defined({ warning }),
      overrides,
    };
  }

  #withReplicas(object: KubeObject, replicas: number): KubeObject {
    if (this.#replicasIn(object) === replicas) return object;
    const { replicaPath } = this.#options;
    if (replicaPath !== undefined) return withReplicasAt(object, replicaPath, replicas);
    return memberKind(object).withReplicas?.(object, replicas) ?? object;
  }

  #replicasIn(object: KubeObject): number | undefined {
    const { replicaPath } = this.#options;
    return replicaPath === undefined ? memberKind(object).replicas?.(object) : replicasAt(object, replicaPath);
  }

  #replicasOf(objects: readonly KubeObject[]): number | undefined {
    let sum: number | undefined;
    for (const object of objects) {
      const replicas = this.#replicasIn(object);
      if (replicas !== undefined) sum = (sum ?? 0) + replicas;
    }
    return sum;
  }

  /** Refuses a rule that sets replicas if no replica field is known. */
  #withoutReplicas(rules: readonly MatchedRule[], objects: readonly KubeObject[]): Problem | undefined {
    if (this.#options.replicaPath !== undefined || objects.length === 0) return undefined;
    const matched = rules.find(({ rule }) => rule.replicas !== undefined);
    if (matched === undefined || objects.some((object) => memberKind(object).withReplicas !== undefined))
      return undefined;
    const { policy, index } = matched;
    const message: Message = {
      subject: `${policy.kind} ${policy.name}, rule ${index}: `,
      what: "replicas: no field for them is known in",
      where: [...new Set(objects.map(({ kind }) => kind))],
      remedy: "set replicaScheduling.path of the Placement",
    };
    return { reason: "InvalidOverride", message, policy };
  }

  /** An object that is propagated as it is would be applied onto itself on the hub. */
  #isOwner(ref: ObjectRef): boolean {
    return isSameRef(ref, this.#options.owner);
  }

  /** Unwritten fields are known only for a single object in `base`, and only if its value is unchanged. */
  #unwrittenIn(object: KubeObject, isScaled: boolean): FieldsV1 | undefined {
    const { unwritten, base, replicaPath } = this.#options;
    const same = sameIn(unwritten, base[0], object);
    const path = replicaPath ?? memberKind(object).replicaPath;
    return isScaled && path !== undefined ? withoutPath(same, path) : same;
  }

  #mark(object: KubeObject, local: boolean, isScaled: boolean): DesiredObject {
    const isDecided = isScaled && this.#options.unwritten !== undefined;
    const marked = local ? this.#marked.local : isDecided ? this.#marked.scaled : this.#marked.member;
    return once(marked, object, () => {
      const { owner, marking, dependencies, retain, reporting, hubOwned } = this.#options;
      const [rest = object] = withoutRetained([object], retain);
      const rolled = withDependenciesHash(rest, dependencies.hash);
      const owned = local ? withControllerReference(rolled, owner) : rolled;
      const desired =
        this.#options.inPhases === true ? markedInPhase(owned, marking) : mark(owned, "rendered", marking);
      const unwritten = this.#unwrittenIn(rest, isScaled);
      const terms = reportTermsOf(object, reporting, this.#isOwner(desired.ref));
      const run = this.#options.runs?.get(refKey(desired.ref))?.hash;
      const unretained = rest === object ? undefined : object;
      return { ...desired, ...defined({ run, unretained, unwritten, hubOwned, reporting: terms }) };
    });
  }
}

const inPhases = new WeakMap<KubeObject, { marking: string; desired: DesiredObject }>();

/** Cached, because a bundle may hold megabytes and is planned again whenever a cluster is added or removed. */
function markedInPhase(object: KubeObject, marking: Marking): DesiredObject {
  const text = `${marking.hubId} ${marking.policy} ${marking.ownerText}`;
  const known = inPhases.get(object);
  if (known?.marking === text) return known.desired;
  const desired = { ...mark(object, "rendered", marking), phase: phaseOf(object) };
  inPhases.set(object, { marking: text, desired });
  return desired;
}

function hasPatches(rules: readonly MatchedRule[]): boolean {
  return rules.some(({ rule }) => (rule.patches ?? []).length > 0);
}

function memberKind(object: KubeObject): ReturnType<typeof memberKindOf> {
  return memberKindOf(parseApiVersion(object.apiVersion).group, object.kind);
}

/** Second check behind the checks of the overrides themselves. */
function firstProtectedChange(before: readonly KubeObject[], after: readonly KubeObject[]): string | undefined {
  if (before.length !== after.length) return "the number of objects";
  for (const [index, was] of before.entries()) {
    const is = after[index];
    const changed = is === was ? undefined : protectedChange(was, is);
    if (changed !== undefined) return changed;
  }
  return undefined;
}

export function problemOf(
  problem: ReturnType<typeof applyRules>["problem"],
  changed: string | undefined,
): Problem | undefined {
  if (problem !== undefined) {
    const { policy, rule, reason, place, message: text } = problem;
    const message = place === "" ? text : { aside: place, what: text.slice(place.length) };
    return { reason, message: prefixed(`${policy.kind} ${policy.name}, rule ${rule}: `, message), policy };
  }
  if (changed === undefined) return undefined;
  return { reason: "ProtectedField", message: `an override may not change ${changed}` };
}
