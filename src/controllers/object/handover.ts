import {
  claimed,
  classOf,
  type ClusterStatusEntry,
  type FederatedStatus,
  generationOf,
  holdersOf,
  isOutOfContact,
  type KubeObject,
  OBJECT_FINALIZER,
  type Reason,
  type ObjectRef,
  refKey,
  shortMessage,
  unclaimed,
} from "../../apis/index.ts";
import {
  assembleRemovalFacts,
  assembleSnapshot,
  computeTarget,
  copiesOf,
  type Observation,
  recordedClusters,
  type Row,
  step,
} from "../../desiredstate/index.ts";
import { changedFacts, changedSpec, type PlacedKind, type StatusStore } from "../../hub/index.ts";
import type { EventSink } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  from,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { type CopySources, type HubNamespaces, RETRY_FINALIZER_MS, setFinalizers } from "../facts/index.ts";
import { resolvedOf } from "./plan/index.ts";
import { logFieldsOf } from "../tables/index.ts";
import { recordOn } from "../progress/index.ts";

export interface HandoverReconcilerOptions extends CopySources {
  client: Client;
  store: Pick<StatusStore, "settled">;
  namespaces: HubNamespaces;
  clock: Clock;
  events: EventSink;
}

/**
 * Hands hub objects over from one controller class to the next. This manager claims an object that names its class when
 * it would neither remove nor change a copy. It removes its own finalizer from an object that another class has claimed
 * as soon as it has no work under way there.
 */
export class HandoverReconciler implements Reconciler {
  readonly #options: HandoverReconcilerOptions;

  constructor(options: HandoverReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, assignments, observations, dependencies, namespaces, states } = this.#options;
    const pending = (): Iterable<string> => [...states.having("handover")];
    const isPending = (owner: string): boolean => states.having("handover").has(owner);
    return [
      // The handover may wait for any change of such an object, even of its status.
      from(hub.objectEvents).when(
        ({ key, object }) => isPending(key) || (this.#isInTransit(object) && hub.planned.includes(object)),
      ),
      from(hub.statuses.events).when(({ key }) => isPending(key)),
      from(observations.changes)
        .when(() => states.having("handover").size > 0)
        .map((change) => [...assignments.ownersOfChange(change)].filter(isPending)),
      from(observations.contacts).map(pending),
      from(hub.policyEvents)
        .when((event) => !event.initial && changedSpec(event))
        .map(pending),
      from(hub.clusters)
        .when((event) => !event.initial && changedFacts(event))
        .map(pending),
      from(dependencies.changes).when(isPending),
      from(namespaces.changes).map(pending),
      from(assignments.changes)
        .when(({ owner }) => isPending(owner))
        .map(({ owner }) => owner),
      from(assignments.departures).when(isPending),
    ];
  }

  logFields(owner: string): Record<string, string | undefined> {
    return logFieldsOf(this.#options.hub, owner);
  }

  async reconcile(owner: string, signal: AbortSignal): Promise<Result> {
    const found = this.#options.hub.object(owner);
    const ownership = found === undefined ? "Foreign" : this.#options.classes.of(found.object);
    if (found !== undefined && ownership === "Claimable")
      return await this.#claim(owner, found.object, found.kind, signal);
    if (found !== undefined && ownership === "Yielded")
      return await this.#release(owner, found.object, found.kind, signal);
    this.#options.states.clear(owner, "handover");
    return done;
  }

  #isInTransit(object: KubeObject): boolean {
    const ownership = this.#options.classes.of(object);
    return ownership === "Claimable" || ownership === "Yielded";
  }

  async #claim(owner: string, object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<Result> {
    const { client, classes, states } = this.#options;
    const known = states.get(owner)?.handover;
    states.setPart(owner, "handover", known ?? "");
    const why = this.#whyNotYet(owner, object, kind);
    if (why === NOT_READ) return done;
    const [holder = ""] = holdersOf(OBJECT_FINALIZER, object.metadata);
    const named = classOf(object.metadata);
    if (why !== undefined) {
      states.setPart(owner, "handover", why);
      if (why !== known)
        this.#record(object, "HandoverWaits", `${named} does not take over from ${holder} yet: ${why}`);
      return done;
    }
    const next = claimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    const taken = await setFinalizers(client, kind.type, object, next, signal);
    if (taken === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    states.clear(owner, "handover");
    kind.informer.observe(taken);
    this.#record(taken, "TakenOver", `${named} has taken over from ${holder}`);
    return done;
  }

  #record(object: KubeObject, reason: "HandoverWaits" | "TakenOver", note: string): void {
    recordOn(this.#options.events, object, { type: "Normal", reason, action: "TakeOver", note: shortMessage(note) });
  }

