import { type GroupKind, isCustomGroup } from "../../interpreter/index.ts";
import { crdNameOf, kindKey, kindKeyOf, parseApiVersion, shortMessage } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  backoffDelay,
  type Client,
  type Clock,
  CRDS,
  ifFound,
  isForbidden,
  knownType,
  type ResourceType,
} from "../../runtime/index.ts";
import type { MemberSession } from "../types.ts";

export interface KindsOnMemberOptions {
  session: MemberSession;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** True when objects of the kind (`group/Kind`) are known on the member. */
  hasObjects: (kind: string) => boolean;
  /** Served kinds have changed, or more of them are known. */
  changed: () => void;
  /** The kind was removed from the member, and with it every object of the kind. */
  removed: (kind: string) => void;
}

/** No event tells of a definition that somebody else creates. */
const AGAIN = { baseMs: 1_000, capMs: 30_000 };
/** Answers without the kind that make its absence certain. A server that has just started serves definitions last. */
const CERTAIN_AFTER = 3;

/** A kind to look up; `version` and `scale` as on the hub. */
type Wanted = GroupKind & Partial<Pick<ResourceType, "version" | "plural" | "scale">>;

/**
 * The wanted kinds that one member serves, for one session, in the hub's version or else the member's preferred one.
 * Built-in kinds count as served until the member answers 404. Others are looked up in discovery when they become wanted
 * or a definition changes on the member, and with backoff while a kind or a version is missing.
 */
export class KindsOnMember {
  readonly #options: KindsOnMemberOptions;
  #fixed: readonly ResourceType[] = [];
  #wanted = new Map<string, Wanted>();
  #found = new Map<string, ResourceType>();
  #versions = new Map<string, ReadonlySet<string>>();
  /** Versions that a write needed and the member did not serve, by kind. */
  readonly #awaited = new Map<string, Set<string>>();
  /** Built-in kinds for which the member has answered 404. */
  readonly #doubted = new Set<string>();
  /** Kinds without a served version whose definition exists, so that objects may exist. */
  readonly #defined = new Set<string>();
  /** Number of answers in a row without the kind. */
  #missing = new Map<string, number>();
  /** Kinds that the member may serve, with the reason why that is unknown. */
  #unsure = new Map<string, string>();
  #asking = false;
  #askAgain = false;
  #failures = 0;
  #pause: Disposable | undefined;

