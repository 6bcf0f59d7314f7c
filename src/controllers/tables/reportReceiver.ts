import { defined, isSameMessage, refKey, sameValue } from "../../apis/index.ts";
import {
  InOrder,
  refusalOf,
  refusedSession,
  type Report,
  type ReportAnswer,
  type ReportChannel,
  type ReportSession,
  type ReportSink,
  sameContact,
} from "../../ports/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { type ClusterContact, contactOf, sameReadability } from "./clusterContact.ts";
import type { Observations } from "./observations.ts";

export interface ReportReceiverOptions {
  observations: Observations;
  /** Term of this planner. */
  epoch: number;
  clock: Pick<Clock, "after" | "now">;
  /** Milliseconds without a report after which a worker counts as gone. Undefined: the workers run in this process. */
  silentAfterMs: number | undefined;
}

/** What is known of the worker of one cluster. */
interface Sender {
  /** The newest session. It is remembered after its end, so that no earlier one begins again. */
  session: ReportSession | undefined;
  isOpen: boolean;
  answer: (answer: ReportAnswer) => void;
  order: InOrder<Report>;
  /** Member objects that this session has named; undefined once it has named all, or if none was known before. */
  named: Set<string> | undefined;
  /** Contact by the last report, while silence hides it. */
  hidden: ClusterContact | undefined;
  silence: Disposable | undefined;
  /** Epoch milliseconds of the last report. */
  heardAt: number | undefined;
}

const PENDING: ClusterContact = { ok: false, synced: false, pending: true, unreadable: new Map() };

/**
 * Takes the reports of the workers into {@link Observations}. A report changes something only if it belongs to the
 * newest session of the cluster and to the present epoch: what a worker says of an earlier planner's rows acknowledges
 * none of this one's. A cluster whose worker is silent has no contact.
 */
export class ReportReceiver implements ReportSink, Disposable {
  readonly #options: ReportReceiverOptions;
  readonly #senders = new Map<string, Sender>();

  constructor(options: ReportReceiverOptions) {
    this.#options = options;
  }

  /** There is a MemberCluster of that name: its worker is about to report. */
  expect(cluster: string): void {
    if (this.#senders.has(cluster)) return;
    const sender: Sender = {
      session: undefined,
      isOpen: false,
      answer: () => undefined,
      order: new InOrder(),
      named: undefined,
      hidden: undefined,
      silence: undefined,
      heardAt: undefined,
    };
    this.#senders.set(cluster, sender);
    this.#options.observations.contact(cluster, PENDING);
    this.#awaitReport(cluster, sender);
  }

  /** The MemberCluster is gone. All that was reported of the cluster is forgotten. */
  forget(cluster: string): void {
    const sender = this.#senders.get(cluster);
    if (sender === undefined) return;
    this.#senders.delete(cluster);
    end(sender);
    this.#options.observations.contact(cluster, undefined);
  }

  open(cluster: string, session: ReportSession, answer: (answer: ReportAnswer) => void): ReportChannel {
    const sender = this.#senders.get(cluster);
    const refusal = refusalOf(session, sender?.session, this.#options.epoch);
    if (sender === undefined) return refusedSession("there is no MemberCluster of that name", answer);
    if (refusal !== undefined) return refusedSession(refusal, answer);
    if (sender.session !== undefined && sender.session.worker !== session.worker) sender.answer(REPLACED);
    sender.session = session;
    sender.isOpen = true;
    sender.answer = answer;
    sender.order = new InOrder();
    sender.named = this.#options.observations.hasAny(cluster) ? new Set() : undefined;
    return {
      send: (report) => {
        if (sender.session !== session) answerLate(sender.session, session, answer);
        else if (sender.isOpen) this.#take(cluster, sender, report);
        else answer(OVER);
      },
      [Symbol.dispose]: () => {
        if (sender.session === session) sender.isOpen = false;
      },
    };
  }

  [Symbol.dispose](): void {
    for (const sender of this.#senders.values()) end(sender);
    this.#senders.clear();
  }

  #take(cluster: string, sender: Sender, report: Report): void {
    const ready = sender.order.take(report, isSignOfLife(report));
    if (ready === "Gap") {
      sender.isOpen = false;
      sender.answer({ kind: "Resync", why: "reports were lost" });
      return;
    }
    sender.heardAt = this.#options.clock.now();
    this.#awaitReport(cluster, sender);
    const { observations } = this.#options;
    observations.batch(() => {
      for (const next of ready) this.#apply(cluster, sender, next);
      if (sender.hidden !== undefined) this.#setContact(cluster, sender.hidden);
      sender.hidden = undefined;
    });
  }

  #apply(cluster: string, sender: Sender, report: Report): void {
    const { observations } = this.#options;
    if (report.observations !== undefined) {
      observations.report(cluster, report.observations);
      if (sender.named !== undefined) for (const { ref } of report.observations) sender.named.add(refKey(ref));
    }
    if (report.contact !== undefined) {
      sender.hidden = undefined;
      this.#setContact(cluster, contactOf(report.contact));
    }
    if (report.capacity === "Stopped") observations.capacity(cluster, undefined);
    else if (report.capacity === "Unchanged") observations.measuredAgain(cluster);
    else if (report.capacity !== undefined) observations.capacity(cluster, report.capacity.reading);
    if (report.complete === undefined) return;
    observations.complete(cluster, report.complete.revision, sender.named);
    sender.named = undefined;
  }

  #setContact(cluster: string, contact: ClusterContact): void {
    const before = this.#options.observations.contactOf(cluster);
    if (!isSame(before, contact)) this.#options.observations.contact(cluster, contact);
  }

