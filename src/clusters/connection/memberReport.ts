import type { Contact, KubeObject, MemberCluster } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { Client, Clock } from "../../runtime/index.ts";
import { initialState } from "./connection.ts";
import { DampedContact, type Damping } from "./dampedContact.ts";
import type { Answering } from "./answering.ts";
import {
  type AnsweringNews,
  answeringNews,
  contactLoss,
  type MemberFindings,
  type MemberTroubleEnd,
} from "./memberStatus.ts";
import { MemberStatusWriter } from "./statusWriter.ts";

/** The first loss stands in the condition at once. */
const DAMPING: Damping = { firstMs: 0, longestMs: 120_000, textMs: 0 };

export interface MemberReportOptions {
  cluster: string;
  hub: Client;
  clock: Clock;
  logger: Logger;
  /** What the MemberCluster says of contact changes; for Events. */
  onContact: (before: Contact, contact: Contact) => void;
  /** Whether this manager owns the MemberCluster; else nothing is written. */
  owned: () => boolean;
  /** The server's answer to a write; for the informer of MemberClusters. */
  onWritten: (object: KubeObject) => void;
  /** A status was not written; it is tried again. */
  onFailed: () => void;
}

/** What was found out about one cluster, on its way into the status of its MemberCluster. */
export class MemberReport implements Disposable {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #writer: MemberStatusWriter;
  readonly #owned: () => boolean;
  readonly #contact: DampedContact<Contact>;
  #generation: number | undefined;
  #findings: MemberFindings = {};
  /** The identity is being written down, along with what else was found. */
  #claimed: MemberFindings | undefined;
  /** The status, as long as it says that the cluster does not answer. */
  #lost: MemberCluster["status"];
  /** The contact that follows from the identity that is being written down. */
  #anticipated: Contact | undefined;

  constructor({ onContact, owned, ...options }: MemberReportOptions) {
    this.#logger = options.logger;
    this.#owned = owned;
    const { clock } = options;
    this.#clock = clock;
    this.#contact = new DampedContact<Contact>({
      clock,
      damping: DAMPING,
      said: (before) => {
        if (before === undefined) return;
        onContact(before, this.#said);
        if (this.#said.ok) this.#lost = undefined;
        this.changed();
      },
    });
    this.#writer = new MemberStatusWriter({
      ...options,
      onWritten: (object) => {
        this.#noteLoss(object as unknown as MemberCluster);
        options.onWritten(object);
      },
      input: () =>
        owned()
          ? {
              generation: this.#generation,
              contact: this.#anticipated ?? this.#said,
              findings: { ...this.#findings, ...this.#claimed },
            }
          : undefined,
    });
  }

  get #said(): Contact {
    return this.#contact.said ?? initialState().contact;
  }

  /** Contact was made or lost, or there is none for another reason. */
  heard(contact: Contact): void {
    this.#contact.take(contact);
  }

  /** The UID that the status holds. */
  get recordedUid(): string | undefined {
    return this.#writer.status?.clusterUID;
  }

  /** Takes the MemberCluster as an informer saw it. */
  take(object: MemberCluster): void {
    this.#generation = object.metadata.generation;
    this.#writer.take(object);
    this.#noteLoss(object);
  }

  #noteLoss({ status }: Pick<MemberCluster, "status">): void {
    const isLost = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "False") === true;
    // A status that was on its way when contact was made says nothing of a loss after that.
    if (isLost && !this.#said.ok) this.#lost = status;
  }

  /** The loss of contact that ends with the contact that is made now, for Events. */
  lossBefore(said: Contact): MemberTroubleEnd | undefined {
    return contactLoss(said, this.#lost, this.#clock.now());
  }

  /** What the next verdict on how the cluster answers begins or ends, for Events. */
  answering(next: Answering): AnsweringNews {
    return answeringNews(this.#writer.status, next, this.#clock.now());
  }

  /** Adds what was found out, and writes it when it is new. */
  find(findings: MemberFindings): void {
    this.#findings = { ...this.#findings, ...findings };
    // What was found last counts, also beside an identity that is being written down.
    if (this.#claimed !== undefined) Object.assign(this.#claimed, findings);
    this.changed();
  }

  /** Something that the status is made of has changed. */
  changed(): void {
    if (this.#owned()) this.#writer.request();
  }

  /**
   * Writes the UID down, with what else was found. True when it is on the hub; until {@link contactSettled} the status then speaks of
   * the contact that this makes possible. Of a MemberCluster that another manager owns: true when that manager has written the UID.
   */
  async recordIdentity(uid: string, found: MemberFindings | undefined): Promise<boolean> {
    if (!this.#owned()) return this.recordedUid === uid;
    const claimed: MemberFindings = { ...found, clusterUID: uid };
    this.#claimed = claimed;
    this.#anticipated = { ok: true };
    try {
      await this.#writer.writeNow();
      this.#findings = { ...this.#findings, ...claimed };
      return true;
    } catch (err) {
      if (this.#claimed === claimed) this.#anticipated = undefined;
      if (!this.#writer.disposed) {
        this.#logger.warn({ err, event_reason: "IdentityNotRecorded" }, "the cluster's UID was not written down");
      }
      return false;
    } finally {
      // The next session may have begun to write its own.
      if (this.#claimed === claimed) this.#claimed = undefined;
    }
  }

  /** Contact is what it is said to be again. */
  contactSettled(): void {
    this.#anticipated = undefined;
  }

  [Symbol.dispose](): void {
    this.#contact[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }

  /** Resolves when no request is under way. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }
}
