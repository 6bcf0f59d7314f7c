import {
  defined,
  hashOf,
  type KubeObject,
  type ObjectRef,
  type ObjectSetting,
  type OverridePolicy,
  parseApiVersion,
  protectedChange,
  refKey,
} from "../../apis/index.ts";
import { whyHubsOwn } from "../../interpreter/index.ts";
import { applyRules, type MatchedRule, matchRules, type PolicyRef } from "../../override/index.ts";
import type { ObjectRules } from "../../override/types.ts";
import type { ClusterSnapshot } from "../../scheduler/types.ts";
import { contentHashOf, type PropagatedDependencies, userSetOf, whyNeverSent } from "./dependencies.ts";
import { mark, type Marking } from "../rows/index.ts";
import { once } from "./once.ts";
import { effectOn } from "./overrideEffect.ts";
import type { Needs, Snapshot } from "../snapshot.ts";
import type { DependencyOverride, DesiredObject, Problem } from "../types.ts";
import { problemOf } from "./variants.ts";

export type DependencyShare = Pick<PropagatedDependencies, "objects" | "hash"> & { refusal: Problem | undefined };

interface Overridden {
  at: number;
  key: string;
  ref: ObjectRef;
  object: KubeObject;
  readByPods: boolean;
  rules: ObjectRules;
}

interface Made {
  desired: DesiredObject;
  contentHash: string | undefined;
  problem: Problem | undefined;
}

export class DependencyOverrides {
  readonly #base: DependencyShare;
  readonly #overridden: readonly Overridden[];
  readonly #marking: Marking;
  readonly #made = new Map<Overridden, Map<readonly MatchedRule[], Made>>();
  /** Cached by the lists of applying rules, one list per overridden dependency. */
  readonly #shares = new Map<string, DependencyShare>();
  readonly #numbers = new Map<readonly MatchedRule[], number>();
  readonly #reached = new Map<Overridden, Map<PolicyRef, Set<string>>>();

  constructor(
    dependencies: PropagatedDependencies,
    needs: Needs,
    snapshot: Pick<Snapshot, "dependencies" | "overrides" | "setting">,
    marking: Marking,
  ) {
    this.#base = dependencies;
    this.#marking = marking;
    this.#overridden = overriddenAmong(dependencies, needs, snapshot);
  }

  /** Returns the same value for clusters on which the same rules apply. */
  on(cluster: ClusterSnapshot): DependencyShare {
    if (this.#overridden.length === 0) return this.#base;
    const applying = this.#overridden.map((one) => ({ one, rules: one.rules.on(cluster) }));
    for (const { one, rules } of applying) this.#note(one, rules, cluster.name);
    if (applying.every(({ rules }) => rules.length === 0)) return this.#base;
    const id = applying.map(({ rules }) => once(this.#numbers, rules, () => this.#numbers.size)).join();
    return once(this.#shares, id, () => this.#shareOf(applying));
  }

  /** Policies that select a dependency, with the clusters that their rules take among the clusters passed to `on` so far. */
  reached(): DependencyOverride[] {
    return this.#overridden.flatMap((one) =>
      one.rules.policies.map((policy) => ({
        policy,
        ref: one.ref,
        clusters: [...(this.#reached.get(one)?.get(policy) ?? [])],
      })),
    );
  }

  #note(one: Overridden, rules: readonly MatchedRule[], cluster: string): void {
    const byPolicy = once(this.#reached, one, () => new Map<PolicyRef, Set<string>>());
    for (const { policy } of rules) once(byPolicy, policy, () => new Set<string>()).add(cluster);
  }

  #shareOf(applying: readonly { one: Overridden; rules: readonly MatchedRule[] }[]): DependencyShare {
    const objects = [...this.#base.objects];
    const contents: [key: string, hash: string][] = [];
    let refusal = this.#base.refusal;
    for (const { one, rules } of applying) {
      if (rules.length === 0) continue;
      const byRules = once(this.#made, one, () => new Map<readonly MatchedRule[], Made>());
      const { desired, contentHash, problem } = once(byRules, rules, () => this.#make(one, rules));
      refusal ??= problem;
      objects[one.at] = desired;
      if (one.readByPods && contentHash !== undefined) contents.push([one.key, contentHash]);
    }
    return {
      objects,
      // Content that no rule changes keeps the hash of the other clusters, so that no pod restarts.
      hash: contents.length === 0 ? this.#base.hash : hashOf([this.#base.hash ?? "", contents]),
      refusal,
    };
  }

  #make({ at, object }: Overridden, rules: readonly MatchedRule[]): Made {
    const base = [object];
    const result = applyRules(base, rules);
    const [made = object] = result.objects;
    const problem = problemOf(result.problem, protectedChange(object, made)) ?? whyNeverSent(made);
    const { held } = this.#base.objects[at] ?? {};
    const [before, after] = [contentHashOf(object), contentHashOf(made)];
    const desired = {
      ...mark(made, "dependency", this.#marking),
      overrides: effectOn(rules, (count) => applyRules(base, rules.slice(0, count)).objects),
      ...defined({ held }),
    };
    return { desired, contentHash: before === after ? undefined : after, problem };
  }
}

/** Dependencies that override policies select. Most policies select none, so the common case returns early. */
function overriddenAmong(
  { objects }: PropagatedDependencies,
  { dependencies }: Needs,
  { dependencies: present, overrides, setting }: Pick<Snapshot, "dependencies" | "overrides" | "setting">,
): Overridden[] {
  if (objects.length === 0 || overrides.length === 0) return [];
  const kinds = new Set(objects.map(({ ref }) => ref.kind));
  const policies = overrides.filter((policy) => selectsAmong(policy, kinds));
  if (policies.length === 0) return [];
  const readByPods = new Set(dependencies.flatMap((one) => (one.readByPods ? [refKey(one.ref)] : [])));
  return objects.flatMap(({ ref }, at) => {
    const key = refKey(ref);
    const found = present.get(key);
    if (found === undefined) return [];
    const rules = matchRules(found, policies, settingOf(found, setting));
    if (rules.policies.length === 0) return [];
    return [{ at, key, ref, object: userSetOf(found).object, readByPods: readByPods.has(key), rules }];
  });
}

/** All dependencies are in the core group. */
function selectsAmong({ spec }: OverridePolicy, kinds: ReadonlySet<string>): boolean {
  return spec.resourceSelectors.some(
    ({ apiVersion, kind }) => kinds.has(kind) && parseApiVersion(apiVersion).group === "",
  );
}

/** A dependency is in the namespace of its owner, so the labels of that namespace apply. */
function settingOf(found: KubeObject, { namespaceLabels }: ObjectSetting = {}): ObjectSetting {
  const hubsOwn = whyHubsOwn(found, false);
  return defined({ namespaceLabels, hubsOwn });
}
