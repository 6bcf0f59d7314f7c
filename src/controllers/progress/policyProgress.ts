import { type KubeObject, parseApiVersion, policyKey } from "../../apis/index.ts";
import { changedSpec, type HubCache, type HubEvent, type Policy } from "../../hub/index.ts";
import { Emitter, from, type ResourceType, type Source, waking } from "../../runtime/index.ts";
import type { DependencyWatches } from "../facts/index.ts";
import { Counts } from "../tables/index.ts";
import type { ObjectStates, PartStore } from "../states/index.ts";

const BATCH = 256;

export interface PolicyProgressOptions {
  hub: HubCache;
  dependencies: Pick<DependencyWatches, "needingSelected">;
  states: Pick<ObjectStates, "planOf" | "traces"> & PartStore<"awaitedBy">;
}

/**
 * The policies whose objects, selected now or before, have not all been planned since the policy changed or their kind
 * was read. Their status cannot describe the present spec yet. A failed attempt counts as planned.
 */
export class PolicyProgress {
  readonly settled = new Emitter<string>();
  readonly #options: PolicyProgressOptions;
  /** Number of open steps by policy: objects to be planned, and lists of objects to be read. */
  readonly #open = new Counts();

  constructor(options: PolicyProgressOptions) {
    this.#options = options;
  }

  isOpen(policy: string): boolean {
    return this.#open.of(policy) > 0;
  }

  /** Sources for the planning: the objects of a changed policy, and those of a kind that was just read. */
  sources(): Source[] {
    const { hub } = this.#options;
    return [
      from(hub.policyEvents)
        .when((event) => !event.initial && changedSpec(event))
        .map((event) => this.#ownersOfChange(event)),
      waking(from(hub.kindReads).map((type) => this.#concernedByKind(type))),
    ];
  }

  /** Keys of the objects that a policy selects or selected, themselves or (an override) by a dependency. */
  #ownersOfChange(event: Pick<HubEvent<Policy>, "object" | "old">): Iterable<string | undefined> {
    const { states } = this.#options;
    return this.#reading([policyKey(event.object)], () =>
      states.traces.becauseOf(event.object, this.#selectedBy(event)),
    );
  }

  *#selectedBy(event: Pick<HubEvent<Policy>, "object" | "old">): Iterable<string | undefined> {
    const { hub, dependencies } = this.#options;
    yield* hub.selectedBy(event);
    const { kind, metadata, spec } = event.object;
    if (kind !== "OverridePolicy" && kind !== "ClusterOverridePolicy") return;
    const selectors = [...(event.old?.spec.resourceSelectors ?? []), ...spec.resourceSelectors];
    yield* dependencies.needingSelected(selectors, metadata.namespace, (object) => hub.planned.settingOf(object));
  }

  /** Keys of the unplanned objects of the kind. All policies that name the kind wait for these objects. */
  #concernedByKind(type: ResourceType): Iterable<string | undefined> {
    const { hub } = this.#options;
    const policies = [...hub.allPlacements(), ...hub.allOverrides()].filter(({ spec }) =>
      spec.resourceSelectors.some(
        ({ apiVersion, kind }) => kind === type.kind && parseApiVersion(apiVersion).group === type.group,
      ),
    );
    return this.#reading(
      policies.map((policy) => policyKey(policy)),
      () => this.#unplanned(type),
    );
  }

  /** An attempt to plan the object begins. Returns the policies that wait for the end of the attempt. */
  begin(owner: string): ReadonlySet<string> | undefined {
    const { states } = this.#options;
    const policies = states.get(owner)?.awaitedBy;
    states.clear(owner, "awaitedBy");
    return policies;
  }

  /** The attempt has ended. `isComing`: planning had to be postponed, and another attempt follows soon. */
  end(owner: string, policies: ReadonlySet<string> | undefined, isComing: boolean): void {
    for (const policy of policies ?? []) {
      if (isComing) this.#await(owner, policy);
      this.#release(policy);
    }
  }

  /** Reads the keys of the owners. The policies wait from now on, even if the keys are read much later. */
  #reading(policies: readonly string[], ownersOf: () => Iterable<string | undefined>): Iterable<string | undefined> {
    for (const policy of policies) this.#open.add(policy, 1);
    return this.#read(policies, ownersOf);
  }

  *#read(policies: readonly string[], ownersOf: () => Iterable<string | undefined>): Iterable<string | undefined> {
    try {
      for (const owner of ownersOf()) {
        if (owner !== undefined) for (const policy of policies) this.#await(owner, policy);
        yield owner;
      }
    } finally {
      for (const policy of policies) this.#release(policy);
    }
  }

  *#unplanned(type: ResourceType): Iterable<string | undefined> {
    const { hub, states } = this.#options;
    let seen = 0;
    for (const owner of hub.ownersOf(type)) {
      seen += 1;
      if (seen % BATCH === 0) yield undefined;
      const object: KubeObject | undefined = hub.object(owner)?.object;
      if (object !== undefined && states.planOf(owner) === undefined && hub.planned.includes(object)) yield owner;
    }
  }

  #await(owner: string, policy: string): void {
    const { states } = this.#options;
    const before = states.get(owner)?.awaitedBy;
    if (before?.has(policy) === true) return;
    this.#open.add(policy, 1);
    states.setPart(owner, "awaitedBy", new Set(before).add(policy));
  }

  #release(policy: string): void {
    if (this.#open.add(policy, -1) <= 0) this.settled.emit(policy);
  }
}
