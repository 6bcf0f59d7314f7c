import { kindKey, type Message, sameValue } from "../../apis/index.ts";
import { readabilityKey } from "../../desiredstate/index.ts";
import {
  type Clock,
  type Informer,
  isForbidden,
  isMissing,
  type ResourceType,
  WentBackError,
} from "../../runtime/index.ts";
import { isAlwaysGranted, whyUnwatched } from "../write/index.ts";
import { type ObservedObject } from "../model/index.ts";
import type { MemberSession } from "../types.ts";

/** A kind in the whole cluster, or in one namespace. */
export interface Watched {
  type: ResourceType;
  namespace: string | undefined;
}

export interface MemberWatchOptions extends Watched {
  session: Pick<MemberSession, "cluster" | "local">;
  clock: Clock;
  /** Makes the informer; its `onContact` is {@link MemberWatch.heard}. */
  informer: (watch: MemberWatch) => Informer<ObservedObject>;
  /** Called when the first read has failed, so that nobody waits for it. */
  gaveUp: () => void;
  /** The absence of objects can be trusted from now on, or no longer. */
  trustChanged: () => void;
  /** {@link MemberWatch.failure} or {@link MemberWatch.blindSince} has changed. */
  readabilityChanged: () => void;
  /** The permission was revoked alone, or only `list` was granted. */
  lostRight: (watch: MemberWatch) => void;
  unserved: (watch: MemberWatch) => void;
  regainedRight: (watch: MemberWatch) => void;
}

/** The last state of a watch that was broken for longer may be outdated. */
const BLIND_AFTER_MS = 30_000;

/** One watch of a member. Judges by its failures how far the known state can be trusted. */
export class MemberWatch implements Watched {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly informer: Informer<ObservedObject>;
  readonly stop = new AbortController();
  readonly #options: MemberWatchOptions;
  #failure: Message | undefined;
  #blindSince: number | undefined;
  #patience: Disposable | undefined;
  #isDenied = false;
  #isUnserved = false;
  #isLost = false;

  /** `failure`: why the previous watch was broken. */
  constructor(options: MemberWatchOptions, failure?: Message) {
    this.#options = options;
    this.type = options.type;
    this.namespace = options.namespace;
    this.#failure = failure;
    this.informer = options.informer(this);
  }

  /** `group/Kind`. */
  get kind(): string {
    return kindKey(this.type);
  }

  /** {@link readabilityKey} of the watch. */
  get key(): string {
    return readabilityKey(this.kind, this.namespace);
  }

  /** True when the cluster counts as known only if this kind is known. */
  get isEssential(): boolean {
    return this.type.group !== "" || this.type.kind !== "Namespace";
  }

  /** Reason why the watch is broken now. */
  get failure(): Message | undefined {
    return this.#failure;
  }

  /** Epoch milliseconds from which on the watch is blind; set once a failure has lasted. */
  get blindSince(): number | undefined {
    return this.#blindSince;
  }

  /** True when the member does not serve the kind in this version. */
  get isUnserved(): boolean {
    return this.#isUnserved;
  }

  /** True when the account may not watch the kind. */
  get isDenied(): boolean {
    return this.#isDenied;
  }

  /** Reason why the objects are unknown, if a missing permission is the cause. */
  get denial(): Message | undefined {
    return this.#isDenied && !this.isKnown ? this.#failure : undefined;
  }

  /** True when the permission was lost: what is known is worthless, and the watch waits for its permission. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** True when the watch shows all objects of the kind, and gets updates. */
  get isKnown(): boolean {
    return this.informer.synced && !this.#isLost && !this.#isUnserved;
  }

  /** A new watch of it would be equivalent to this one. */
  isAlike({ type }: Watched): boolean {
    const { version, plural, namespaced, scale } = this.type;
    const isServedAlike = type.version === version && type.plural === plural && type.namespaced === namespaced;
    return isServedAlike && sameValue(type.scale, scale);
  }

  /** The watch broke (`error`) or works (undefined). */
  heard(error: unknown): void {
    const wasUnserved = this.#isUnserved;
    if (error === undefined) this.#isUnserved = false;
    else if (isMissing(error)) this.#isUnserved = true;
    if (this.stop.signal.aborted) return;
    this.#judge(error);
    if (this.#isUnserved !== wasUnserved && this.informer.synced) this.#options.trustChanged();
    if (isMissing(error)) this.#options.unserved(this);
  }

  /** Everything was listed again after the server had gone back in time. */
  readAnew(): void {
    this.#judge(undefined);
    this.#options.trustChanged();
  }

  /** Retries a watch in backoff at once. */
  retry(): void {
    if (this.#failure !== undefined) this.#losePatienceLater();
    this.informer.retryNow();
  }

  end(reason: unknown): void {
    this.#patience?.[Symbol.dispose]();
    this.stop.abort(reason);
  }

  #judge(error: unknown): void {
    const { cluster, local } = this.#options.session;
    const failure = error === undefined ? undefined : whyUnwatched(this.type, error, local ? undefined : cluster);
    this.#isDenied = isForbidden(error);
    if (this.#isLost) {
      if (failure === undefined) this.#options.regainedRight(this);
      else this.#failure = failure;
      return;
    }
    if (error instanceof WentBackError) {
      this.#doubt(failure);
      return;
    }
    // After a server went back in time, an answer does not end the failure. Only a new list does.
    if (failure === undefined && this.informer.isBehind) return;
    const isNews = (this.#failure === undefined) !== (failure === undefined);
    const wasBlind = this.#blindSince !== undefined;
    this.#failure = failure;
    if (!isNews) return;
    if (failure !== undefined) {
      if (this.informer.synced) {
        // A list without a watch is outdated soon. If only `list` is granted, every session begins with such a list.
        if (this.#isDenied && this.#isGrantedByItself && !this.informer.followed) this.#lose();
        else this.#losePatienceLater();
      } else {
        this.#options.gaveUp();
        this.#options.trustChanged();
      }
      return;
    }
    this.#patience?.[Symbol.dispose]();
    this.#blindSince = undefined;
    if (wasBlind || !this.informer.synced) this.#options.readabilityChanged();
  }

  /** Blind at once: what is known belongs to a discarded history. */
  #doubt(failure: Message | undefined): void {
    this.#patience?.[Symbol.dispose]();
    this.#failure = failure;
    this.#blindSince ??= this.#options.clock.now();
    this.#options.trustChanged();
  }

  #lose(): void {
    this.#patience?.[Symbol.dispose]();
    this.#isLost = true;
    this.#options.lostRight(this);
  }

  #losePatienceLater(): void {
    if (this.#isLost) return;
    const { clock, readabilityChanged } = this.#options;
    const since = this.#blindSince ?? clock.now();
    this.#blindSince = undefined;
    this.#patience?.[Symbol.dispose]();
    this.#patience = clock.after(BLIND_AFTER_MS, () => {
      if (this.#isDenied && this.#isGrantedByItself) return this.#lose();
      this.#blindSince = since;
      readabilityChanged();
    });
  }

  /** For a kind that was granted by name, and for a single namespace. */
  get #isGrantedByItself(): boolean {
    return this.namespace !== undefined || !isAlwaysGranted(this.type);
  }
}
