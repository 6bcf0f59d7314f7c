import { crdNameOf, fullMessage, isSameMessage } from "../../apis/index.ts";
import { isCustomGroup } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  CRDS,
  Emitter,
  isApiError,
  isNotFound,
  type ResourceType,
  withSignal,
} from "../../runtime/index.ts";
import { type Departing, heldUnder, isOfEarlierCrd, type KindHeld, type KindTerms, kindTerms } from "./kindTerms.ts";

export interface KindDeletionsOptions {
  client: Client;
  clock: Clock;
  logger: Logger;
}

interface Answer extends KindTerms {
  /** When the read began, in the count of {@link KindDeletions}. */
  began: number;
}

interface Kind {
  type: ResourceType;
  /** Last deletion of an object that was seen, in the same count. */
  seen: number;
  answer: Answer | undefined;
  reading: Promise<void> | undefined;
  again: Disposable | undefined;
  /** A caller was told that nothing is known yet. */
  awaited: boolean;
  /** Reads since an object was last held for an earlier CRD; undefined if none was. */
  unasked: number | undefined;
}

const AGAIN_MS = 5_000;
const UNREAD: KindHeld = {
  reason: "KindBeingDeleted",
  message: "it is being read whether the kind itself is being deleted",
};

/** After so many reads without a caller, `changes` asks whether to go on. */
const UNASKED_READS = 2;

/**
 * Decides whether a kind is or was being deleted when its objects were. An API server deletes every object of a kind
 * with its CRD, and no person has asked for that: the copies stay until a person agrees on the CRD or on the object. An
 * object's event may come before any news of the CRD, so an answer counts only if its read began after the deletion was
 * seen; the server marks the CRD first.
 *
 * A CRD that loses its finalizer leaves its objects in etcd, being deleted when the CRD is installed again. So an
 * object that was deleted before its CRD was created, or in the same second, is held as well ({@link isOfEarlierCrd}).
 */
export class KindDeletions implements Disposable {
  /** The answer for a kind has changed, or has arrived for a waiting caller. */
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

  /** Undefined if the deletion, which {@link saw} has heard of, is not held. Throws the errors of the client. */
  async held(type: ResourceType, object: Departing, signal: AbortSignal): Promise<KindHeld | undefined> {
    if (!isCustomGroup(type.group)) return undefined;
    const kind = this.#kind(type);
    return this.#heldBy(kind, await this.#answer(kind, signal), object);
  }

  /** As {@link held}, without waiting: {@link changes} tells of a missing answer. */
  heldNow(type: ResourceType, object: Departing): KindHeld | undefined {
    if (!isCustomGroup(type.group)) return undefined;
    const kind = this.#kind(type);
    if (kind.answer !== undefined && kind.answer.began >= kind.seen) return this.#heldBy(kind, kind.answer, object);
    if (!kind.awaited) {
      kind.awaited = true;
      this.#answer(kind, this.#end.signal).catch((error: unknown) => this.#failed(kind, error));
    }
    return UNREAD;
  }

  /**
   * Gone objects belonged to an earlier CRD, and nobody agreed on this one. `madeAt`: of their oldest copy. Throws the
   * errors of the client.
   */
  async wasOfEarlierCrd(type: ResourceType, madeAt: string, signal: AbortSignal): Promise<boolean> {
    if (!isCustomGroup(type.group)) return false;
    const { installedAt } = await this.#answer(this.#kind(type), signal);
    return installedAt !== undefined && madeAt <= installedAt;
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error("the hub is not followed any more"));
    for (const { again } of this.#kinds.values()) again?.[Symbol.dispose]();
  }

  #kind(type: ResourceType): Kind {
    const name = crdNameOf(type);
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = {
        type,
        seen: 0,
        answer: undefined,
        reading: undefined,
        again: undefined,
        awaited: false,
        unasked: undefined,
      };
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  /** Answer of a read that began after the last deletion was seen. */
  async #answer(kind: Kind, signal: AbortSignal): Promise<Answer> {
    const { seen } = kind;
    while (kind.answer === undefined || kind.answer.began < seen) await withSignal(this.#fresh(kind), signal);
    return kind.answer;
  }

  #heldBy(kind: Kind, answer: Answer, object: Departing): KindHeld | undefined {
    const held = heldUnder(answer, kind.type, object);
    if (held !== undefined && isOfEarlierCrd(answer, object)) {
      if (kind.unasked === undefined) {
        this.#warn(kind, held);
        this.#readAgain(kind);
      }
      kind.unasked = 0;
    }
    return held;
  }

  /** Starts a read, or joins the running one. A caller that needs a later read calls again. */
  #fresh(kind: Kind): Promise<void> {
    kind.reading ??= this.#read(kind).finally(() => (kind.reading = undefined));
    return kind.reading;
  }

  async #read(kind: Kind): Promise<void> {
    const began = ++this.#count;
    const before = kind.answer;
    const answer = { began, ...(await this.#ask(kind.type)) };
    const { held } = (kind.answer = answer);
    if (held !== undefined && !isSameMessage(before?.held?.message, held.message)) this.#warn(kind, held);
    const isLastCall = countRead(kind, answer);
    if (held !== undefined || kind.unasked !== undefined) this.#readAgain(kind);
    const isNews =
      before !== undefined &&
      (!isSameMessage(before.held?.message, held?.message) || before.installedAt !== answer.installedAt);
    if (!isNews && !isLastCall && !kind.awaited) return;
    kind.awaited = false;
    this.changes.emit(kind.type);
  }

  #warn({ type }: Kind, { reason, message }: KindHeld): void {
    this.#options.logger.warn(
      { crd: crdNameOf(type), event_reason: reason, message: fullMessage(message) },
      "deletions are held",
    );
  }

  async #ask(type: ResourceType): Promise<KindTerms> {
    const { client } = this.#options;
    const { signal } = this.#end;
    try {
      const { metadata } = await client.get(CRDS, undefined, crdNameOf(type), { metadataOnly: true, signal });
      return kindTerms(type, metadata);
    } catch (error) {
      if (isNotFound(error)) return kindTerms(type, "Gone");
      if (isApiError(error) && error.status === 403) return kindTerms(type, "Denied");
      throw error;
    }
  }

  /** A person may agree or grant the right to read, and no event tells this. */
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
      { crd: crdNameOf(kind.type), err: error },
      "the CRD could not be read; deletions stay held",
    );
    this.#readAgain(kind);
  }
}

/**
 * The objects that an earlier CRD holds may be gone. Returns true if callers must ask again to keep the reads going.
 */
function countRead(kind: Kind, { held, installedAt }: Answer): boolean {
  if (kind.unasked === undefined) return false;
  const isOver = held !== undefined || installedAt === undefined || kind.unasked >= UNASKED_READS;
  kind.unasked = isOver ? undefined : kind.unasked + 1;
  return kind.unasked === UNASKED_READS;
}
