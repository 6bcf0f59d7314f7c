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
import { changedFacts, changedSpec, type PlacedKind } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
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
import { knownOf } from "./needs.ts";
import { logFieldsOf } from "../tables/index.ts";
import { recordHandover } from "../progress/index.ts";
import { type StatusWrites } from "../status/index.ts";

export interface HandoverReconcilerOptions extends CopySources {
  client: Client;
  statuses: StatusWrites;
  namespaces: HubNamespaces;
  clock: Clock;
  events: EventRecorder;
}

/**
 * Hands hub objects from one controller class to the next. An object that names this manager's class is claimed when this manager knows
 * everything that runs of the object, and would remove or change nothing of it; the finalizer of an object that another class has claimed
 * goes when nothing of this manager is under way any more.
 */
export class HandoverReconciler implements Reconciler {
  readonly #options: HandoverReconcilerOptions;
  /** Objects to be handed over, and why not yet. */
  readonly #pending = new Map<string, string>();

  constructor(options: HandoverReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, assignments, observations, dependencies, namespaces, statuses } = this.#options;
    const pending = (): Iterable<string> => [...this.#pending.keys()];
    const isPending = (owner: string): boolean => this.#pending.has(owner);
    return [
      // Whatever changes of such an object, its status too, may be what the handover waits for.
      from(hub.objectEvents).when(
        ({ key, object }) => isPending(key) || (this.#isInTransit(object) && hub.planned.includes(object)),
      ),
      from(hub.statuses.events).when(({ key }) => isPending(key)),
      from(observations.changes)
        .when(() => this.#pending.size > 0)
        .map((change) => [...assignments.concernedBy(change)].filter(isPending)),
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
      from(statuses.settlements).when(isPending),
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
    this.#pending.delete(owner);
    return done;
  }

  #isInTransit(object: KubeObject): boolean {
    const ownership = this.#options.classes.of(object);
    return ownership === "Claimable" || ownership === "Yielded";
  }

  async #claim(owner: string, object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<Result> {
    const { client, classes, events } = this.#options;
    const known = this.#pending.get(owner);
    this.#pending.set(owner, known ?? "");
    const why = this.#whyNotYet(owner, object, kind);
    if (why === NOT_READ) return done;
    const [holder = ""] = holdersOf(OBJECT_FINALIZER, object.metadata);
    const named = classOf(object.metadata);
    if (why !== undefined) {
      this.#pending.set(owner, why);
      if (why !== known)
        recordHandover(events, object, "HandoverWaits", `${named} does not take over from ${holder} yet: ${why}`);
      return done;
    }
    const next = claimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    const taken = await setFinalizers(client, kind.type, object, next, signal);
    if (taken === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    this.#pending.delete(owner);
    kind.informer.observe(taken);
    recordHandover(events, taken, "TakenOver", `${named} has taken over from ${holder}`);
    return done;
  }

  /** Undefined when the object may be claimed. */
  #whyNotYet(owner: string, object: KubeObject, kind: PlacedKind): string | undefined {
    const { hub, hubState, observations, assignments, namespaces } = this.#options;
    const known = knownOf(this.#options, owner, { object, kind });
    if (known === undefined || namespaces.termsFor(object) === undefined) return NOT_READ;
    // The object was this manager's a moment ago: the placement controller has its rows to withdraw first.
    for (const cell of assignments.of(owner)) if (cell.rows.has(owner)) return NOT_READ;
    const now = hub.now();
    const recorded = recordedClusters(hubState, owner);
    const copies = copiesOf(hubState, owner).filter(({ cluster }) => recorded.has(cluster));
    const target = computeTarget(assembleSnapshot(hubState, object, known), now);
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

  /** Another class has claimed the object: this manager's finalizer goes when nothing of this manager is under way any more. */
  async #release(owner: string, object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<Result> {
    const { client, classes, assignments, statuses, observations } = this.#options;
    this.#pending.set(owner, "");
    for (const cell of assignments.of(owner)) {
      const isWriting = observations.get(cell.cluster, cell.key)?.writing === true;
      if (cell.rows.has(owner) || isWriting || !assignments.isAcknowledged(cell)) return done;
    }
    if (statuses.isUnderWay(owner)) return done;
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    const released = await setFinalizers(client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    this.#pending.delete(owner);
    kind.informer.observe(released);
    return done;
  }
}

/** Passes by itself, and is nobody's business. */
const NOT_READ = "what the object needs is being read";
const NOT_CLAIMED = { reason: "OtherOwner", message: "another class owns the object" };

export interface HandoverInput {
  object: KubeObject;
  /** What the class that owns the object last said of it. */
  status: FederatedStatus | undefined;
  /** What this manager would have there. */
  rows: readonly Row[];
  /** Clusters that it would use. */
  clusters: readonly string[];
  /** The copies of the object on the members. */
  present: readonly Observation[];
  /** The member object that a row is about, as far as it is seen, in whoever's name. */
  find: (row: Row) => Observation | undefined;
  /** Everything of the hub on that member is known. */
  isKnown: (cluster: string) => boolean;
  /** There is a MemberCluster of that name. */
  exists: (cluster: string) => boolean;
}

/**
 * Why this manager does not claim an object yet; undefined when it may. Pure. The manager must know every copy that runs, wherever the class that
 * owns the object reaches the members itself; no running copy may be missing in the manager's plan, since a handover removes nothing; and
 * a change that the plan makes must be its own, not a change that the other class has yet to carry out.
 */
export function whyNotYet(input: HandoverInput): string | undefined {
  const { object, status, rows, clusters, present, find, isKnown, exists } = input;
  const reported = new Map(status?.clusters?.map((entry) => [entry.name, entry]));
  const seen = present.filter((copy) => copy.present !== undefined);
  const concerned = new Set([...clusters, ...reported.keys(), ...seen.map(({ cluster }) => cluster)]);
  const blind = new Set<string>();
  for (const cluster of [...concerned].sort()) {
    if (!exists(cluster) || isKnown(cluster)) continue;
    // Nobody hears from that one; to wait for it would hold up all the others.
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

/** The class that owns the object has nothing left to do on that cluster, or cannot do it. */
function isSettled(
  { metadata }: KubeObject,
  status: FederatedStatus | undefined,
  entry: ClusterStatusEntry | undefined,
): boolean {
  if (status?.observedGeneration !== generationOf(metadata)) return false;
  // The class does not want the object there, or the status only sums up this cluster with others that are healthy.
  if (entry === undefined || entry.state === "Failed" || entry.state === "Held" || isOutOfContact(entry)) return true;
  return !UNDER_WAY.has(entry.reason) && entry.desiredHash === entry.observedHash;
}

function placeOf({ cluster, ref }: { cluster: string; ref: ObjectRef }): string {
  return `${cluster}/${refKey(ref)}`;
}
