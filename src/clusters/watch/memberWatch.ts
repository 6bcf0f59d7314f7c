import { kindKey, sameValue } from "../../apis/index.ts";
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

/** What is watched: a kind in the whole cluster, or in one namespace where the credentials do not reach further. */
export interface Watched {
  type: ResourceType;
  namespace: string | undefined;
}

export interface MemberWatchOptions extends Watched {
  session: Pick<MemberSession, "cluster" | "local">;
  clock: Clock;
  /** Makes the informer; its `onContact` is {@link MemberWatch.heard}. */
  informer: (watch: MemberWatch) => Informer<ObservedObject>;
  /** A kind that was never read fails: one less to wait for. */
  gaveUp: () => void;
  /** What is not on the member any more may be believed, or not. */
  trustChanged: () => void;
  /** {@link MemberWatch.failure} or {@link MemberWatch.blindSince} has changed. */
  sightChanged: () => void;
  /**
   * The right to watch these objects was taken away, or was never there beside that to list them, and other rights were not: what is known of the
   * objects is as good as nothing ({@link MemberWatch.isLost}).
   */
  lostRight: (watch: MemberWatch) => void;
  /** The member does not serve the kind in this version; called for each such answer. */
  unserved: (watch: MemberWatch) => void;
  /** A watch that was lost works: its objects are to be read anew. */
  regainedRight: (watch: MemberWatch) => void;
}

/** A watch that has been broken for so long brings nothing any more: what came before may be untrue by now. */
const BLIND_AFTER_MS = 30_000;

/** One watch of a member, and what its failures mean for what is known of the member. */
export class MemberWatch implements Watched, Disposable {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly informer: Informer<ObservedObject>;
  /** Aborted when the watch ends. */
  readonly stop = new AbortController();
  readonly #options: MemberWatchOptions;
  #failure: string | undefined;
  #blindSince: number | undefined;
  #patience: Disposable | undefined;
  #isDenied = false;
  #isUnserved = false;
  #isLost = false;

  /** `failure`: why the watch that this one follows upon was broken. */
  constructor(options: MemberWatchOptions, failure?: string) {
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

  /** {@link readabilityKey} what the watch shows. */
  get sight(): string {
    return readabilityKey(this.kind, this.namespace);
  }

  /** Whether the cluster counts as known only when this kind is. */
  get isEssential(): boolean {
    return this.type.group !== "" || this.type.kind !== "Namespace";
  }

  /** Why the watch is broken now. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Since when, epoch milliseconds, once the failure has lasted. */
  get blindSince(): number | undefined {
    return this.#blindSince;
  }

  /** The member does not serve the kind, or not in that version. */
  get isUnserved(): boolean {
    return this.#isUnserved;
  }

  /** The account has no right to watch the kind. */
  get isDenied(): boolean {
    return this.#isDenied;
  }

  /** Why nothing is known, where that is for want of a right. */
  get denial(): string | undefined {
    return this.#isDenied && !this.isKnown ? this.#failure : undefined;
  }

  /** What it brought is as good as nothing. It only tries whether it is allowed again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** What it shows is all there is. Of a kind that is not served (any more) nothing new is heard. */
  get isKnown(): boolean {
    return this.informer.synced && !this.#isLost && !this.#isUnserved;
  }

  /** Whether a watch of that would bring the same. */
  isAlike({ type }: Watched): boolean {
    const { version, plural, namespaced, scale } = this.type;
    const isServedAlike = type.version === version && type.plural === plural && type.namespaced === namespaced;
    return isServedAlike && sameValue(type.scale, scale);
  }

  /** The watch broke (`error`), or works. */
  heard(error: unknown): void {
    const wasUnserved = this.#isUnserved;
    if (error === undefined) this.#isUnserved = false;
    else if (isMissing(error)) this.#isUnserved = true;
    if (this.stop.signal.aborted) return;
    this.#judge(error);
    if (this.#isUnserved !== wasUnserved && this.informer.synced) this.#options.trustChanged();
    if (isMissing(error)) this.#options.unserved(this);
  }

  /** The server that went back was read anew. */
  readAnew(): void {
    this.#judge(undefined);
    this.#options.trustChanged();
  }

  /** A watch that waits out a failure need not wait any longer. */
  retry(): void {
    if (this.#failure !== undefined) this.#losePatienceLater();
    this.informer.retryNow();
  }

  /** Ends the watch. */
  end(reason: unknown): void {
    this[Symbol.dispose]();
    this.stop.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#patience?.[Symbol.dispose]();
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
    // An answer is no news of a server that went back, until everything was read anew.
    if (failure === undefined && this.informer.isBehind) return;
    const isNews = (this.#failure === undefined) !== (failure === undefined);
    const wasBlind = this.#blindSince !== undefined;
    this.#failure = failure;
    if (!isNews) return;
    if (failure !== undefined) {
      if (this.informer.synced) {
        // A list that no watch follows is soon untrue; and where lists are allowed and watches are not, each session would begin with one.
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
    if (wasBlind || !this.informer.synced) this.#options.sightChanged();
  }

  /** What is known is of a history that is no more, and so is as old as the last contact. */
  #doubt(failure: string | undefined): void {
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
    const { clock, sightChanged } = this.#options;
    const since = this.#blindSince ?? clock.now();
    this.#blindSince = undefined;
    this.#patience?.[Symbol.dispose]();
    this.#patience = clock.after(BLIND_AFTER_MS, () => {
      if (this.#isDenied && this.#isGrantedByItself) return this.#lose();
      this.#blindSince = since;
      sightChanged();
    });
  }

  /** The right comes and goes without the others: that of a kind which was granted by name, or those in one namespace. */
  get #isGrantedByItself(): boolean {
    return this.namespace !== undefined || !isAlwaysGranted(this.type);
  }
}
