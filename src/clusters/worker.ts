import { type Contact, defined, isGranted, type Message, type ObjectRef, refKey, fullMessage } from "../apis/index.ts";
import type { Observation, Why } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Logger, Metrics, Tracer } from "../observability/index.ts";
import { backoffDelay, type Clock, CONFIGMAPS, NAMESPACES, type ResourceType, SECRETS } from "../runtime/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";
import { Definitions, isNamespace, type MemberObject, MemberObjects, NamespaceLabels, Phases } from "./model/index.ts";
import { ClusterCache } from "./watch/index.ts";
import { NOT_YET_KNOWN, sameContact } from "./connection/index.ts";
import { Lane } from "./write/index.ts";
import { PodTroubles, CapacityReader } from "./workloads/index.ts";
import { type ClusterContact, type ReportSink, sameReadability, type WorkDelta, type WorkSource } from "./ports.ts";
import type { MemberSession } from "./types.ts";

export interface WorkerOptions {
  cluster: string;
  source: WorkSource;
  sink: ReportSink;
  /** UID of the hub's kube-system namespace; the value of Meridian's label. */
  hubId: string;
  /** Namespace of Meridian itself. No object in it is adopted. */
  systemNamespace: string;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  /** This worker's share of the concurrent requests of the process. */
  share: () => number;
  /** Called when the worker gets work that can be done now, or has none left. */
  working: (working: boolean) => void;
}

/** No reason: no contact has been tried yet, which says nothing about the cluster. */
const UNTRIED: Contact = { ok: false };
/** Kinds that a hub does not propagate to itself as a member, since they originate there. */
const NOT_FOR_LOCAL: readonly ResourceType[] = [CONFIGMAPS, SECRETS, NAMESPACES];
/** A few milliseconds of work. */
const ROWS_AT_A_TIME = 200;
const SUBSCRIBE_AGAIN = { baseMs: 1_000, capMs: 30_000 };

