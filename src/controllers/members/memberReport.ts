import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  type Contact,
  defined,
  fullMessage,
  type KubeObject,
  type MemberCluster,
  type Message,
} from "../../apis/index.ts";
import { type EventRecorder, logContext, type Logger, type Recoveries } from "../../observability/index.ts";
import {
  type Answering,
  type ClusterIdentity,
  type ClusterNews,
  type ConnectionSettings,
  type IdentityAnswer,
  NOT_YET_KNOWN,
  type TokenRenewal,
} from "../../ports/index.ts";
import type { Client, Clock } from "../../runtime/index.ts";
import { DampedContact, type Damping } from "../tables/index.ts";
import { regardingMember } from "./memberCondition.ts";
import { answeringNews, contactLoss, latencyOf, type MemberFindings, type MemberTroubleEnd } from "./memberStatus.ts";
import { MemberStatusWriter } from "./statusWriter.ts";

/** The first loss is published in the condition at once. */
const DAMPING: Damping = { firstMs: 0, longestMs: 120_000, textMs: 0 };
const UNTRIED: Contact = { ok: false, reason: NOT_YET_KNOWN };

export interface MemberReportOptions {
  hub: Client;
  clock: Clock;
  logger: Logger;
  events: Pick<EventRecorder, "record">;
  recoveries: Recoveries;
  /** Takes the answer to a status write. */
  onWritten: (object: KubeObject) => void;
  /** Called when a status write was refused or got no answer. */
  onFailed: () => void;
}

/**
 * Takes the facts about one cluster, writes them into the status of its MemberCluster, and records Events about
 * troubles that begin or end. Only reads if another manager owns the MemberCluster.
 */
export class MemberReport implements Disposable {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #events: Pick<EventRecorder, "record">;
  readonly #recoveries: Recoveries;
  readonly #writer: MemberStatusWriter;
  readonly #contact: DampedContact<Contact>;
  #object: MemberCluster;
  #owned: boolean;
  #findings: MemberFindings = {};
  /** Findings that are written together with the identity. */
  #claimed: MemberFindings | undefined;
  /** Last status without contact, until contact is published again. */
  #lost: MemberCluster["status"];
  /** Contact that is written together with the identity, before it is made. */
  #anticipated: Contact | undefined;

