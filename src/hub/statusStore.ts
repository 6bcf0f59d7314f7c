import {
  bindingName,
  defined,
  type FederatedStatus,
  FIELD_MANAGER,
  type FinishedRecord,
  finalizersPatch,
  firstRecordOf,
  type KubeObject,
  OBJECT_FINALIZER,
  PLANNER_FIELD_MANAGER,
  refKey,
  refOf,
  reportedIn,
  type ResourceBinding,
  type RolloutStatus,
} from "../apis/index.ts";
import {
  apiVersionOf,
  type Client,
  CLUSTERRESOURCEBINDINGS,
  isConflict,
  isInvalid,
  isNotFound,
  RESOURCEBINDINGS,
  type ResourceType,
  TerminalError,
} from "../runtime/index.ts";
import { type HubCache, type PlacedKind } from "./cache/index.ts";

const NOWHERE: ReadonlySet<string> = new Set();

export interface StatusStoreOptions {
  hub: HubCache;
  /** Client of the current term of leadership: its writes ask the guard. */
  client: Client;
}

type Placed = Pick<PlacedKind, "type" | "propagated" | "informer">;

export interface PlacedObject {
  object: KubeObject;
  kind: Placed;
}

/** The part of the status that the planner decides. The next leader must find it before rows go to the members. */
export interface Decision {
  plannedClusters: readonly string[];
  rollout: RolloutStatus | undefined;
  /** Finished work counts as finished on the cluster that replaces another one. Reports add to this record. */
  finished: FinishedRecord | undefined;
}

/** The record of an object, for a decision. */
export interface Recorded {
  status: FederatedStatus | undefined;
  /** Clusters that the next leader certainly finds in the record, even if the last report has failed. */
  clusters: ReadonlySet<string>;
  /** The same, without the clusters that only the decision names. */
  reported: ReadonlySet<string>;
}

/**
 * Reads and writes the status of hub objects: of a rendered kind on the object, of any other kind on its binding, since
 * the object's own status belongs to others. A finalizer keeps the binding until Meridian releases the object.
 *
 * The status has two field managers: one for the planner's {@link Decision}, one for the report of what was observed.
 */
