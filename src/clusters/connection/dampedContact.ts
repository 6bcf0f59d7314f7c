import type { Contact } from "../../apis/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { NOT_YET_KNOWN, sameContact } from "./connection.ts";

export interface Damping {
  /** How long a loss has to last to be said, the first time; twice as long each time that contact comes and goes. */
  firstMs: number;
  longestMs: number;
  /** From one reason why there is no contact to another one. */
  textMs: number;
}

/** The second loss has to last so long at least, also where the first is said at once. */
const SECOND_MS = 10_000;
/** Contact that has lasted so long does not come and go. */
const STABLE_MS = 300_000;

export interface DampedContactOptions<C extends Contact> {
  clock: Clock;
  damping: Damping;
  /** {@link DampedContact.said} has changed. */
  said: (before: C | undefined) => void;
}

/**
 * What is said on the hub of the contact with one cluster, so that a cluster whose contact comes and goes does not cost writes for all that
 * runs there. A loss is said when it has lasted; its end at once, if the loss was said. For what is written only: whatever decides about
 * the cluster goes by the contact itself.
 */
export class DampedContact<C extends Contact> implements Disposable {
  readonly #options: DampedContactOptions<C>;
  #said: C | undefined;
  #now: C | undefined;
  /** Monotonic milliseconds of the last change of {@link said}. */
  #saidAt = 0;
  /** Since when there is contact, or none. */
  #since = 0;
  /** How many losses in a row were said, with little contact between them. */
  #losses = 0;
  #timer: Disposable | undefined;

  constructor(options: DampedContactOptions<C>) {
    this.#options = options;
  }

  get said(): C | undefined {
    return this.#said;
  }

  /** A loss that is not said yet. */
  get lost(): C | undefined {
    return this.#said?.ok === true && this.#now?.ok === false ? this.#now : undefined;
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
    if (waitMs <= 0) this.#say(contact);
    else this.#timer = this.#options.clock.after(waitMs, () => this.#say(contact));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #dueAt(contact: C): number {
    const { firstMs, longestMs, textMs } = this.#options.damping;
    const said = this.#said;
    if (contact.ok || said === undefined || isUntried(said)) return 0;
    if (!said.ok) return sameContact(said, contact) ? 0 : this.#saidAt + textMs;
    const shortest = this.#losses === 0 ? firstMs : Math.max(firstMs, SECOND_MS / 2);
    return this.#since + Math.min(longestMs, shortest * 2 ** this.#losses);
  }

  #say(contact: C): void {
    const before = this.#said;
    this.#timer = undefined;
    this.#said = contact;
    if (before?.ok === true && !contact.ok) this.#losses += 1;
    if (before !== undefined && sameContact(before, contact)) return;
    this.#saidAt = this.#options.clock.monotonic();
    this.#options.said(before);
  }
}

/** Nobody has tried yet, which is no news about the cluster. */
function isUntried({ ok, reason }: Contact): boolean {
  return !ok && (reason === undefined || reason === NOT_YET_KNOWN);
}
