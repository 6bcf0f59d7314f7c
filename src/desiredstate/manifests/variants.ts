import {
  defined,
  type FieldsV1,
  type KubeObject,
  type ObjectRef,
  type OwnerRef,
  parseApiVersion,
  type PlacementSpec,
  protectedChange,
  refKey,
  shortMessage,
  shortName,
  told,
} from "../../apis/index.ts";
import {
  memberKindOf,
  phaseOf,
  replicasAt,
  sameIn,
  type StandingField,
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
import { effectOn } from "./overrideEffect.ts";
import { wrongReplicas } from "./patchedReplicas.ts";
import { withoutRetained } from "./retain.ts";
import { reportTermsOf } from "./reporting.ts";
import { judgeRights } from "./tenantRights.ts";
import { withoutDuplicatesIn } from "./duplicates.ts";
import type { DesiredObject, Problem, Why } from "../types.ts";

/** What clusters have in common that differ in nothing: one rendering for all of them. */
export interface Variant {
  /** In the order of application: dependencies first, which the hub itself does not get. */
  objects: readonly DesiredObject[];
  replicas: number | undefined;
  problem: Problem | undefined;
  /** What is sent in another form than it was written. */
  warning?: Why;
  /** Undefined where nothing is overridden, or a rule could not be applied. */
  overrides: OverrideEffect | undefined;
}

export interface VariantOptions {
  base: readonly KubeObject[];
  owner: OwnerRef;
  marking: Marking;
  dependencies: Pick<PropagatedDependencies, "objects" | "hash" | "refusal">;
  /** What pods may be. */
  terms: NamespaceTerms;
  retain: PlacementSpec["retain"];
  /** Where objects have templates of pods that their kinds do not tell. */
  templates?: PlacementSpec["podTemplates"];
  /** What the placement asks for about the member objects. */
  reporting?: Pick<PlacementSpec, "health" | "aggregateStatus"> | undefined;
  /** Where an object that is sent as it is keeps its replicas, where its kind alone does not say it. */
  replicaPath?: readonly string[] | undefined;
  /** Fields of the one object of `base` that nobody has written. */
  unwritten?: FieldsV1 | undefined;
  /** Fields of the hub object that are not in `base`, and that copies keep. */
  standing?: readonly StandingField[] | undefined;
  /** Why nothing can be made of the object at all; `base` is empty then. */
  problem?: Problem | undefined;
  /** The objects are applied and removed in phases. */
  inPhases?: true;
  /** The work that the objects ask for. */
  runs?: Runs;
}

export interface VariantOf {
  /** Share of the cluster; undefined leaves what the object says. */
  replicas: number | undefined;
  /** Overrides of replicas do not count: the cluster keeps what it has. */
  fixed: boolean;
  local: boolean;
}

interface RulesInUse {
  hasPatches: boolean;
  byShare: Map<number | undefined, Applied>;
}

/** What the rules have made, and the variants of it by the replicas that are asked for. */
interface Applied {
  objects: readonly KubeObject[];
  /** Set when a rule overrides replicas. */
  replicas: number | undefined;
  problem: Problem | undefined;
  warning: Why | undefined;
  overrides: OverrideEffect | undefined;
  local: Map<number | undefined, Variant>;
  member: Map<number | undefined, Variant>;
}

type Apply = (rules: readonly MatchedRule[]) => ReturnType<typeof applyRules>;

/** Renders one object for any number of clusters, once for each way in which they differ. */
export class VariantRenderer {
  readonly #options: VariantOptions;
  readonly #rules = new Map<readonly MatchedRule[], Map<readonly MatchedRule[] | undefined, RulesInUse>>();
  /** Marked objects by what they were before: what no rule touches is the same object on every cluster. */
  readonly #marked = {
    local: new Map<KubeObject, DesiredObject>(),
    member: new Map<KubeObject, DesiredObject>(),
    /** With replicas that a decision gives: these are nobody's default. */
    scaled: new Map<KubeObject, DesiredObject>(),
  };

  constructor(options: VariantOptions) {
    this.#options = options;
  }

  /**
   * `rules`: the same list for clusters on which the same rules apply. `present`: of a revision, the rules of now of cluster-scoped policies, as
   * above.
   */
  render(
    rules: readonly MatchedRule[],
    { replicas, fixed, local }: VariantOf,
    present?: readonly MatchedRule[],
  ): Variant {
    let ofRules = this.#rules.get(rules);
    if (ofRules === undefined) this.#rules.set(rules, (ofRules = new Map()));
    let inUse = ofRules.get(present);
    if (inUse === undefined) ofRules.set(present, (inUse = { hasPatches: hasPatches(rules), byShare: new Map() }));
    // Shares first where a patch may speak of replicas, and what rules set in their turn: a patch has the last word over both. Other rules do not see them.
    const { hasPatches: inTurn } = inUse;
    const share = inTurn ? replicas : undefined;
    let applied = inUse.byShare.get(share);
    if (applied === undefined) inUse.byShare.set(share, (applied = this.#apply(rules, share, { inTurn, present })));

    const asked = fixed ? replicas : inTurn ? undefined : (applied.replicas ?? replicas);
    const variants = local ? applied.local : applied.member;
    let variant = variants.get(asked);
    if (variant === undefined) variants.set(asked, (variant = this.#make(applied, asked, local)));
    return variant;
  }

  #apply(
    rules: readonly MatchedRule[],
    share: number | undefined,
    { inTurn, present }: { inTurn: boolean; present: readonly MatchedRule[] | undefined },
  ): Applied {
    const { base, templates } = this.#options;
    const withReplicas = (object: KubeObject, count: number): KubeObject => this.#withReplicas(object, count);
    // Of their own, since what comes of them by the same rules is another thing elsewhere.
    const shared = inTurn ? base.map((object) => (share === undefined ? object : withReplicas(object, share))) : base;
    const apply: Apply = (some) => applyRules(shared, some, { templates, ...(inTurn ? { withReplicas } : {}) });
    // Rules that cannot be applied give nothing.
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

  /** Of all objects that have replicas; undefined when none has. */
  #replicasOf(objects: readonly KubeObject[]): number | undefined {
    let sum: number | undefined;
    for (const object of objects) {
      const replicas = this.#replicasIn(object);
      if (replicas !== undefined) sum = (sum ?? 0) + replicas;
    }
    return sum;
  }

  /** A rule that sets replicas where nobody knows a field for them. */
  #withoutReplicas(rules: readonly MatchedRule[], objects: readonly KubeObject[]): Problem | undefined {
    if (this.#options.replicaPath !== undefined || objects.length === 0) return undefined;
    const matched = rules.find(({ rule }) => rule.replicas !== undefined);
    if (matched === undefined || objects.some((object) => memberKind(object).withReplicas !== undefined))
      return undefined;
    const kinds = [...new Set(objects.map(({ kind }) => kind))].join(", ");
    const message = `replicas: no field for them is known in ${kinds}; set replicaScheduling.path of the Placement`;
    const point = "replicas: no field for them is known; set replicaScheduling.path of the Placement";
    const problem = { policy: matched.policy, rule: matched.index, reason: "InvalidOverride" as const, message, point };
    return problemOf(problem, undefined);
  }

  /** A kind that is propagated as it is would be applied onto itself on the hub. */
  #isOwner(ref: ObjectRef): boolean {
    return isSameRef(ref, this.#options.owner);
  }

  /** `object`: where several are rendered, nobody's default is among them. */
  #unwrittenIn(object: KubeObject, isScaled: boolean): FieldsV1 | undefined {
    const { unwritten, base, replicaPath } = this.#options;
    const same = sameIn(unwritten, base[0], object);
    const path = replicaPath ?? memberKind(object).replicaPath;
    return isScaled && path !== undefined ? withoutPath(same, path) : same;
  }

  #mark(object: KubeObject, local: boolean, isScaled: boolean): DesiredObject {
    const isDecided = isScaled && this.#options.unwritten !== undefined;
    const marked = local ? this.#marked.local : isDecided ? this.#marked.scaled : this.#marked.member;
    let known = marked.get(object);
    if (known === undefined) {
      const { owner, marking, dependencies, retain, reporting, standing } = this.#options;
      const [rest = object] = withoutRetained([object], retain);
      const rolled = withDependenciesHash(rest, dependencies.hash);
      const owned = local ? withControllerReference(rolled, owner) : rolled;
      const desired =
        this.#options.inPhases === true ? markedInPhase(owned, marking) : mark(owned, "rendered", marking);
      const unwritten = this.#unwrittenIn(rest, isScaled);
      const terms = reportTermsOf(object, reporting, this.#isOwner(desired.ref));
      const run = this.#options.runs?.get(refKey(desired.ref))?.hash;
      known = {
        ...desired,
        ...defined({ run }),
        ...(rest === object ? {} : { unretained: object }),
        ...defined({ unwritten, standing, reporting: terms }),
      };
      marked.set(object, known);
    }
    return known;
  }
}

const inPhases = new WeakMap<KubeObject, { marking: string; desired: DesiredObject }>();

/** A bundle may hold megabytes, and is planned again for every cluster that comes or goes: what was hashed once is not hashed again. */
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

export function problemOf(
  problem: ReturnType<typeof applyRules>["problem"],
  changed: string | undefined,
): Problem | undefined {
  if (problem !== undefined) {
    const { policy, rule, reason, message: what, point } = problem;
    const say = (limit: number, words: string): string =>
      `${policy.kind} ${shortName(policy.name, limit)}, rule ${rule}: ${words}`;
    const texts = [
      say(Infinity, what),
      say(40, what),
      say(24, what),
      say(40, point),
      say(24, point),
      say(12, point),
    ] as const;
    return { reason, ...told([...texts, point]), policy };
  }
  if (changed === undefined) return undefined;
  return { reason: "ProtectedField", message: shortMessage(`an override may not change ${changed}`) };
}
