import { type GroupKind, isCustomGroup } from "../interpreter/index.ts";
import { parseApiVersion, shortMessage } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import { backoffDelay, type Clock, knownType, type ResourceType } from "../runtime/index.ts";
import type { MemberSession } from "./types.ts";

export interface KindsOnMemberOptions {
  session: MemberSession;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Whether objects of the kind (`group/Kind`) are known there. */
  hasObjects: (kind: string) => boolean;
  /** Other kinds are served, or it is known of more of them whether they are. */
  changed: () => void;
}

/** While kinds are missing: their definitions may come from somebody else, of which no watch tells. */
const AGAIN = { baseMs: 1_000, capMs: 30_000 };
/**
 * After so many answers without the kind the member does not have it, and so none of its objects: a server that has just started serves its
 * own kinds before those of definitions.
 */
const CERTAIN_AFTER = 3;

/**
 * Which of the wanted kinds one member serves, for one session. Kinds that every server has by itself are taken for served, so that nothing
 * waits for discovery and nothing is asked where no other kinds are wanted. All others are looked up in what the member serves: at once
 * when a kind is wanted, when a definition of ours changes there, when the version that was found is not served any more, and from time to time
 * while a kind is missing.
 */
export class KindsOnMember {
  readonly #options: KindsOnMemberOptions;
  #fixed: readonly ResourceType[] = [];
  /** Those that are looked up. What their scale subresources say is known from the hub. */
  #wanted = new Map<string, GroupKind & Pick<ResourceType, "scale">>();
  #found = new Map<string, ResourceType>();
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
    this.#fixed = kinds.filter(({ group }) => !isCustomGroup(group));
    const wanted = [...kinds.filter(({ group }) => isCustomGroup(group)), ...others];
    this.#wanted = new Map(wanted.map((kind) => [nameOf(kind), kind]));
    if (this.#open.length > 0) this.review();
  }

  /** Those to be watched. A kind that goes while objects of it are known is watched until these were seen deleted. */
  get served(): readonly ResourceType[] {
    const found = [...this.#wanted].flatMap(([name, { scale }]) => {
      const type = this.#found.get(name);
      if (type === undefined || (this.#missing.has(name) && !this.#options.hasObjects(name))) return [];
      return scale === undefined ? type : { ...type, scale };
    });
    return [...this.#fixed, ...found];
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
    const name = nameOf({ group: parseApiVersion(apiVersion).group, kind });
    const answers = this.#wanted.has(name) ? (this.#missing.get(name) ?? 0) : 0;
    return answers === 0 ? "No" : answers < CERTAIN_AFTER ? "Perhaps" : "Surely";
  }

  /** Definitions have changed there. */
  review(): void {
    this.#failures = 0;
    this.#askAgain = true;
    void this.#ask();
  }

  /** The member does not serve the kind (`group/Kind`) as it was found there: another version may be served instead. */
  doubt(kind: string): void {
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
    const byKind = new Map<string, ResourceType>();
    // The first version of a group is the one that the server prefers.
    for (const type of served) if (!byKind.has(nameOf(type))) byKind.set(nameOf(type), type);
    const groups = new Set([...unavailable].map((apiVersion) => parseApiVersion(apiVersion).group));
    const before = this.#state();
    const missing = new Map<string, number>();
    this.#unsure = new Map();
    for (const [name, { group }] of this.#wanted) {
      const found = byKind.get(name);
      const known = this.#found.get(name);
      if (found !== undefined) {
        if (known === undefined || formOf(known) !== formOf(found)) this.#found.set(name, knownType(found));
      } else if (groups.has(group)) {
        if (known === undefined)
          this.#unsure.set(name, shortMessage(`the member does not say now whether it serves ${name}`));
      } else missing.set(name, Math.min((this.#missing.get(name) ?? 0) + 1, CERTAIN_AFTER));
    }
    this.#missing = missing;
    if (this.#state() !== before) this.#options.changed();
  }

  /** By which a change is noticed. */
  #state(): string {
    const found = Array.from(this.#found, ([name, type]) => `${name} ${formOf(type)}`);
    return JSON.stringify([found, [...this.#missing], [...this.#unsure]]);
  }

  #askLater(): void {
    const { clock, random, session } = this.#options;
    this.#pause?.[Symbol.dispose]();
    const waits = [...this.#wanted.keys()].some((name) => this.#missing.has(name) || this.#unsure.has(name));
    if (!waits || session.signal.aborted) return;
    this.#failures += 1;
    this.#pause = clock.after(backoffDelay(this.#failures, { ...AGAIN, random }), () => {
      this.#askAgain = true;
      void this.#ask();
    });
  }
}

function nameOf({ group, kind }: GroupKind): string {
  return `${group}/${kind}`;
}

/** How the kind is served: a definition that is made anew may say otherwise. */
function formOf({ version, plural, namespaced }: ResourceType): string {
  return `${version} ${plural} ${namespaced}`;
}