/**
 * Works for one cluster as long as its MemberCluster exists: writes the rows of the work source to the member, and
 * reports observations. It writes or removes only what a row allows.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #objects: MemberObjects;
  readonly #lane: Lane;
  readonly #namespaceLabels = new NamespaceLabels();
  readonly #phases = new Phases((object) => this.#lane.enqueue(object));
  readonly #definitions = new Definitions();
  readonly #end = new AbortController();
  #contact: Contact = UNTRIED;
  #reported: ClusterContact | undefined;
  #cache: ClusterCache | undefined;
  #pods: PodTroubles | undefined;
  #capacity: CapacityReader | undefined;
  #isCapacityWanted = false;
  #session: MemberSession | undefined;
  #kinds: readonly ResourceType[] | undefined;
  #otherKinds: readonly GroupKind[] = [];
  /** Only the first initial sync needs them, since later sessions know the objects from the previous one. */
  #expected: readonly string[] | undefined;
  #hasSynced = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { cluster, clock, random, logger, metrics, tracer, share, working } = options;
    this.#objects = new MemberObjects({
      cluster,
      changed: (object) => {
        if (!isNamespace(object.ref)) {
          this.#phases.note(object);
          this.#lane.enqueue(object);
          this.#pods?.consider(object);
          this.#capacity?.consider(object);
          this.#considerKinds(object);
          return;
        }
        this.#cache?.namespaceCleaner.enqueue(object);
        this.#cache?.namespaceLabeller.enqueue(object);
      },
      report: (observations) => this.#report(observations),
      namespaceEmptied: (name) => this.#namespaceEmptied(name),
    });
    this.#lane = new Lane({
      cluster,
      objects: this.#objects,
      clock,
      random,
      logger: logger.child({ cluster }),
      metrics,
      tracer,
      suspect: () => this.#session?.suspect(),
      share,
      working,
      mustWait: (object) => this.#phases.mustWait(object),
    });
  }

  start(): void {
    this.#reportContact();
    void this.#followAssignment();
  }

  get contact(): Contact {
    return this.#contact;
  }

  /** Reason why writes to the member are slowed down or stopped now. */
  get pace(): Why | undefined {
    return this.#lane.pace;
  }

  startSession(session: MemberSession): void {
    const { hubId, systemNamespace, clock, random, logger, metrics } = this.#options;
    const cache = new ClusterCache({
      session,
      objects: this.#objects,
      hubId,
      systemNamespace,
      namespaceLabels: this.#namespaceLabels,
      clock,
      random,
      logger,
      metrics,
      expected: () => this.#expected,
      knowsMore: () => this.#knowsMore(),
      kindsChanged: () => this.#lane.kindsChanged(),
      readabilityChanged: () => this.#reportContact(),
    });
    const { namespaces } = session;
    // Namespaces that were not granted have no watch, so nothing may be said of their objects.
    if (namespaces !== undefined) this.#objects.forgetUnreadable((ref) => isGranted(namespaces, ref.namespace));
    this.#session = session;
    this.#cache = cache;
    this.#pods = new PodTroubles({ session, objects: this.#objects, clock, logger });
    this.#capacity = new CapacityReader({
      session,
      clock,
      logger,
      found: (reading) => this.#reportCapacity(reading),
    });
    this.#capacity.want(this.#isCapacityWanted);
    this.#lane.attach(cache.member);
    session.signal.addEventListener("abort", () => this.#endSession(session), { once: true });
    this.#watchKinds();
  }

  setContact(contact: Contact): void {
    this.#contact = !contact.ok && contact.reason === NOT_YET_KNOWN ? UNTRIED : contact;
    if (contact.ok) this.#cache?.retryWatches();
    this.#lane.setContact(contact.ok);
    if (contact.ok) this.#cache?.namespaceCleaner.enqueueAll();
    this.#reportContact();
  }

  /** Nothing is begun or reported any more. Resolves when no write is under way. */
  async end(): Promise<void> {
    this.#end.abort(new Error(`the worker of ${this.#options.cluster} has ended`));
    const idle = this.#lane[Symbol.asyncDispose]();
    this.#objects.close();
    await idle;
  }

  get #hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  #endSession(session: MemberSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#cache = undefined;
    this.#pods = undefined;
    this.#capacity = undefined;
    this.#lane.detach();
    this.#reportContact();
  }

  /** An assignment that ends or fails is requested again. */
  async #followAssignment(): Promise<void> {
    const { cluster, source, clock, random, logger } = this.#options;
    const { signal } = this.#end;
    for (let failures = 1; !this.#hasEnded; failures += 1) {
      // A member object that is missing from the first rows loses its row.
      let isFirst = true;
      this.#wantCapacity(false);
      try {
        for await (const delta of source.assignment(cluster, signal)) {
          if (this.#hasEnded) return;
          await this.#take(delta, isFirst);
          failures = 0;
          if (delta.kind === "Rows") isFirst = false;
        }
        if (this.#hasEnded) return;
        logger.warn({ cluster, event_reason: "AssignmentEnded" }, "the assignment of a cluster ended; asking again");
      } catch (err) {
        if (this.#hasEnded) return;
        logger.error({ cluster, err, event_reason: "AssignmentFailed" }, "the assignment of a cluster broke off");
      }
      await clock
        .sleep(backoffDelay(Math.max(1, failures), { ...SUBSCRIBE_AGAIN, random }), signal)
        .catch(() => undefined);
    }
  }

  async #take(delta: WorkDelta, isFirst: boolean): Promise<void> {
    switch (delta.kind) {
      case "Expected":
        if (this.#hasSynced) return;
        this.#expected = delta.owners;
        this.#cache?.advance();
        return;
      case "Kinds":
        this.#kinds = delta.kinds;
        this.#otherKinds = delta.others ?? [];
        this.#watchKinds();
        return;
      case "Rows": {
        using _pause = delta.rows.some(({ row }) => row?.phase !== undefined) ? this.#phases.pause() : undefined;
        if (isFirst) this.#objects.withdrawOthers(delta.rows);
        for (const [index, row] of delta.rows.entries()) {
          if (index > 0 && index % ROWS_AT_A_TIME === 0) await this.#options.clock.nextTurn();
          // The labels must be known before the row is written and its namespace created.
          const namespace = row.row === undefined ? undefined : this.#namespaceLabels.take(row.row);
          this.#objects.takeRow(row);
          if (namespace !== undefined) this.#relabel(namespace);
        }
        if (isFirst) this.#objects.tookFirstRows();
        return;
      }
      case "Capacity":
        this.#wantCapacity(delta.wanted);
        // A measurement that is no longer repeated becomes outdated.
        if (!delta.wanted) this.#reportCapacity(undefined);
        return;
    }
  }

  #watchKinds(): void {
    if (this.#kinds === undefined || this.#cache === undefined) return;
    const isLocal = this.#session?.local === true;
    const kinds = isLocal ? this.#kinds.filter((type) => !isNotForLocal(type)) : this.#kinds;
    this.#cache.setKinds(kinds, this.#otherKinds);
  }

  /** Reviews the member's kinds when a definition has changed, and retries definitions whose deletion may proceed. */
  #considerKinds(object: MemberObject): void {
    if (this.#definitions.hasChanged(object)) this.#cache?.reviewKinds();
    for (const definition of this.#definitions.freedBy(object)) this.#lane.retryNow(definition);
  }

  #knowsMore(): void {
    this.#lane.enqueueAll();
    this.#cache?.namespaceCleaner.enqueueAll();
    this.#cache?.namespaceLabeller.enqueueAll();
    if (this.#cache?.isSynced === true) {
      this.#hasSynced = true;
      this.#expected = [];
    }
    this.#reportContact();
  }

  #relabel(namespace: ObjectRef): void {
    const object = this.#objects.get(refKey(namespace));
    if (object !== undefined) this.#cache?.namespaceLabeller.enqueue(object);
  }

  #namespaceEmptied(name: string): void {
    const ref: ObjectRef = { apiVersion: "v1", kind: "Namespace", name };
    const namespace = this.#objects.get(refKey(ref));
    if (namespace !== undefined) this.#cache?.namespaceCleaner.enqueue(namespace);
  }

  #report(observations: readonly Observation[]): void {
    const { cluster, sink, logger } = this.#options;
    try {
      sink.report(cluster, observations);
    } catch (err) {
      logger.error({ cluster, err, event_reason: "ReportFailed" }, "a report of member objects was not taken");
    }
  }

  #wantCapacity(isWanted: boolean): void {
    this.#isCapacityWanted = isWanted;
    this.#capacity?.want(isWanted);
  }

  #reportCapacity(reading: CapacityReading | undefined): void {
    const { cluster, sink } = this.#options;
    if (!this.#hasEnded) sink.capacity(cluster, reading);
  }

  #reportContact(): void {
    if (this.#hasEnded) return;
    const { cluster, sink } = this.#options;
    const contact = this.#clusterContact();
    if (this.#reported !== undefined && isSame(this.#reported, contact)) return;
    this.#reported = contact;
    // All observations must be reported before the contact says `synced`.
    this.#objects.flush();
    sink.contact(cluster, contact);
  }

  #clusterContact(): ClusterContact {
    const cache = this.#cache;
    const isSynced = cache?.isSynced === true;
    const unreadable = cache?.unreadable ?? new Map<string, Message>();
    const unserved = cache?.unserved ?? new Set<string>();
    const ungranted = cache?.ungranted ?? new Set<string>();
    const grant = ungranted.size < 2 ? undefined : cache?.grant;
    const blindness = this.#contact.ok ? cache?.blindness : undefined;
    const contact: Contact =
      blindness === undefined
        ? this.#contact
        : { ok: false, lastContact: blindness.since, reason: "NotObserved", message: fullMessage(blindness.message) };
    return {
      ...contact,
      synced: isSynced && contact.ok,
      ...(!isSynced && contact.ok && cache?.isPartlySynced === true ? { partlySynced: true } : {}),
      pending: this.#contact === UNTRIED || (this.#contact.ok && !isSynced && unreadable.size === 0),
      unreadable,
      ...(unserved.size === 0 ? {} : { unserved }),
      ...(ungranted.size === 0 ? {} : { ungranted }),
      ...defined({ grant }),
    };
  }
}

function isNotForLocal({ group, kind }: ResourceType): boolean {
  return NOT_FOR_LOCAL.some((type) => type.group === group && type.kind === kind);
}

function isSame(a: ClusterContact, b: ClusterContact): boolean {
  return sameContact(a, b) && a.lastContact === b.lastContact && sameReadability(a, b);
}