  /** Begins to count the silence anew. */
  #awaitReport(cluster: string, sender: Sender): void {
    const { silentAfterMs, clock } = this.#options;
    sender.silence?.[Symbol.dispose]();
    if (silentAfterMs === undefined) return;
    sender.silence = clock.after(silentAfterMs, () => this.#noteSilence(cluster, sender));
  }

  #noteSilence(cluster: string, sender: Sender): void {
    const { observations } = this.#options;
    const before = observations.contactOf(cluster);
    sender.hidden = sender.heardAt === undefined ? undefined : before;
    const lastContact = before.ok ? sender.heardAt : before.lastContact;
    this.#setContact(cluster, {
      ok: false,
      reason: "ClusterUnreachable",
      message: "the worker of the cluster does not report",
      ...defined({ lastContact }),
      synced: false,
      pending: false,
      unreadable: before.unreadable,
    });
  }
}

const OVER: ReportAnswer = { kind: "Resync", why: "the session is over" };
const REPLACED: ReportAnswer = { kind: "Superseded", why: "another worker reports for the cluster" };

/** Nothing is taken of the sender any more. */
function end(sender: Sender): void {
  sender.isOpen = false;
  sender.silence?.[Symbol.dispose]();
}

/** For a report of a session that another one has replaced. The first answer may have been lost. */
function answerLate(
  newest: ReportSession | undefined,
  session: ReportSession,
  answer: (answer: ReportAnswer) => void,
): void {
  // A worker knows of its own later session.
  if (newest?.worker !== session.worker) answer(REPLACED);
}

function isSignOfLife({ seq: _, ...parts }: Report): boolean {
  return Object.keys(parts).length === 0;
}

function isSame(a: ClusterContact, b: ClusterContact): boolean {
  return (
    sameContact(a, b) &&
    a.lastContact === b.lastContact &&
    sameReadability(a, b) &&
    sameValue([...(a.unserved ?? [])], [...(b.unserved ?? [])]) &&
    sameValue([...(a.ungranted ?? [])], [...(b.ungranted ?? [])]) &&
    isSameMessage(a.grant, b.grant)
  );
}
