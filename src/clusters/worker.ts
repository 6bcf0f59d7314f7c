import { type Contact, isGranted, type ObjectRef, refKey } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { AuditTrail, Logger, MemberLoad, Metrics, Tracer } from "../observability/index.ts";
import { type Clock, CONFIGMAPS, NAMESPACES, type ResourceType, SECRETS } from "../runtime/index.ts";
import type { Liveness, ReportSink, WorkSource } from "../ports/index.ts";
import { Assignment } from "./assignment.ts";
import { AssignmentReader } from "./assignmentReader.ts";
import { contactReport, triedContact, UNTRIED } from "./contactReport.ts";
import { Lane } from "./lane/index.ts";
import { type MemberKnowledge, MemberReports } from "./memberReports.ts";
import { Definitions, MemberObjects, NamespaceLabels, Phases } from "./model/index.ts";
import { sessionMember } from "./sessionMember.ts";
import type { MemberSession } from "./types.ts";
import { ClusterCache } from "./watch/index.ts";
import { WriteAudit } from "./write/index.ts";
import { CapacityReader, PodTroubles } from "./workloads/index.ts";

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
  /** Absent: writes are not recorded. */
  audit?: Pick<AuditTrail, "wrote"> | undefined;
  /** This worker's share of the concurrent requests of the process. */
  share: () => number;
  /** Called when the worker gets work that can be done now, or has none left. */
  working: (working: boolean) => void;
}

/** Kinds that a hub does not propagate to itself as a member, since they originate there. */
const NOT_FOR_LOCAL: readonly ResourceType[] = [CONFIGMAPS, SECRETS, NAMESPACES];

/** Parts of a worker that live as long as one session. */
interface CurrentSession {
  session: MemberSession;
  cache: ClusterCache;
  capacity: CapacityReader;
}