  constructor(object: MemberCluster, owned: boolean, options: MemberReportOptions) {
    const { hub, clock, events, recoveries, onWritten, onFailed } = options;
    const cluster = object.metadata.name;
    this.#object = object;
    this.#owned = owned;
    this.#clock = clock;
    this.#events = events;
    this.#recoveries = recoveries;
    this.#logger = options.logger.child(logContext(undefined, { cluster }));
    this.#contact = new DampedContact<Contact>({
      clock,
      damping: DAMPING,
      changed: (before) => {
        if (before !== undefined) this.#contactChanged(before);
      },
    });
    this.#writer = new MemberStatusWriter({
      ...{ cluster, hub, clock, logger: this.#logger, onFailed },
      onWritten: (written) => {
        this.#noteLoss(written as unknown as MemberCluster);
        onWritten(written);
      },
      input: () =>
        this.#owned
          ? {
              generation: this.#object.metadata.generation,
              contact: this.#anticipated ?? this.#published,
              findings: { ...this.#findings, ...this.#claimed },
            }
          : undefined,
    });
    this.#contact.take(UNTRIED);
    this.take(object, owned);
  }

  /** UID of the MemberCluster. */
  get objectUid(): string | undefined {
    return this.#object.metadata.uid;
  }

  /** The part of the MemberCluster that the connection needs, by the newest known status. */
  get settings(): ConnectionSettings {
    const { metadata, spec } = this.#object;
    const { status } = this.#writer;
    return {
      cluster: metadata.name,
      uid: metadata.uid,
      createdAt: metadata.creationTimestamp,
      connection: spec.connection,
      namespaces: spec.namespaces,
      acceptedUid: metadata.annotations?.[ACCEPT_CLUSTER_UID_ANNOTATION],
      recordedUid: status?.clusterUID,
      latencyMs: latencyOf(status),
      owned: this.#owned,
    };
  }

  /** `owned`: this manager writes the status. */
  take(object: MemberCluster, owned: boolean): void {
    this.#object = object;
    this.#owned = owned;
    this.#writer.take(object);
    this.#noteLoss(object);
  }

  /** Writes the status if an input has changed. */
  changed(): void {
    if (this.#owned) this.#writer.request();
  }

  send(news: ClusterNews): void {
    if (this.#writer.disposed) return;
    switch (news.kind) {
      case "Contact":
        this.#anticipated = undefined;
        this.#contact.take(news.contact);
        break;
      case "Findings":
        this.#find(defined(news.findings));
        break;
      case "Answering":
        this.#answers(news.answering);
        break;
      case "TokenRenewal":
        this.#tokenRenewed(news.renewal);
        break;
    }
  }

  /** The status says `Connected` from now on until the next contact is reported. Never rejects. */
  async recordIdentity({ uid, findings = {} }: ClusterIdentity): Promise<IdentityAnswer> {
    if (!this.#owned) return this.#writer.status?.clusterUID === uid ? "Recorded" : "NotOwner";
    const claimed: MemberFindings = { ...defined(findings), clusterUID: uid };
    this.#claimed = claimed;
    this.#anticipated = { ok: true };
    try {
      await this.#writer.writeNow();
      this.#findings = { ...this.#findings, ...claimed };
      return "Recorded";
    } catch (err) {
      if (this.#claimed === claimed) this.#anticipated = undefined;
      if (!this.#writer.disposed) {
        this.#logger.warn({ err, event_reason: "IdentityNotRecorded" }, "the cluster's UID was not written down");
      }
      return "Refused";
    } finally {
      // The next session may already be writing its own identity.
      if (this.#claimed === claimed) this.#claimed = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#contact[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }

  /** Resolves when no request is under way. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }

  get #published(): Contact {
    return this.#contact.published ?? UNTRIED;
  }

  #contactChanged(before: Contact): void {
    const { ok, reason = "ClusterUnreachable", message = "" } = this.#published;
    if (!ok && before.reason !== NOT_YET_KNOWN) this.#record("Warning", reason, "Probe", message);
    const loss = ok ? contactLoss(before, this.#lost, this.#clock.now()) : undefined;
    if (loss !== undefined) this.#ended([loss]);
    if (ok) this.#lost = undefined;
    this.changed();
  }

  #answers({ latencyMs, pace }: Answering): void {
    const { begun, ended } = answeringNews(this.#writer.status, { latencyMs, pace }, this.#clock.now());
    for (const { reason, message } of begun) this.#record("Warning", reason, "Probe", message);
    this.#ended(ended);
    this.#find({ latencyMs, pace });
  }

  #tokenRenewed(renewal: TokenRenewal): void {
    if (renewal.renewed)
      this.#record("Normal", "TokenRenewed", "RenewToken", `the token is valid until ${renewal.expiresAt}`);
    else this.#record("Warning", "TokenNotRenewed", "RenewToken", renewal.message);
  }

  #find(findings: MemberFindings): void {
    this.#findings = { ...this.#findings, ...findings };
    // Newer findings win, also over findings that are being written together with the identity.
    if (this.#claimed !== undefined) Object.assign(this.#claimed, findings);
    this.changed();
  }

  #noteLoss({ status }: Pick<MemberCluster, "status">): void {
    const isLost = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "False") === true;
    // A status that arrives after contact was made describes an earlier loss.
    if (isLost && !this.#published.ok) this.#lost = status;
  }

  #record(type: "Normal" | "Warning", reason: string, action: string, message: Message): void {
    if (!this.#owned) return;
    this.#events.record({ regarding: regardingMember(this.#object), type, reason, action, note: fullMessage(message) });
  }

  #ended(troubles: readonly MemberTroubleEnd[]): void {
    const object = regardingMember(this.#object);
    if (this.#owned) this.#recoveries.ended(troubles.map((trouble) => ({ object, ...trouble })));
  }
}
