import { type GroupKind, isCustomGroup } from "../../interpreter/index.ts";
import { crdNameOf, kindKey, kindKeyOf, parseApiVersion, shortMessage } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  backoffDelay,
  type Client,
  type Clock,
  CRDS,
  isForbidden,
  isNotFound,
  knownType,
  type ResourceType,
} from "../../runtime/index.ts";
import type { MemberSession } from "../types.ts";

export interface KindsOnMemberOptions {
  session: MemberSession;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Whether objects of the kind (`group/Kind`) are known there. */
  hasObjects: (kind: string) => boolean;
  /** Other kinds are served, or it is known of more of them whether they are. */
  changed: () => void;
  /** The kind (`group/Kind`) has been removed from the member, and every object of the kind with it. */
  removed: (kind: string) => void;
}

/** While kinds are missing: their definitions may come from somebody else, of which no watch tells. */
const AGAIN = { baseMs: 1_000, capMs: 30_000 };
/**
 * After so many answers without the kind the member does not have it, and so none of its objects: a server that has just started serves its
 * own kinds before those of definitions.
 */
const CERTAIN_AFTER = 3;

/** A kind that is looked up. The version that the hub sends and what the scale subresource says are known from the hub. */
type Wanted = GroupKind & Partial<Pick<ResourceType, "version" | "plural" | "scale">>;

/**
 * Which of the wanted kinds one member serves, for one session. Kinds that every server has by itself are taken for served, so that nothing
 * waits for discovery and nothing is asked where no other kinds are wanted, until the member answers 404 for one of them. All others are looked up
 * in what the member serves: at once when a kind is wanted, when a definition of ours changes there, when the version that was found is not
 * served any more, and from time to time while a kind is missing, or a version in which somebody wants to write. A kind is watched in the version that the hub sends; where the member
 * does not serve that version, in the one that the member prefers.
 */
export class KindsOnMember {
  readonly #options: KindsOnMemberOptions;
  #fixed: readonly ResourceType[] = [];
  #wanted = new Map<string, Wanted>();
  #found = new Map<string, ResourceType>();
  /** In which versions the member serves the kinds that it was asked about. */
  #versions = new Map<string, ReadonlySet<string>>();
  /** Versions of kinds in which somebody wanted to write and the member did not serve them. */
  readonly #awaited = new Map<string, Set<string>>();
  /** Kinds that every server has by itself, and for which the member has answered 404. */
  readonly #doubted = new Set<string>();
  /** Kinds without a served version whose definition is still on the member: objects may be there. */
  readonly #defined = new Set<string>();
  /** How many answers in a row were without the kind. */
  #missing = new Map<string, number>();
  /** Kinds of which the member cannot say whether it serves them, and why. */
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
    // A kind that the hub sends is known with its version.
    for (const kind of [...kinds.filter((one) => !isFixed(one)), ...others])
      if (!this.#wanted.has(kindKey(kind))) this.#wanted.set(kindKey(kind), kind);
    const isMoved = [...this.#wanted].some(([name, { version }]) => {
      const was = before.get(name);
      return was !== undefined && version !== undefined && was.version !== version;
    });
    if (isMoved || this.#open.length > 0) this.review();
  }

  /** Those to be watched. A kind that goes while objects of it are known is watched until these were seen deleted. */
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

  /** Nobody has answered yet for some of them. */
  get isPending(): boolean {
    return this.#open.length > 0;
  }

  /** Kinds (`group/Kind`) of which objects may be there and cannot be read, and why. */
  get unsure(): ReadonlyMap<string, string> {
    return new Map([...this.#unsure].filter(([name]) => this.#wanted.has(name)));
  }

  /** Whether the member lacks the kind, by its own word; `Surely`: so that nothing of the kind can be there. */
  lacks({ apiVersion, kind }: { apiVersion: string; kind: string }): "No" | "Perhaps" | "Surely" {
    if (this.#missing.size === 0) return "No";
    const name = kindKeyOf({ apiVersion, kind });
    const answers = this.#wanted.has(name) ? (this.#missing.get(name) ?? 0) : 0;
    return answers === 0 ? "No" : answers < CERTAIN_AFTER ? "Perhaps" : "Surely";
  }

  /** Whether the member serves the kind in that version, as far as it has said. */
  serves({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
    const { group, version } = parseApiVersion(apiVersion);
    const name = kindKey({ group, kind });
    const isServed = this.#versions.get(name)?.has(version) ?? true;
    if (!isServed) this.#awaitVersion(name, version);
    return isServed;
  }

  /** Nothing tells when the member begins to serve a version that somebody wants to write. */
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

  /** Definitions have changed there. */
  review(): void {
    this.#failures = 0;
    this.#askAgain = true;
    void this.#ask();
  }

  /** The member does not serve the kind (`group/Kind`) as it was found there: another version may be served instead. */
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

  /** Wanted kinds of which nothing is known yet. */
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
      for (const name of this.#open) this.#unsure.set(name, "the member does not say now which kinds it serves");
      this.#options.changed();
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
      // The first version of a group is the one that the server prefers.
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

  /**
   * A definition that serves no version of its kind keeps the objects, and discovery shows no trace of either. So the definitions of kinds that are
   * about to count as removed are looked for, where objects of theirs are known. An account without the right to read definitions knows
   * discovery alone.
   */
  async #lookForDefinitions(served: readonly ResourceType[], unavailable: ReadonlySet<string>): Promise<void> {
    const { client, signal } = this.#options.session;
    const names = new Set(served.map(kindKey));
    const groups = groupsOf(unavailable);
    for (const [name, { group, plural = this.#found.get(name)?.plural }] of [...this.#wanted]) {
      // A server that no longer serves a kind of its own may still store the objects.
      if (this.#doubted.has(name)) this.#defined.add(name);
      const isSoonGone = this.#defined.has(name) || this.#missing.get(name) === CERTAIN_AFTER - 1;
      if (names.has(name) || groups.has(group) || plural === undefined || !isSoonGone) continue;
      if (!isCustomGroup(group)) continue;
      if (!this.#options.hasObjects(name)) this.#defined.delete(name);
      else if (await isDefined(client, crdNameOf({ plural, group }), signal)) this.#defined.add(name);
      else this.#defined.delete(name);
    }
  }

  /** By which a change is noticed. */
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

/** Whether the definition is on the member, as far as the account may know. */
async function isDefined(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(CRDS, undefined, name, { metadataOnly: true, signal });
    return true;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return false;
    throw error;
  }
}

/** Groups of which some part is away, so that a kind that is missing says nothing. */
function groupsOf(unavailable: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...unavailable].map((apiVersion) => parseApiVersion(apiVersion).group));
}

/** How the kind is served: a definition that is made anew may say otherwise. */
function formOf({ version, plural, namespaced }: ResourceType): string {
  return `${version} ${plural} ${namespaced}`;
}