/**
 * Works for one cluster as long as its MemberCluster exists: writes the rows of the work source to the member, and
 * reports observations. It writes or removes only what a row allows.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #objects = new MemberObjects();
  readonly #namespaceLabels = new NamespaceLabels();
  readonly #audit: WriteAudit | undefined;
  readonly #lane: Lane;
  readonly #end = new AbortController();
  readonly #assignment: Assignment;
  readonly #reader: AssignmentReader;
  readonly #reports: MemberReports;
  #contact: Contact = UNTRIED;
  #hasSynced = false;
  #current: CurrentSession | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { cluster, identity, source, sink, liveness, clock, random, logger, audit } = options;
    this.#audit = audit && new WriteAudit({ cluster, trail: audit, clock });
    const objects = this.#objects;
    // The lane asks the phases, so they hear of a change first.
    const phases = new Phases(objects, (object) => this.#lane.enqueue(object));
    this.#lane = this.#createLane(options, phases);
    this.#subscribe();
    this.#reports = new MemberReports(
      { ...{ cluster, sink, clock, random, logger }, worker: identity, heartbeatMs: liveness?.heartbeatMs },
      objects,
      () => this.#knowledge(),
    );
    this.#assignment = new Assignment(objects, phases, clock, {
      epochBegan: (epoch) => this.#reports.open(epoch),
      kindsChanged: () => this.#watchKinds(),
      expectedChanged: () => this.#current?.cache.advance(),
      capacityChanged: () => this.#measureCapacity(),
    });
    this.#reader = new AssignmentReader({
      ...{ cluster, source, clock, random, logger, silentAfterMs: liveness?.silentAfterMs },
      assignee: this.#assignment,
    });
  }

  #createLane(
    { cluster, clock, random, logger, metrics, tracer, share, working }: WorkerOptions,
    phases: Phases,
  ): Lane {
    return new Lane({
      ...{ cluster, clock, random, metrics, tracer, share, working, phases, audit: this.#audit },
      objects: this.#objects,
      namespaceLabels: this.#namespaceLabels,
      logger: logger.child({ cluster }),
      suspect: () => this.#current?.session.suspect(),
    });
  }

  #subscribe(): void {
    const objects = this.#objects;
    const lane = this.#lane;
    objects.onChange((object) => lane.enqueue(object));
    // A row is written after this, into a namespace with these labels.
    objects.onRow((_object, { row }) => {
      if (row !== undefined) this.#namespaceLabels.take(row);
    });
    this.#namespaceLabels.onChange((namespace) => this.#enqueueNamespace(namespace));
    objects.onNamespaceEmptied((name) => this.#enqueueNamespace({ apiVersion: "v1", kind: "Namespace", name }));
    const definitions = new Definitions(objects);
    definitions.onChange(() => this.#current?.cache.reviewKinds());
    definitions.onFreed((definition) => lane.retryNow(definition));
  }

  get load(): MemberLoad {
    return this.#lane.load;
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
    const { namespaces, signal } = session;
    const objects = this.#objects;
    // Namespaces that were not granted have no watch, so nothing may be said of their objects.
    if (namespaces !== undefined) objects.forgetUnreadable((ref) => isGranted(namespaces, ref.namespace));
    const cache = new ClusterCache({
      ...{ session, objects, hubId, clock, random, logger, metrics },
      expected: () => this.#assignment.expected,
      knowsMore: () => this.#knowsMore(),
      kindsChanged: () => this.#lane.kindsChanged(),
      readabilityChanged: () => this.#reports.reportContact(),
    });
    new PodTroubles({ session, objects, clock, logger });
    const capacity = new CapacityReader({
      ...{ session, objects, clock, logger },
      found: (reading) => this.#reports.reportCapacity(reading),
    });
    capacity.want(this.#assignment.isCapacityWanted);
    this.#current = { session, cache, capacity };
    const namespaceLabels = this.#namespaceLabels;
    const audit = this.#audit;
    this.#lane.attach(sessionMember({ session, cache, objects, namespaceLabels, hubId, systemNamespace, audit }));
    signal.addEventListener("abort", () => this.#endSession(session), { once: true });
    this.#watchKinds();
  }

  setContact(contact: Contact): void {
    this.#contact = triedContact(contact);
    if (contact.ok) this.#current?.cache.retryWatches();
    this.#lane.setContact(contact.ok);
    this.#reports.reportContact();
  }

  /** Nothing is begun or reported any more. Resolves when no write is under way. */
  async end(): Promise<void> {
    this.#end.abort(new Error(`the worker of ${this.#options.cluster} has ended`));
    this.#reports[Symbol.dispose]();
    const idle = this.#lane[Symbol.asyncDispose]();
    this.#objects.close();
    await idle;
  }

  #endSession(session: MemberSession): void {
    if (this.#current?.session !== session) return;
    this.#current = undefined;
    this.#lane.detach();
    this.#reports.reportContact();
  }

  #watchKinds(): void {
    const { kinds } = this.#assignment;
    if (kinds === undefined || this.#current === undefined) return;
    const { cache, session } = this.#current;
    const served = session.local ? kinds.served.filter((type) => !isNotForLocal(type)) : kinds.served;
    cache.setKinds(served, kinds.others);
  }

  #measureCapacity(): void {
    const { isCapacityWanted } = this.#assignment;
    this.#current?.capacity.want(isCapacityWanted);
    if (!isCapacityWanted) this.#reports.stopCapacity();
  }

  #knowsMore(): void {
    this.#lane.enqueueAll();
    if (this.#current?.cache.isFullySynced === true) {
      this.#hasSynced = true;
      this.#assignment.expectNoMore();
    }
    this.#reports.reportContact();
  }

  /** Nothing of ours is in the namespace any more, or its labels have changed. */
  #enqueueNamespace(ref: ObjectRef): void {
    const namespace = this.#objects.get(refKey(ref));
    if (namespace !== undefined) this.#lane.enqueue(namespace);
  }

  #knowledge(): MemberKnowledge {
    return {
      contact: contactReport(this.#contact, this.#current?.cache),
      complete: this.#hasSynced ? { revision: this.#reader.progress?.revision ?? 0 } : undefined,
    };
  }
}

function isNotForLocal({ group, kind }: ResourceType): boolean {
  return NOT_FOR_LOCAL.some((type) => type.group === group && type.kind === kind);
}
