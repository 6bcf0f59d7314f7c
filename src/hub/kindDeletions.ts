import { ALLOW_DELETION_ANNOTATION, shortMessage } from "../apis/index.ts";
import { isCustomGroup } from "../interpreter/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CRDS,
  Emitter,
  isApiError,
  isNotFound,
  type ResourceType,
  withSignal,
} from "../runtime/index.ts";

export interface KindDeletionsOptions {
  client: Client;
  clock: Clock;
  logger: Logger;
}

/** Why objects of a kind that are being deleted, or are gone, leave their copies for now. */
export interface KindHeld {
  reason: "KindBeingDeleted";
  message: string;
}

interface Kind {
  type: ResourceType;
  /** When the last deletion of an object was seen, by the count of {@link KindDeletions}. */
  seen: number;
  /** What the last read said, and when that read began. */
  answer: { began: number; held: KindHeld | undefined } | undefined;
  reading: Promise<void> | undefined;
  again: Disposable | undefined;
  /** Somebody was told that nothing is known yet. */
  awaited: boolean;
}

const AGAIN_MS = 5_000;
const UNREAD: KindHeld = {
  reason: "KindBeingDeleted",
  message: "it is being read whether the kind itself is being deleted",
};

/**
 * Whether a kind is itself being deleted. An API server whose CRD is deleted deletes every object of the kind, and that is not what a
 * person means who deletes an object: the copies stay until the person says so on the CRD. The event of an object may come before anybody
 * hears of the CRD, so the answer that counts is of a read that began after the deletion of the object was seen; the server marks the CRD
 * first. One read answers for all deletions that were seen before it began.
 */
export class KindDeletions implements Disposable {
  /** The answer for a kind has changed, or has come where somebody waited for it. */
  readonly changes = new Emitter<ResourceType>();
  readonly #options: KindDeletionsOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #end = new AbortController();
  /** Orders reads and deletions. */
  #count = 0;

  constructor(options: KindDeletionsOptions) {
    this.#options = options;
  }

  /** An object of the kind is being deleted, or is gone. */
  saw(type: ResourceType): void {
    if (isCustomGroup(type.group)) this.#kind(type).seen = ++this.#count;
  }

  /** Why the deletions of objects of that kind that were seen up to now are held; undefined when they are not. Throws what the client throws. */
  async held(type: ResourceType, signal: AbortSignal): Promise<KindHeld | undefined> {
    if (!isCustomGroup(type.group)) return undefined;
    const kind = this.#kind(type);
    const { seen } = kind;
    while (kind.answer === undefined || kind.answer.began < seen) await withSignal(this.#fresh(kind), signal);
    return kind.answer.held;
  }

  /** The same without waiting: what has not been read is read, and the {@link changes} say when it has been. */
  heldNow(type: ResourceType): KindHeld | undefined {
    if (!isCustomGroup(type.group)) return undefined;
    const kind = this.#kind(type);
    if (kind.answer !== undefined && kind.answer.began >= kind.seen) return kind.answer.held;
    if (!kind.awaited) {
      kind.awaited = true;
      this.held(type, this.#end.signal).catch((error: unknown) => this.#failed(kind, error));
    }
    return UNREAD;
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error("the hub is not followed any more"));
    for (const { again } of this.#kinds.values()) again?.[Symbol.dispose]();
  }

  #kind(type: ResourceType): Kind {
    const name = nameOf(type);
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = { type, seen: 0, answer: undefined, reading: undefined, again: undefined, awaited: false };
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  /** One read at a time; whoever cannot use the one under way asks for the next. */
  #fresh(kind: Kind): Promise<void> {
    kind.reading ??= this.#read(kind).finally(() => (kind.reading = undefined));
    return kind.reading;
  }

  async #read(kind: Kind): Promise<void> {
    const began = ++this.#count;
    const held = await this.#ask(nameOf(kind.type));
    const before = kind.answer;
    kind.answer = { began, held };
    if (held !== undefined) this.#readAgain(kind);
    if (held !== undefined && before?.held?.message !== held.message) {
      const { message } = held;
      this.#options.logger.warn({ crd: nameOf(kind.type), event_reason: held.reason, message }, "deletions are held");
    }
    const isNews = before !== undefined && before.held?.message !== held?.message;
    if (!isNews && !kind.awaited) return;
    kind.awaited = false;
    this.changes.emit(kind.type);
  }

  async #ask(name: string): Promise<KindHeld | undefined> {
    const { client } = this.#options;
    try {
      const { metadata } = await client.get(CRDS, undefined, name, { metadataOnly: true, signal: this.#end.signal });
      if (metadata.deletionTimestamp === undefined) return undefined;
      if (metadata.annotations?.[ALLOW_DELETION_ANNOTATION] === "true") return undefined;
      return held(`its CRD is being deleted; if meant, annotate crd ${name} ${ALLOW_DELETION_ANNOTATION}=true`);
    } catch (error) {
      if (isNotFound(error)) return held(`CRD ${name} is gone`);
      if (isApiError(error) && error.status === 403) return held(`Meridian may not get CRD ${name}`);
      throw error;
    }
  }

  /** Somebody may agree, or give the right to read, and nothing else brings the news. */
  #readAgain(kind: Kind): void {
    kind.again?.[Symbol.dispose]();
    kind.again = this.#options.clock.after(AGAIN_MS, () => {
      if (this.#end.signal.aborted) return;
      this.#fresh(kind).catch((error: unknown) => this.#failed(kind, error));
    });
  }

  #failed(kind: Kind, error: unknown): void {
    if (this.#end.signal.aborted) return;
    this.#options.logger.debug(
      { crd: nameOf(kind.type), err: error },
      "the CRD could not be read; deletions stay held",
    );
    this.#readAgain(kind);
  }
}

function held(message: string): KindHeld {
  return { reason: "KindBeingDeleted", message: shortMessage(message) };
}

/** Name of the CRD. */
function nameOf({ plural, group }: ResourceType): string {
  return `${plural}.${group}`;
}
