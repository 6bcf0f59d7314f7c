import type { Contact } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Answering,
  type ClusterAnswer,
  type ClusterFindings,
  type ClusterIdentity,
  type ClusterMessage,
  type ClusterNews,
  type ClusterReport,
  type ClusterReportChannel,
  type ConnectionSettings,
  type IdentityAnswer,
  PROTOCOL_VERSION,
  type ReportSession,
} from "../../ports/index.ts";
import { type Clock, every } from "../../runtime/index.ts";
import { Reopening } from "../reopening.ts";

export interface ClusterReporterOptions {
  member: Pick<ConnectionSettings, "cluster" | "uid">;
  reports: ClusterReport;
  /** The next session of this worker. */
  session: () => Omit<ReportSession, "version">;
  clock: Pick<Clock, "after">;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  /** Milliseconds between two signs of life. Undefined: the receiver is in this process. */
  heartbeatMs: number | undefined;
}

/** What a connection says of its cluster. */
export interface ClusterReporting {
  send(news: ClusterNews): void;
  /** Never rejects. `Refused`: the request may be repeated. */
  recordIdentity(identity: ClusterIdentity): Promise<IdentityAnswer>;
}

/** Reports on one connection, in sessions. A new session begins with everything that was reported before. */
export class ClusterReporter implements ClusterReporting, Disposable {
  readonly #options: ClusterReporterOptions;
  #channel: ClusterReportChannel | undefined;
  /** Number of the session. Answers to an earlier session end no session. */
  #number = 0;
  #seq = 0;
  readonly #reopening: Reopening;
  #heartbeat: Disposable | undefined;
  #hasEnded = false;
  #contact: Contact | undefined;
  #findings: ClusterFindings | undefined;
  #answering: Answering | undefined;
  #identity: { asked: ClusterIdentity; answer: (answer: IdentityAnswer) => void } | undefined;

  constructor(options: ClusterReporterOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#reopening = new Reopening({ clock, random, open: () => this.#begin() });
    this.#begin();
  }

  send(news: ClusterNews): void {
    switch (news.kind) {
      case "Contact":
        this.#contact = news.contact;
        break;
      case "Findings":
        this.#findings = { ...this.#findings, ...news.findings };
        break;
      case "Answering":
        this.#answering = news.answering;
        break;
      case "TokenRenewal":
        break;
    }
    this.#send(news);
  }

  recordIdentity(asked: ClusterIdentity): Promise<IdentityAnswer> {
    this.#identity?.answer("Refused");
    return new Promise((resolve) => {
      const answer = (given: IdentityAnswer): void => {
        this.#identity = undefined;
        resolve(given);
      };
      this.#identity = { asked, answer };
      this.#send({ kind: "Identity", identity: asked });
    });
  }

  /** Nothing is reported any more. */
  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#close();
    this.#reopening[Symbol.dispose]();
    this.#identity?.answer("Refused");
  }

  #begin(): void {
    const { member, reports, session } = this.#options;
    this.#number += 1;
    this.#seq = 0;
    const number = this.#number;
    const channel = reports.open(member, { version: PROTOCOL_VERSION, ...session() }, (answer) =>
      this.#answered(answer, number),
    );
    if (number !== this.#number) {
      // The receiver has refused the session at once.
      channel[Symbol.dispose]();
      return;
    }
    this.#channel = channel;
    if (this.#findings !== undefined) this.#send({ kind: "Findings", findings: this.#findings });
    if (this.#answering !== undefined) this.#send({ kind: "Answering", answering: this.#answering });
    // A contact says that the identity is recorded, so what is asked for comes last.
    if (this.#contact !== undefined) this.#send({ kind: "Contact", contact: this.#contact });
    if (this.#identity !== undefined) this.#send({ kind: "Identity", identity: this.#identity.asked });
    this.#beat();
  }

  #send(message: Message): void {
    if (this.#channel === undefined) return;
    const seq = this.#seq;
    this.#seq += 1;
    this.#channel.send({ ...message, seq });
  }

  #answered(answer: ClusterAnswer, number: number): void {
    if (answer.kind === "Identity") {
      if (this.#identity?.asked.uid !== answer.uid) return;
      this.#reopening.succeeded();
      this.#identity.answer(answer.answer);
      return;
    }
    if (number !== this.#number || this.#hasEnded) return;
    const { member, logger } = this.#options;
    const { kind, why } = answer;
    logger.debug({ cluster: member.cluster, why, event_reason: `ClusterReport${kind}` }, "the session begins anew");
    this.#close();
    this.#reopening.afterFailure();
  }

  /** A request without an answer is repeated with each sign of life: the answer may be lost. */
  #beat(): void {
    const { clock, heartbeatMs } = this.#options;
    if (heartbeatMs === undefined) return;
    this.#heartbeat = every(clock, heartbeatMs, () => {
      if (this.#identity !== undefined) this.#send({ kind: "Identity", identity: this.#identity.asked });
      this.#send({ kind: "Heartbeat" });
    });
  }

  #close(): void {
    this.#number += 1;
    this.#heartbeat?.[Symbol.dispose]();
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.[Symbol.dispose]();
  }
}

type Message = ClusterMessage extends infer M ? (M extends { seq: number } ? Omit<M, "seq"> : never) : never;
