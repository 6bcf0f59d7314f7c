import {
  type ClusterAnswer,
  type ClusterMessage,
  type ClusterReportChannel,
  InOrder,
  refusalOf,
  refusedSession,
  type ReportSession,
} from "../../ports/index.ts";
import type { Clock } from "../../runtime/index.ts";
import type { MemberReport } from "./memberReport.ts";

export interface ClusterSessionsOptions {
  /** Term of this planner. */
  epoch: number;
  clock: Pick<Clock, "after">;
  /** Milliseconds without a message after which a connection counts as gone. Undefined: it is in this process. */
  silentAfterMs: number | undefined;
}

/** The newest session about one MemberCluster. It is remembered after its end, so that no earlier one begins again. */
interface Sender {
  session: ReportSession;
  isOpen: boolean;
  report: MemberReport;
  answer: (answer: ClusterAnswer) => void;
  order: InOrder<ClusterMessage>;
  silence: Disposable | undefined;
}

const SILENT = {
  ok: false,
  reason: "ClusterUnreachable",
  message: "the worker of the cluster does not report",
} as const;

/** Takes the messages of the newest session about each cluster, in order, and hands them to the cluster's report. */
export class ClusterSessions implements Disposable {
  readonly #options: ClusterSessionsOptions;
  readonly #senders = new Map<string, Sender>();

  constructor(options: ClusterSessionsOptions) {
    this.#options = options;
  }

  /** `report`: of the MemberCluster; undefined if it is gone. */
  open(
    cluster: string,
    report: MemberReport | undefined,
    session: ReportSession,
    answer: (answer: ClusterAnswer) => void,
  ): ClusterReportChannel {
    const known = this.#senders.get(cluster);
    const refusal = refusalOf(session, known?.session, this.#options.epoch);
    if (report === undefined) return refusedSession("there is no such MemberCluster", answer);
    if (refusal !== undefined) return refusedSession(refusal, answer);
    if (known !== undefined) close(known);
    if (known?.isOpen === true && known.session.worker !== session.worker) known.answer(REPLACED);
    const sender: Sender = { session, isOpen: true, report, answer, order: new InOrder(), silence: undefined };
    this.#senders.set(cluster, sender);
    this.#awaitMessage(sender);
    return {
      send: (message) => {
        if (this.#senders.get(cluster) === sender && sender.isOpen) this.#take(sender, message);
        else answer(OVER);
      },
      [Symbol.dispose]: () => close(sender),
    };
  }

  /** The MemberCluster is gone, or is another one now. */
  end(cluster: string): void {
    const sender = this.#senders.get(cluster);
    if (sender !== undefined) close(sender);
  }

  [Symbol.dispose](): void {
    for (const sender of this.#senders.values()) close(sender);
    this.#senders.clear();
  }

  #take(sender: Sender, message: ClusterMessage): void {
    const ready = sender.order.take(message, message.kind === "Heartbeat");
    if (ready === "Gap") {
      close(sender);
      sender.answer({ kind: "Resync", why: "messages were lost" });
      return;
    }
    this.#awaitMessage(sender);
    for (const next of ready) handOn(sender, next);
  }

  /** Begins to count the silence anew. */
  #awaitMessage(sender: Sender): void {
    const { silentAfterMs, clock } = this.#options;
    sender.silence?.[Symbol.dispose]();
    if (silentAfterMs === undefined) return;
    sender.silence = clock.after(silentAfterMs, () => {
      close(sender);
      sender.report.send({ kind: "Contact", contact: SILENT });
    });
  }
}

function handOn({ report, answer }: Sender, message: ClusterMessage): void {
  const { seq: _, ...news } = message;
  if (news.kind === "Heartbeat") return;
  if (news.kind !== "Identity") {
    report.send(news);
    return;
  }
  const { uid } = news.identity;
  void report.recordIdentity(news.identity).then((given) => answer({ kind: "Identity", uid, answer: given }));
}

const OVER: ClusterAnswer = { kind: "Resync", why: "the session is over" };
const REPLACED: ClusterAnswer = { kind: "Superseded", why: "another connection reports on the cluster" };

function close(sender: Sender): void {
  sender.isOpen = false;
  sender.silence?.[Symbol.dispose]();
}