export class StatusStore {
  readonly #options: StatusStoreOptions;
  /** Clusters named by a report whose outcome is unknown. */
  readonly #unanswered = new Map<string, ReadonlySet<string>>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(options: StatusStoreOptions) {
    this.#options = options;
  }

  /** From the cache; `owner` is a `refKey`. */
  read(owner: string): FederatedStatus | undefined {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found === undefined ? undefined : hub.statuses.of(found.object, found.kind);
  }

  /** False if somebody removed the binding, so that {@link read} has no source. */
  isKept(owner: string): boolean {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found?.kind.propagated !== true || hub.bindings.of(found.object) !== undefined;
  }

  /** False if the outcome of the last report is unknown. */
  isAnswered(owner: string): boolean {
    return !this.#unanswered.has(owner);
  }

  record(owner: string): Recorded {
    const { hub } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return { status: undefined, clusters: NOWHERE, reported: NOWHERE };
    const status = hub.statuses.of(found.object, found.kind);
    const unanswered = this.#unanswered.get(owner);
    const planned = new Set(status?.plannedClusters);
    const { names } = hub.statuses.recordOf(found.object, found.kind);
    const isCertain = (name: string): boolean => unanswered === undefined || unanswered.has(name);
    const clusters = new Set([...names].filter((name) => planned.has(name) || isCertain(name)));
    const reported = reportedIn(status);
    // Until the first report, the annotation of the object is the record.
    const first = firstRecordOf({ metadata: found.object.metadata, status })?.clusters ?? [];
    for (const name of first) reported.add(name);
    return { status, clusters, reported: new Set([...reported].filter(isCertain)) };
  }

  /** Resolves when no write for the object is under way. */
  async settled(owner: string): Promise<void> {
    for (let running = this.#running.get(owner); running !== undefined; running = this.#running.get(owner))
      await running.catch(() => undefined);
  }

  /** A propagated object gets its binding. Rejects with the errors of the client. */
  async bind({ object, kind }: PlacedObject, signal: AbortSignal): Promise<void> {
    if (!kind.propagated) return;
    const { client, hub } = this.#options;
    const present = hub.bindings.named(refOf(object));
    const { uid = "" } = object.metadata;
    if (present?.spec.resource.uid === uid) return;
    if (present !== undefined) {
      refuseOther(present, object);
      await this.discard(present, signal);
    }
    const type = bindingType(object);
    const { plannedClusters = [], rollout, finished } = hub.bindings.statusOf(object) ?? {};
    const bound = await client.apply(type, bindingOf(object, type), { force: true, signal });
    const isLost = plannedClusters.length > 0 || rollout !== undefined;
    // Somebody removed the binding: the next leader needs the decision as well.
    if (isLost) await this.#decide({ object, kind }, { plannedClusters, rollout, finished }, signal);
    else hub.bindings.observe(bound);
  }

  /** For an object that Meridian released, or that is gone. */
  async unbind({ object, kind }: PlacedObject, signal: AbortSignal): Promise<void> {
    if (!kind.propagated) return;
    const { bindings } = this.#options.hub;
    const binding = bindings.of(object);
    if (binding !== undefined) await this.discard(binding, signal);
    bindings.forget(object);
  }

  async discard(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    this.#options.hub.bindings.release(binding);
    await this.#remove(binding, signal);
  }

  /** Removes a binding that somebody deletes, but keeps its status for the next write. */
  async renew(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    await this.#remove(binding, signal);
  }

  /**
   * Writes the report: every field of the status but the {@link Decision}. By one server-side apply; rejects with the
   * errors of the client.
   */
  async write(found: PlacedObject, status: FederatedStatus, signal: AbortSignal): Promise<void> {
    const { plannedClusters: _, rollout: __, ...report } = status;
    const owner = refKey(refOf(found.object));
    await this.#run(owner, async () => {
      if (found.kind.propagated) await this.bind(found, signal);
      this.#unanswered.set(owner, reportedIn(report));
      try {
        await this.#apply(found, report, FIELD_MANAGER, signal);
        this.#unanswered.delete(owner);
      } catch (error) {
        if (isNotFound(error)) this.#unanswered.delete(owner);
        throw error;
      }
    });
  }

  /**
   * Writes the decision, by one server-side apply; rejects with the errors of the client. `decide` gets the record when
   * no other write is under way. Nothing is written if it returns undefined.
   */
  async decide(
    found: PlacedObject,
    decide: (record: Recorded) => Decision | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const owner = refKey(refOf(found.object));
    await this.#run(owner, async () => {
      const decision = decide(this.record(owner));
      if (decision === undefined) return;
      if (found.kind.propagated) await this.bind(found, signal);
      await this.#decide(found, decision, signal);
    });
  }

  async #decide(found: PlacedObject, decision: Decision, signal: AbortSignal): Promise<void> {
    const { plannedClusters, rollout, finished } = decision;
    const status = { plannedClusters: [...plannedClusters], ...defined({ rollout, finished }) };
    const written = await this.#apply(found, status, PLANNER_FIELD_MANAGER, signal);
    const { plannedClusters: kept = [], rollout: run } = (written["status"] ?? {}) as FederatedStatus;
    if ((run === undefined) === (rollout === undefined) && plannedClusters.every((name) => kept.includes(name))) return;
    // An API server drops fields that its schema lacks. Rows without a record would be lost copies for the next leader.
    const { kind } = written;
    throw new Error(`the hub dropped the decision in the status of ${kind}: upgrade the CustomResourceDefinitions`);
  }

  /** One write of an object after the other. */
  async #run(owner: string, write: () => Promise<void>): Promise<void> {
    const before = this.#running.get(owner)?.catch(() => undefined);
    const running = before === undefined ? write() : before.then(write);
    this.#running.set(owner, running);
    try {
      await running;
    } finally {
      if (this.#running.get(owner) === running) this.#running.delete(owner);
    }
  }

  /**
   * The answer goes into the cache, unless it is the first sign of the object's deletion, which the watch brings as an
   * event of its own.
   */
  async #apply(
    { object, kind }: PlacedObject,
    status: Partial<FederatedStatus>,
    fieldManager: string,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { client, hub } = this.#options;
    const { namespace, name, deletionTimestamp } = object.metadata;
    const type = kind.propagated ? bindingType(object) : kind.type;
    const metadata = { ...defined({ namespace }), name: kind.propagated ? bindingName(refOf(object)) : name };
    const body = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, status };
    const written = await client.applyStatus(type, body, { force: true, fieldManager, signal });
    if (kind.propagated) hub.bindings.observe(written);
    else if (written.metadata.deletionTimestamp === undefined || deletionTimestamp !== undefined)
      kind.informer.observe(written);
    return written;
  }

  /** Our finalizer would keep the deleted binding, so it goes first. */
  async #remove({ kind, metadata }: ResourceBinding, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { namespace, name, uid = "", finalizers = [], deletionTimestamp } = metadata;
    const type = kind === "ResourceBinding" ? RESOURCEBINDINGS : CLUSTERRESOURCEBINDINGS;
    const left = finalizers.filter((one) => one !== OBJECT_FINALIZER);
    try {
      if (left.length < finalizers.length) {
        const patch = finalizersPatch(metadata, left);
        await client.patch(type, namespace, name, "application/json-patch+json", patch, { signal });
      }
      if (deletionTimestamp === undefined) await client.delete(type, namespace, name, { uid, signal });
    } catch (error) {
      // The binding is gone or was replaced. Its own event will show that.
      if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
    }
  }
}

function bindingType({ metadata }: KubeObject): ResourceType {
  return metadata.namespace === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS;
}

/** The owner reference makes the hub's garbage collector remove the binding with its object. */
function bindingOf(object: KubeObject, type: ResourceType): KubeObject {
  const { apiVersion, kind } = object;
  const { namespace, name, uid = "" } = object.metadata;
  const where = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      ...where,
      name: bindingName(refOf(object)),
      finalizers: [OBJECT_FINALIZER],
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: { resource: { apiVersion, kind, ...where, name, uid } },
  };
}

/** Two objects can have the same binding name if the name of one group continues the name of the other. */
function refuseOther({ metadata, spec }: ResourceBinding, object: KubeObject): void {
  const { uid: _, ...ref } = spec.resource;
  if (refKey(ref) === refKey(refOf(object))) return;
  throw new TerminalError(
    `the binding ${metadata.name} is about ${refKey(ref)}: the object ${refKey(refOf(object))} would have the same; rename one of them`,
  );
}
