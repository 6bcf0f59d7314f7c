import { type Contact, isGranted, type ObjectRef, refKey, sameValue } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Logger, Metrics, Tracer } from "../observability/index.ts";
import { type Clock, CONFIGMAPS, NAMESPACES, type ResourceType, SECRETS } from "../runtime/index.ts";
import { type ContactReport, type Liveness, type ReportSink, type WorkDelta, type WorkSource } from "../ports/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";
import { Definitions, isNamespace, type MemberObject, MemberObjects, NamespaceLabels, Phases } from "./model/index.ts";
import { ClusterCache } from "./watch/index.ts";
import { Lane } from "./lane/index.ts";
import { PodTroubles, CapacityReader } from "./workloads/index.ts";
import { AssignmentReader } from "./assignmentReader.ts";
import { contactReport, triedContact, UNTRIED } from "./contactReport.ts";
import { Reporter } from "./reporter.ts";
import { sessionMember } from "./sessionMember.ts";
import type { MemberSession } from "./types.ts";

export interface WorkerOptions {
  cluster: string;
  /** Unique for this process. */
  identity: string;
  source: WorkSource;
  sink: ReportSink;
  /** Signs of life between this worker and the planner. Undefined: both are in one process. */
  liveness: Liveness | undefined;
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

/** Kinds that a hub does not propagate to itself as a member, since they originate there. */
const NOT_FOR_LOCAL: readonly ResourceType[] = [CONFIGMAPS, SECRETS, NAMESPACES];
/** A few milliseconds of work. */
const ROWS_AT_A_TIME = 200;

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
  readonly #reader: AssignmentReader;
  readonly #reporter: Reporter;
  #contact: Contact = UNTRIED;
  #reported: ContactReport | undefined;
  /** This session of reports has named every member object that is known. */
  #hasReportedAll = false;
  #room: CapacityReading | undefined;
  #pause: Disposable | undefined;
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
        if (isNamespace(object.ref)) return this.#lane.enqueue(object);
        this.#phases.note(object);
        this.#lane.enqueue(object);
        this.#pods?.consider(object);
        this.#capacity?.consider(object);
        this.#considerKinds(object);
      },
      report: (observations) => this.#reporter.send({ observations }),
      namespaceEmptied: (name) => this.#enqueueNamespace({ apiVersion: "v1", kind: "Namespace", name }),
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
      phases: this.#phases,
      namespaceLabels: this.#namespaceLabels,
    });
    this.#reporter = this.#createReporter(options);
    this.#reader = this.#createReader(options);
  }

  #createReporter({ cluster, identity, sink, clock, random, logger, liveness }: WorkerOptions): Reporter {
    const heartbeatMs = liveness?.heartbeatMs;
    return new Reporter({
      ...{ cluster, worker: identity, sink, clock, random, logger, heartbeatMs },
      everything: () => this.#reportEverything(),
    });
  }

  #createReader({ cluster, source, clock, random, logger, liveness }: WorkerOptions): AssignmentReader {
    const objects = this.#objects;
    return new AssignmentReader({
      ...{ cluster, source, clock, random, logger, silentAfterMs: liveness?.silentAfterMs },
      assignee: {
        beginEpoch: (epoch) => {
          objects.beginEpoch();
          this.#reporter.open(epoch);
        },
        withRows: () => objects.withRows(),
        get checksum() {
          return objects.checksum;
        },
        take: (delta) => this.#take(delta),
        withdraw: (keys) => objects.withdraw(keys),
        tookAll: () => objects.tookAllRows(),
        endStream: () => this.#unpause(),
      },
    });
  }

  start(): void {
    void this.#reader.run(this.#end.signal);
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
    const parts = { session, cache, objects: this.#objects, namespaceLabels: this.#namespaceLabels };
    this.#lane.attach(sessionMember({ ...parts, hubId, systemNamespace }));
    session.signal.addEventListener("abort", () => this.#endSession(session), { once: true });
    this.#watchKinds();
  }

  setContact(contact: Contact): void {
    this.#contact = triedContact(contact);
    if (contact.ok) this.#cache?.retryWatches();
    this.#lane.setContact(contact.ok);
    this.#reportContact();
  }

  /** Nothing is begun or reported any more. Resolves when no write is under way. */
  async end(): Promise<void> {
    this.#end.abort(new Error(`the worker of ${this.#options.cluster} has ended`));
    this.#reporter[Symbol.dispose]();
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

  async #take(delta: Extract<WorkDelta, { kind: "Expected" | "Kinds" | "Rows" | "Capacity" }>): Promise<void> {
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
      case "Rows":
        await this.#takeRows(delta);
        return;
      case "Capacity":
        this.#isCapacityWanted = delta.wanted;
        this.#capacity?.want(delta.wanted);
        // A measurement that is no longer repeated becomes outdated.
        if (!delta.wanted && this.#room !== undefined) this.#reportCapacity(undefined);
        return;
    }
  }

  async #takeRows({ rows, more }: Extract<WorkDelta, { kind: "Rows" }>): Promise<void> {
    if (rows.some(({ row }) => row?.phase !== undefined)) this.#pause ??= this.#phases.pause();
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % ROWS_AT_A_TIME === 0) await this.#options.clock.nextTurn();
      // The labels must be known before the row is written and its namespace created.
      const namespace = row.row === undefined ? undefined : this.#namespaceLabels.take(row.row);
      this.#objects.takeRow(row);
      if (namespace !== undefined) this.#enqueueNamespace(namespace);
    }
    if (more === true) await this.#options.clock.nextTurn();
    else this.#unpause();
  }

  #unpause(): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
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
    if (this.#cache?.isFullySynced === true) {
      this.#hasSynced = true;
      this.#expected = [];
    }
    this.#reportContact();
  }

  /** Nothing of ours is in the namespace any more, or its labels have changed. */
  #enqueueNamespace(ref: ObjectRef): void {
    const namespace = this.#objects.get(refKey(ref));
    if (namespace !== undefined) this.#lane.enqueue(namespace);
  }

  #reportCapacity(reading: CapacityReading | undefined): void {
    const before = this.#room;
    this.#room = reading;
    if (reading === undefined) this.#reporter.send({ capacity: "Stopped" });
    else this.#reporter.send({ capacity: reading === before ? "Unchanged" : { reading } });
  }

  #reportContact(): void {
    if (this.#hasEnded || !this.#reporter.isOpen) return;
    const contact = contactReport(this.#contact, this.#cache);
    const isNews = !sameValue(this.#reported, contact);
    if (!isNews && (this.#hasReportedAll || !this.#hasSynced)) return;
    this.#reported = contact;
    // One report: whoever reads that all is known finds all observations.
    this.#reporter.send({ observations: this.#objects.collect(), contact, ...this.#completion() });
  }

  /** A new session begins: the receiver may know nothing. */
  #reportEverything(): void {
    this.#hasReportedAll = false;
    this.#reported = undefined;
    this.#objects.markAll();
    this.#reportContact();
    if (this.#room !== undefined) this.#reporter.send({ capacity: { reading: this.#room } });
  }

  #completion(): { complete?: { revision: number } } {
    if (this.#hasReportedAll || !this.#hasSynced) return {};
    this.#hasReportedAll = true;
    return { complete: { revision: this.#reader.progress?.revision ?? 0 } };
  }
}

function isNotForLocal({ group, kind }: ResourceType): boolean {
  return NOT_FOR_LOCAL.some((type) => type.group === group && type.kind === kind);
}
