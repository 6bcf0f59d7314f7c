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

/** The first loss is published in the condition at once. */
const DAMPING: Damping = { firstMs: 0, longestMs: 120_000, textMs: 0 };

export interface MemberReportOptions {
  cluster: string;
  hub: Client;
  clock: Clock;
  logger: Logger;
  /** Called when the published contact changes. */
  onContact: (before: Contact, contact: Contact) => void;
  /** False: nothing is written. */
  owned: () => boolean;
  onWritten: (object: KubeObject) => void;
  onFailed: () => void;
}

/** Collects the findings about one cluster and writes them into the status of its MemberCluster. */
export class MemberReport implements Disposable {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #writer: MemberStatusWriter;
  readonly #owned: () => boolean;
  readonly #contact: DampedContact<Contact>;
  #generation: number | undefined;
  #findings: MemberFindings = {};
  /** Findings that are written together with the identity. */
  #claimed: MemberFindings | undefined;
  /** Last status without contact, until contact is published again. */
  #lost: MemberCluster["status"];
  /** Contact that is written together with the identity, before it is made. */
  #anticipated: Contact | undefined;

  constructor({ cluster, hub, clock, logger, onContact, owned, onWritten, onFailed }: MemberReportOptions) {
    this.#logger = logger;
    this.#owned = owned;
    this.#clock = clock;
    this.#contact = new DampedContact<Contact>({
      clock,
      damping: DAMPING,
      changed: (before) => {
        if (before === undefined) return;
        onContact(before, this.#published);
        if (this.#published.ok) this.#lost = undefined;
        this.changed();
      },
    });
    this.#writer = new MemberStatusWriter({
      cluster,
      hub,
      clock,
      logger,
      onFailed,
      onWritten: (object) => {
        this.#noteLoss(object as unknown as MemberCluster);
        onWritten(object);
      },
      input: () =>
        owned()
          ? {
              generation: this.#generation,
              contact: this.#anticipated ?? this.#published,
              findings: { ...this.#findings, ...this.#claimed },
            }
          : undefined,
    });
  }

  get #published(): Contact {
    return this.#contact.published ?? initialState().contact;
  }

  heard(contact: Contact): void {
    this.#contact.take(contact);
  }

  get recordedUid(): string | undefined {
    return this.#writer.status?.clusterUID;
  }

  take(object: MemberCluster): void {
    this.#generation = object.metadata.generation;
    this.#writer.take(object);
    this.#noteLoss(object);
  }

  #noteLoss({ status }: Pick<MemberCluster, "status">): void {
    const isLost = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "False") === true;
    // A status that arrives after contact was made describes an earlier loss.
    if (isLost && !this.#published.ok) this.#lost = status;
  }

  /** Loss of contact that ends now. */
  lossBefore(published: Contact): MemberTroubleEnd | undefined {
    return contactLoss(published, this.#lost, this.#clock.now());
  }

  /** Troubles that begin or end with a new verdict. */
  answering(next: Answering): AnsweringNews {
    return answeringNews(this.#writer.status, next, this.#clock.now());
  }

  /** Adds findings and writes the status if they are new. */
  find(findings: MemberFindings): void {
    this.#findings = { ...this.#findings, ...findings };
    // Newer findings win, also over findings that are being written together with the identity.
    if (this.#claimed !== undefined) Object.assign(this.#claimed, findings);
    this.changed();
  }

  /** Called when an input of the status has changed. */
  changed(): void {
    if (this.#owned()) this.#writer.request();
  }

  /**
   * Writes the UID and other findings. The status says `Connected` until {@link contactSettled}. True when the UID is
   * written, by whichever manager owns the MemberCluster.
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
      // The next session may already be writing its own identity.
      if (this.#claimed === claimed) this.#claimed = undefined;
    }
  }

  /** Called when the real contact is known. */
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
