import { generationOf, type KubeObject, policyKey, type RolloutStatus } from "../../apis/index.ts";
import type { Target, Why } from "../../desiredstate/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Counts, Groups } from "./groups.ts";
import { ObjectTraces } from "./objectTraces.ts";

export interface Plan {
  uid: string | undefined;
  generation: number;
  /** Undefined while the object is being deleted, and if no plan has succeeded yet. */
  target: Target | undefined;
  /** Clusters of the record, other than the target's, that may still have copies of the object. */
  remaining: ReadonlySet<string>;
  /** Why the present object could not be planned. The target is then the target of the previous plan. */
  failure?: Why;
  rollout?: RolloutStatus | undefined;
  /** The rollout and its rows wait for contact with clusters. Until then, the tables are incomplete for this object. */
  awaitsContact?: boolean | undefined;
  /** False if another class owns the object. The target is then only computed, and no rows are made from it. */
  ours: boolean;
}

export interface PlanChange {
  owner: string;
  before: Plan | undefined;
  after: Plan | undefined;
}

export class Plans {
  /** A plan was set or dropped. A plan that is set again is reported, too. */
  readonly changes = new Emitter<PlanChange>();
  readonly traces = new ObjectTraces();
  readonly #plans = new Map<string, Plan>();
  /** Hub objects by the policies that their targets name. */
  readonly #byPolicy = new Groups<string>();
  readonly #placed = new Counts();

  get(owner: string): Plan | undefined {
    return this.#plans.get(owner);
  }

  entries(): Iterable<[owner: string, plan: Plan]> {
    return this.#plans.entries();
  }

  namedBy(policy: string): Iterable<string> {
    return this.#byPolicy.of(policy);
  }

  /** Number of hub objects that the policy places, not counting those that another policy places. */
  placedBy(policy: string): number {
    return this.#placed.of(policy);
  }

  set(owner: string, plan: Plan): void {
    const before = this.#plans.get(owner);
    this.#plans.set(owner, plan);
    this.#index(owner, before, plan);
    this.changes.emit({ owner, before, after: plan });
  }

  drop(owner: string): void {
    const before = this.#plans.get(owner);
    if (!this.#plans.delete(owner)) return;
    this.#index(owner, before, undefined);
    this.changes.emit({ owner, before, after: undefined });
  }

  #index(owner: string, before: Plan | undefined, after: Plan | undefined): void {
    const [was, is] = [before?.target?.placement, after?.target?.placement];
    if (was !== undefined) this.#placed.add(policyKey(was), -1);
    if (is !== undefined) this.#placed.add(policyKey(is), 1);
    const named = policiesIn(after);
    for (const policy of policiesIn(before)) if (!named.includes(policy)) this.#byPolicy.delete(policy, owner);
    for (const policy of named) this.#byPolicy.add(policy, owner);
  }
}

/** Keys of the policies that a plan names, including policies that select the object but do not apply to it. */
export function policiesIn(plan: Plan | undefined): string[] {
  const {
    placement,
    passedOver = [],
    overrides = [],
    idleOverrides = [],
    dependencyOverrides = [],
  } = plan?.target ?? {};
  return [
    ...(placement === undefined ? [] : [placement]),
    ...passedOver.map(({ policy }) => policy),
    ...overrides,
    ...idleOverrides.map(({ policy }) => policy),
    ...dependencyOverrides.map(({ policy }) => policy),
  ].map((policy) => policyKey(policy));
}

export function lifeOf({ metadata }: KubeObject): Pick<Plan, "uid" | "generation"> {
  return { uid: metadata.uid, generation: generationOf(metadata) };
}

/** What a plan that failed keeps of the plan before, unless that was for another life of the object. */
export function keptOf(
  before: Plan | undefined,
  object: KubeObject,
): Pick<Plan, "uid" | "generation" | "target" | "remaining" | "rollout"> {
  const life = lifeOf(object);
  const { target, remaining = new Set<string>(), rollout } = (before?.uid === life.uid ? before : undefined) ?? {};
  return { ...life, target, remaining, rollout };
}