  constructor(options: KindsOnMemberOptions) {
    this.#options = options;
    options.session.signal.addEventListener("abort", () => this.#pause?.[Symbol.dispose](), { once: true });
  }

  set(kinds: readonly ResourceType[], others: readonly GroupKind[]): void {
    const isFixed = (kind: ResourceType): boolean => !isCustomGroup(kind.group) && !this.#doubted.has(kindKey(kind));
    this.#fixed = kinds.filter(isFixed);
    const before = this.#wanted;
    this.#wanted = new Map();
    // Kinds from the hub come first, since they have a version.
    for (const kind of [...kinds.filter((one) => !isFixed(one)), ...others])
      if (!this.#wanted.has(kindKey(kind))) this.#wanted.set(kindKey(kind), kind);
    const isMoved = [...this.#wanted].some(([name, { version }]) => {
      const was = before.get(name);
      return was !== undefined && version !== undefined && was.version !== version;
    });
    if (isMoved || this.#open.length > 0) this.review();
  }

  /** Kinds to watch. A kind that disappears while objects of it are known is watched until these were seen deleted. */
  get served(): readonly ResourceType[] {
    const found = [...this.#wanted].flatMap(([name, { scale }]) => {
      const type = this.#found.get(name);
      if (type === undefined || !this.#isToBeWatched(name)) return [];
      return scale === undefined ? type : { ...type, scale };
    });
    return [...this.#fixed, ...found];
  }

  #isToBeWatched(name: string): boolean {
    const answers = this.#missing.get(name) ?? 0;
    if (answers === 0 || this.#doubted.has(name)) return true;
    return answers < CERTAIN_AFTER && this.#options.hasObjects(name);
  }

  /** True while discovery has not answered yet for some wanted kind. */
  get isPending(): boolean {
    return this.#open.length > 0;
  }

  /** Kinds (`group/Kind`) whose objects may exist and cannot be read. */
  get unsure(): ReadonlyMap<string, string> {
    return new Map([...this.#unsure].filter(([name]) => this.#wanted.has(name)));
  }

  /** Says if the member lacks the kind. `Surely`: no object of the kind can exist. */
  lacks({ apiVersion, kind }: { apiVersion: string; kind: string }): "No" | "Perhaps" | "Surely" {
    if (this.#missing.size === 0) return "No";
    const name = kindKeyOf({ apiVersion, kind });
    const answers = this.#wanted.has(name) ? (this.#missing.get(name) ?? 0) : 0;
    return answers === 0 ? "No" : answers < CERTAIN_AFTER ? "Perhaps" : "Surely";
  }

  /** False when the member certainly does not serve this version. */
  serves({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
    const { group, version } = parseApiVersion(apiVersion);
    const name = kindKey({ group, kind });
    const isServed = this.#versions.get(name)?.has(version) ?? true;
    if (!isServed) this.#awaitVersion(name, version);
    return isServed;
  }

  /** Looks the version up again with backoff, since no event tells of it. */
  #awaitVersion(name: string, version: string): void {
    const awaited = this.#awaited.get(name) ?? new Set();
    if (awaited.has(version)) return;
    this.#awaited.set(name, awaited.add(version));
    if (!this.#asking && this.#pause === undefined) this.#askLater();
  }

  get #awaitsVersion(): boolean {
    return [...this.#awaited].some(([name, awaited]) => {
      const served = this.#versions.get(name);
      return this.#wanted.has(name) && served !== undefined && [...awaited].some((version) => !served.has(version));
    });
  }

  /** Definitions have changed on the member. */
  review(): void {
    this.#failures = 0;
    this.#askAgain = true;
    void this.#ask();
  }

  /** The member answered 404 for the kind in the version that was found. */
  doubt(kind: string): void {
    const fixed = this.#fixed.find((type) => kindKey(type) === kind);
    if (fixed !== undefined) {
      this.#doubted.add(kind);
      this.#fixed = this.#fixed.filter((type) => type !== fixed);
      this.#wanted.set(kind, fixed);
      this.#found.set(kind, fixed);
    }
    if (!this.#wanted.has(kind) || this.#missing.has(kind)) return;
    this.#askAgain = true;
    void this.#ask();
  }

  /** Wanted kinds without an answer yet. */
  get #open(): string[] {
    return [...this.#wanted.keys()].filter(
      (name) => !this.#found.has(name) && !this.#missing.has(name) && !this.#unsure.has(name),
    );
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    const { signal, discovery } = this.#options.session;
    this.#asking = true;
    this.#pause?.[Symbol.dispose]();
    try {
      while (this.#askAgain && !signal.aborted) {
        this.#askAgain = false;
        discovery.invalidate();
        const served = await discovery.list();
        const unavailable = await discovery.unavailable();
        if (signal.aborted) return;
        await this.#lookForDefinitions(served, unavailable);
        if (signal.aborted) return;
        this.#take(served, unavailable);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.logger.debug({ cluster: this.#options.session.cluster, err: error }, "discovery failed");
      const open = this.#open;
      for (const name of open) this.#unsure.set(name, "the member does not say now which kinds it serves");
      // The lane retries at once what the member refused for its kind: without news it would be refused again, forever.
      if (open.length > 0) this.#options.changed();
    } finally {
      this.#asking = false;
    }
    this.#askLater();
  }

  #take(served: readonly ResourceType[], unavailable: ReadonlySet<string>): void {
    const byKind = Map.groupBy(served, kindKey);
    const groups = groupsOf(unavailable);
    const before = this.#state();
    const missing = new Map<string, number>();
    this.#unsure = new Map();
    for (const [name, { group, version }] of this.#wanted) {
      const types = byKind.get(name) ?? [];
      // Discovery lists the server's preferred version of a group first.
      const found = types.find((type) => type.version === version) ?? types[0];
      const known = this.#found.get(name);
      if (!groups.has(group)) this.#versions.set(name, new Set(types.map((type) => type.version)));
      if (found !== undefined) {
        this.#defined.delete(name);
        if (known === undefined || formOf(known) !== formOf(found)) this.#found.set(name, knownType(found));
      } else if (groups.has(group)) {
        if (known === undefined)
          this.#unsure.set(name, shortMessage(`the member does not say now whether it serves ${name}`));
      } else
        missing.set(name, this.#defined.has(name) ? 1 : Math.min((this.#missing.get(name) ?? 0) + 1, CERTAIN_AFTER));
    }
    const removed = [...missing].filter(
      ([name, count]) => count === CERTAIN_AFTER && this.#missing.get(name) !== count,
    );
    this.#missing = missing;
    for (const [name] of removed) this.#options.removed(name);
    if (this.#state() !== before) this.#options.changed();
  }

  /** A definition that serves no version keeps its objects, so it is read before a kind with objects counts as removed. */
  async #lookForDefinitions(served: readonly ResourceType[], unavailable: ReadonlySet<string>): Promise<void> {
    const { client, signal } = this.#options.session;
    const names = new Set(served.map(kindKey));
    const groups = groupsOf(unavailable);
    for (const [name, { group, plural = this.#found.get(name)?.plural }] of [...this.#wanted]) {
      // A server that no longer serves a built-in kind may still store its objects.
      if (this.#doubted.has(name)) this.#defined.add(name);
      const isSoonGone = this.#defined.has(name) || this.#missing.get(name) === CERTAIN_AFTER - 1;
      if (names.has(name) || groups.has(group) || plural === undefined || !isSoonGone) continue;
      if (!isCustomGroup(group)) continue;
      if (!this.#options.hasObjects(name)) this.#defined.delete(name);
      else if (await isDefined(client, crdNameOf({ plural, group }), signal)) this.#defined.add(name);
      else this.#defined.delete(name);
    }
  }

  /** Differs whenever the result of discovery differs. */
  #state(): string {
    const found = Array.from(this.#found, ([name, type]) => `${name} ${formOf(type)}`);
    const versions = Array.from(this.#versions, ([name, those]) => [name, ...those]);
    return JSON.stringify([found, versions, [...this.#missing], [...this.#unsure]]);
  }

  #askLater(): void {
    const { clock, random, session } = this.#options;
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    const isUnknown = [...this.#wanted.keys()].some((name) => this.#missing.has(name) || this.#unsure.has(name));
    const waits = isUnknown || this.#awaitsVersion;
    if (!waits || session.signal.aborted) return;
    this.#failures += 1;
    this.#pause = clock.after(backoffDelay(this.#failures, { ...AGAIN, random }), () => {
      this.#askAgain = true;
      void this.#ask();
    });
  }
}

/** False also when the account may not read definitions. */
async function isDefined(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await ifFound(client.get(CRDS, undefined, name, { metadataOnly: true, signal }))) !== undefined;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

/** Groups with an unavailable version. A kind missing from such a group may still be served. */
function groupsOf(unavailable: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...unavailable].map((apiVersion) => parseApiVersion(apiVersion).group));
}

/** Version, plural and scope of the kind. A definition that was created again may change them. */
function formOf({ version, plural, namespaced }: ResourceType): string {
  return `${version} ${plural} ${namespaced}`;
}
