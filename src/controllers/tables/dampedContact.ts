import type { Contact } from "../../apis/index.ts";
import { NOT_YET_KNOWN, sameContact } from "../../ports/index.ts";
import type { Clock } from "../../runtime/index.ts";

export interface Damping {
  /** A first loss is published after this time; doubled with each further loss without stable contact. */
  firstMs: number;
  longestMs: number;
  /** Least time between two reasons of a published loss. */
  textMs: number;
}

/** Delay of the second loss at least, even if the first one has none. */
const SECOND_MS = 10_000;
/** Contact that lasted this long resets the count of losses. */
const STABLE_MS = 300_000;

export interface DampedContactOptions<C extends Contact> {
  clock: Clock;
  damping: Damping;
  /** Called when {@link DampedContact.published} has changed. */
  changed: (before: C | undefined) => void;
}

/**
 * Published contact of one cluster: a loss is published after it has lasted, its end at once, so that a flapping cluster
 * causes few status writes. Decisions about the cluster use the contact itself.
 */
export class DampedContact<C extends Contact> implements Disposable {
  readonly #options: DampedContactOptions<C>;
  #published: C | undefined;
  #now: C | undefined;
  /** Monotonic milliseconds. */
  #publishedAt = 0;
  /** Last change between contact and no contact, in monotonic milliseconds. */
  #since = 0;
  /** Published losses in a row, without stable contact between them. */
  #losses = 0;
  #timer: Disposable | undefined;

  constructor(options: DampedContactOptions<C>) {
    this.#options = options;
  }

  get published(): C | undefined {
    return this.#published;
  }

  /** A loss that is not published yet. */
  get lost(): C | undefined {
    return this.#published?.ok === true && this.#now?.ok === false ? this.#now : undefined;
  }

  take(contact: C): void {
    const now = this.#options.clock.monotonic();
    if (contact.ok !== this.#now?.ok) {
      if (!contact.ok && now - this.#since >= STABLE_MS) this.#losses = 0;
      this.#since = now;
    }
    this.#now = contact;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const waitMs = this.#dueAt(contact) - now;
    if (waitMs <= 0) this.#publish(contact);
    else this.#timer = this.#options.clock.after(waitMs, () => this.#publish(contact));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #dueAt(contact: C): number {
    const { firstMs, longestMs, textMs } = this.#options.damping;
    const published = this.#published;
    if (contact.ok || published === undefined || isUntried(published)) return 0;
    if (!published.ok) return sameContact(published, contact) ? 0 : this.#publishedAt + textMs;
    const shortest = this.#losses === 0 ? firstMs : Math.max(firstMs, SECOND_MS / 2);
    return this.#since + Math.min(longestMs, shortest * 2 ** this.#losses);
  }

  #publish(contact: C): void {
    const before = this.#published;
    this.#timer = undefined;
    this.#published = contact;
    if (before?.ok === true && !contact.ok) this.#losses += 1;
    if (before !== undefined && sameContact(before, contact)) return;
    this.#publishedAt = this.#options.clock.monotonic();
    this.#options.changed(before);
  }
}

function isUntried({ ok, reason }: Contact): boolean {
  return !ok && (reason === undefined || reason === NOT_YET_KNOWN);
}