  /** Why the object may not be claimed yet; undefined if the object may be claimed. */
  #whyNotYet(owner: string, object: KubeObject, kind: PlacedKind): string | undefined {
    const { hub, hubState, observations, assignments, namespaces, dependencies } = this.#options;
    const resolved = resolvedOf({ hub, hubState, dependencies }, owner, { object, kind });
    if (resolved === undefined || namespaces.termsFor(object) === undefined) return NOT_READ;
    // This manager owned the object a moment ago: the placement controller must withdraw its rows first.
    for (const cell of assignments.of(owner)) if (cell.rows.has(owner)) return NOT_READ;
    const now = hub.now();
    const recorded = recordedClusters(hubState, owner);
    const copies = copiesOf(hubState, owner).filter(({ cluster }) => recorded.has(cluster));
    const target = computeTarget(assembleSnapshot(hubState, object, resolved), now);
    const removal = {
      owner: target.owner,
      policy: target.deletionPolicy,
      cause: NOT_CLAIMED,
      ownership: "OtherClass" as const,
    };
    const facts = assembleRemovalFacts(hubState, copies, removal);
    const { rows } = step({ target, observations: copies, removal: facts });
    return whyNotYet({
      object,
      status: hub.statuses.of(object, kind),
      rows,
      clusters: target.clusters.map(({ name }) => name),
      present: copies,
      find: ({ cluster, ref }) => observations.get(cluster, refKey(ref)),
      isKnown: (cluster) => observations.contactOf(cluster).synced,
      exists: (cluster) => hub.clusters.get(cluster) !== undefined,
    });
  }

  /** Another class has claimed the object: our finalizer goes when we have no work under way any more. */
  async #release(owner: string, object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<Result> {
    const { client, classes, assignments, store, observations, states } = this.#options;
    states.setPart(owner, "handover", "");
    for (const cell of assignments.of(owner)) {
      const isWriting = observations.get(cell.cluster, cell.key)?.writing === true;
      if (cell.rows.has(owner) || isWriting || !assignments.isAcknowledged(cell)) return done;
    }
    await store.settled(owner);
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    const released = await setFinalizers(client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    states.clear(owner, "handover");
    kind.informer.observe(released);
    return done;
  }
}

/** This state passes by itself, so no Event reports it. */
const NOT_READ = "what the object needs is being read";
const NOT_CLAIMED = { reason: "OtherOwner", message: "another class owns the object" };

export interface HandoverInput {
  object: KubeObject;
  status: FederatedStatus | undefined;
  rows: readonly Row[];
  clusters: readonly string[];
  present: readonly Observation[];
  /** The observed member object of a row, whatever owner it names. */
  find: (row: Row) => Observation | undefined;
  /** True if all objects of the hub on that member are known. */
  isKnown: (cluster: string) => boolean;
  /** True if there is a MemberCluster of that name. */
  exists: (cluster: string) => boolean;
}

/**
 * Why this manager does not claim an object yet; undefined if it may. Pure. It must know every copy on the members that
 * the owning class reaches. Its plan must keep every running copy. A change that the plan makes must be its own, not
 * one that the owning class has yet to carry out.
 */
export function whyNotYet(input: HandoverInput): string | undefined {
  const { object, status, rows, clusters, present, find, isKnown, exists } = input;
  const reported = new Map(status?.clusters?.map((entry) => [entry.name, entry]));
  const seen = present.filter((copy) => copy.present !== undefined);
  const inQuestion = new Set([...clusters, ...reported.keys(), ...seen.map(({ cluster }) => cluster)]);
  const blind = new Set<string>();
  for (const cluster of [...inQuestion].sort()) {
    if (!exists(cluster) || isKnown(cluster)) continue;
    // The owning class has no contact with this cluster either. To wait for this cluster would block all the others.
    const entry = reported.get(cluster);
    if (entry === undefined || !isOutOfContact(entry)) return `what runs on ${cluster} is not known yet`;
    blind.add(cluster);
  }
  const wanted = new Set(rows.filter(isWanted).map(placeOf));
  for (const copy of seen) {
    const { cluster, ref } = copy;
    if (wanted.has(placeOf(copy)) || blind.has(cluster) || !exists(cluster)) continue;
    return reported.get(cluster)?.state === "Removing"
      ? `${ref.kind} ${ref.name} is being removed from ${cluster}`
      : `it would take ${ref.kind} ${ref.name} off ${cluster}`;
  }
  for (const row of rows) {
    if (row.verb !== "Apply" || blind.has(row.cluster) || !exists(row.cluster)) continue;
    const copy = find(row)?.present;
    const isRight = copy !== undefined && copy.hash === row.hash && !copy.deleting;
    if (isRight || isSettled(object, status, reported.get(row.cluster))) continue;
    return `${row.ref.kind} ${row.ref.name} on ${row.cluster} is not as it is to be yet`;
  }
  return undefined;
}

function isWanted(row: Row): boolean {
  return row.verb === "Apply" || (row.verb === "Hold" && row.wanted);
}

const UNDER_WAY: ReadonlySet<string | undefined> = new Set<Reason>(["Applying", "Removing", "Terminating"]);

/** True if the owning class has nothing left to do on the cluster, or cannot do it. */
function isSettled(
  { metadata }: KubeObject,
  status: FederatedStatus | undefined,
  entry: ClusterStatusEntry | undefined,
): boolean {
  if (status?.observedGeneration !== generationOf(metadata)) return false;
  // Without an entry, the class does not want the object there, or the cluster is one of many healthy clusters.
  if (entry === undefined || entry.state === "Failed" || entry.state === "Held" || isOutOfContact(entry)) return true;
  return !UNDER_WAY.has(entry.reason) && entry.desiredHash === entry.observedHash;
}

function placeOf({ cluster, ref }: { cluster: string; ref: ObjectRef }): string {
  return `${cluster}/${refKey(ref)}`;
}
