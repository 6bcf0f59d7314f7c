import { generationOf, type KubeObject, type ObjectRef, policyKey, type RolloutStatus } from "../../apis/index.ts";
import type { DeletionPolicy, Target, Why } from "../../desiredstate/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Counts, Groups } from "../tables/index.ts";
import { isListed, type ListedPart, type ObjectParts, type Part, partsOf } from "./objectParts.ts";
import { ObjectTraces } from "./objectTraces.ts";
import { Waits } from "./waits.ts";

/** What the object may have put on members: its rendered objects and dependencies. */
export interface Footprint {
  /** The rendered objects, and the dependencies of kinds that are not watched on all clusters. */
  refs: readonly ObjectRef[];
  /** The kinds (`group/Kind`) of all rendered objects and dependencies. */
  kinds: readonly string[];
}

/** Decided once, at the start of a deletion; later changes of policies have no effect. */
export interface Finalization {
  policy: DeletionPolicy;
  footprint: Footprint;
}

/** A step of a rollout that is not on the hub yet. */
export interface RolloutDraft {
  /** The rollout on the hub. */
  base: RolloutStatus | undefined;
  status: RolloutStatus;
  /** Epoch milliseconds. */
  since: number;
}

/**
 * What the planner knows of one hub object beyond the caches of the hub.
 *
 * - `Placing`: the object is planned; - `Deleting`: it is being deleted on the hub; - `Gone`: it is gone from the hub, or
 * has lost its finalizer; - `Foreign`: another controller class owns the object.
 */
export interface ObjectState extends ObjectParts {
  life: "Placing" | "Deleting" | "Gone" | "Foreign";
  /** The last run was for the backlog of a start. */
  isBacklog?: boolean;
  plan: Plan | undefined;
  rolloutDraft?: RolloutDraft | undefined;
  /** The last warning about the rollout. */
  rolloutWarning?: string | undefined;
  finalization?: Finalization | undefined;
  /** Deletion policy of an object that is gone and still has copies. */
  deletionPolicy?: DeletionPolicy | undefined;
}

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

/** One record for each hub object: its plan, written by planning alone, and parts with one writer each. */
export class ObjectStates {
  /** A plan was set or dropped. A plan that is set again is reported, too. */
  readonly planChanges = new Emitter<PlanChange>();
  readonly traces = new ObjectTraces(this);
  readonly waits = new Waits(this);
  readonly #states = new Map<string, ObjectState>();
  /** Hub objects by the policies that their targets name. */
  readonly #byPolicy = new Groups<string>();
  readonly #placed = new Counts();
  readonly #having = new Groups<string>();

  get(owner: string): ObjectState | undefined {
    return this.#states.get(owner);
  }

  planOf(owner: string): Plan | undefined {
    return this.#states.get(owner)?.plan;
  }

  *plans(): Iterable<[owner: string, plan: Plan]> {
    for (const [owner, { plan }] of this.#states) if (plan !== undefined) yield [owner, plan];
  }

  namedBy(policy: string): Iterable<string> {
    return this.#byPolicy.of(policy);
  }

  /** Number of hub objects that the policy places, not counting those that another policy places. */
  placedBy(policy: string): number {
    return this.#placed.of(policy);
  }

  setPlan(owner: string, plan: Plan): void {
    const state = this.#state(owner);
    const before = state.plan;
    state.plan = plan;
    this.#index(owner, before, plan);
    this.planChanges.emit({ owner, before, after: plan });
  }

  dropPlan(owner: string): void {
    const state = this.#states.get(owner);
    const before = state?.plan;
    if (state === undefined || before === undefined) return;
    state.plan = undefined;
    this.#index(owner, before, undefined);
    this.planChanges.emit({ owner, before, after: undefined });
  }

  update(owner: string, change: Partial<Omit<ObjectState, "plan" | Part>>): void {
    Object.assign(this.#state(owner), change);
  }

  setPart<P extends Part>(owner: string, part: P, value: NonNullable<ObjectParts[P]>): void {
    const state: ObjectParts = this.#state(owner);
    state[part] = value;
    if (isListed(part)) this.#having.add(part, owner);
  }

  /** Clears the part. The record goes if nothing else is in it. */
  clear(owner: string, part: Part): void {
    const state = this.#states.get(owner);
    if (state?.[part] === undefined) return;
    // Not deleted: an object that loses a property costs more memory.
    Object.assign(state, { [part]: undefined });
    this.#having.delete(part, owner);
    if (isEmpty(state)) this.#states.delete(owner);
  }

  /** The objects whose records have the part. */
  having(part: ListedPart): ReadonlySet<string> {
    return this.#having.of(part);
  }

  /** Drops what planning knows of the object. The record goes if no other part is left in it. */
  forget(owner: string): void {
    this.dropPlan(owner);
    const state = this.#states.get(owner);
    if (state === undefined) return;
    const parts = partsOf(state);
    if (parts === undefined) this.#states.delete(owner);
    else this.#states.set(owner, { life: "Gone", plan: undefined, ...parts });
  }

  #state(owner: string): ObjectState {
    let state = this.#states.get(owner);
    if (state === undefined) this.#states.set(owner, (state = { life: "Placing", plan: undefined }));
    return state;
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

/** True for a record without a plan and without parts, whose life says no more than that there was an object. */
function isEmpty({ life, ...rest }: ObjectState): boolean {
  if (life === "Foreign" || life === "Deleting") return false;
  return Object.values(rest).every((value) => value === undefined);
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
