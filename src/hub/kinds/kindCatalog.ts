import {
  kindKey,
  kindKeyOf,
  type ObjectRef,
  parseApiVersion,
  type ResourceSelector,
  sameValue,
} from "../../apis/index.ts";
import * as interpreter from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  apiVersionOf,
  type Client,
  type Clock,
  Discovery,
  Emitter,
  knownType,
  NAMESPACES,
  type ResourceType,
  withSignal,
} from "../../runtime/index.ts";
import { memberRights, type Rights } from "./rights.ts";
import { hasScale, ScalePaths } from "./scalePaths.ts";

export interface KindCatalogOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

interface SelectedKind {
  group: string;
  kind: string;
}

/** `Unknown`: the hub has not said yet, or was not asked, since no placement selects the kind. */
export type KindStanding = "NeverPlaced" | "NotServed" | "Namespaced" | "ClusterScoped" | "Unknown";

/** A kind, and the version in which whatever selected the kind first names it. */
interface Selection extends SelectedKind {
  version: string;
}

type Selector = Pick<ResourceSelector, "apiVersion" | "kind">;

/** What the hub serves is not asked for more often than this, whoever wants to know. */
const ASK_EVERY_MS = 1_000;
/** While a wanted kind is missing: its CRD may be on its way, or the part of the API that would know may be away. */
const MISSING_AGAIN_MS = 5_000;
/** While the hub does not answer. */
const FAILED_AGAIN_MS = 10_000;
/** While a custom kind has a scale subresource: its CRD may come to name other fields. */
const SCALES_AGAIN_MS = 60_000;

/**
 * Which kinds matter, found at run time: those that the interpreter renders, and those that policies select, that may be propagated and
 * that the hub serves. Discovery is read only for a reason: a kind is missing, or was answered with 404. A kind that the interpreter
 * renders counts as served until the hub says that it is not, so that no trouble with discovery keeps Meridian from its work.
 */
export class KindCatalog {
  readonly #options: KindCatalogOptions;
  readonly #discovery: Discovery;
  readonly #scales: ScalePaths;
  readonly #changes = new Emitter<void>();
  /** Kinds that a policy has selected and that may be propagated, by name. A kind stays when its policy is gone: the copies are still to be removed. */
  readonly #selected = new Map<string, Selection>();
  /** By kind: the versions that present placements name, and how many selectors do. */
  readonly #named = new Map<string, Map<string, number>>();
  /** Kinds of dependencies that some object has, beside those that may go with any. A kind stays: the copies are still to be removed. */
  readonly #needed = new Map<string, ResourceType>();
  /** Of the selected kinds, those of which the hub has said whether it serves them. */
  #asked: ReadonlySet<string> = new Set();
  /** {@link settled} may have become true, or another kind is missing, or no more, or a kind is read in another version. */
  readonly settlements = new Emitter<void>();
  /** Of the wanted kinds, those that are served, by name, and in which version they are read. */
  #served = new Map<string, ResourceType>();
  /** Wanted kinds of which it is known that they are not served, with the apiVersion in which a kind of the same name is, if there is one. */
  #missing = new Map<string, string | undefined>();
  #failed = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #memberKinds: readonly ResourceType[] | undefined;

  constructor(options: KindCatalogOptions) {
    this.#options = options;
    this.#discovery = new Discovery(options.client, options.clock);
    this.#scales = new ScalePaths(options);
    for (const kind of interpreter.renderedHubKinds()) this.#served.set(kindKey(kind), knownType(kind));
    this.#changes.subscribe(() => (this.#memberKinds = undefined));
  }

  /** Kinds of hub objects that are placed and that the hub serves: those to be watched on the hub. */
  hubKinds(): readonly ResourceType[] {
    return [...this.#served.values()];
  }

  /** Whether objects of the kind become other objects; such kinds are watched whether or not a policy selects them. */
  isRequired({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
    return interpreter.hubKindOf(group, kind) !== undefined;
  }

  /** What is known of a kind that a policy selects. */
  standing({ apiVersion, kind }: Pick<ResourceSelector, "apiVersion" | "kind">): KindStanding {
    const wanted = { group: parseApiVersion(apiVersion).group, kind };
    if (!this.isRequired(wanted) && !interpreter.isPropagated(wanted)) return "NeverPlaced";
    const served = this.#served.get(kindKey(wanted));
    if (served !== undefined) return served.namespaced ? "Namespaced" : "ClusterScoped";
    return this.#missing.has(kindKey(wanted)) ? "NotServed" : "Unknown";
  }

  /** Of a kind that is not served: the apiVersion in which the hub serves one of the same name, which may be meant. */
  servedIn({ apiVersion, kind }: Pick<ResourceSelector, "apiVersion" | "kind">): string | undefined {
    return this.#missing.get(kindKeyOf({ apiVersion, kind }));
  }

  /** Whether every required kind is served, as far as is known. */
  get complete(): boolean {
    return interpreter.requiredHubKinds().every((kind) => !this.#missing.has(kindKey(kind)));
  }

  /** Whether the hub has said of every selected kind whether it serves the kind. */
  get settled(): boolean {
    for (const name of this.#selected.keys()) if (!this.#asked.has(name)) return false;
    return true;
  }

  /** Kinds of member objects, namespaces included: those to be watched on members. The same array until they change. */
  memberKinds(): readonly ResourceType[] {
    if (this.#memberKinds === undefined) {
      const kinds = new Map<string, ResourceType>();
      for (const kind of [...interpreter.memberKinds(), NAMESPACES, ...this.#needed.values(), ...this.#propagated()])
        kinds.set(kindKey(kind), knownType(kind));
      this.#memberKinds = [...kinds.values()];
    }
    return this.#memberKinds;
  }

  /** What Meridian needs on a member for these kinds. */
  rights(): Rights[] {
    return memberRights([...this.#needed.values(), ...this.#propagated()]);
  }

  /** True for kinds that are propagated as they are: what a person set in such an object is read from its managedFields. */
  keepsManagedFields(type: Pick<ResourceType, "group" | "kind">): boolean {
    return !this.isRequired(type);
  }

  /** True for kinds whose objects hold other objects, perhaps compressed. */
  holdsManifests({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
    return interpreter.hubKindOf(group, kind)?.holdsManifests === true;
  }

  /** Called when {@link hubKinds} or {@link memberKinds} have changed. */
  onChange(handler: () => void): Disposable {
    return this.#changes.subscribe(handler);
  }

  /**
   * A placement selects with `after` from now on, and no longer with `before`. A kind is read and sent in the version that placements name; where they
   * name several, in the one of these that the hub prefers, which holds what the others hold.
   */
  place(after: readonly Selector[], before: readonly Selector[]): void {
    if (after.length > 0) this.select(after);
    const both = [...after, ...before];
    const named = both.map((selector) => this.#versionsNamed(selector));
    for (const selector of after) this.#count(selector, 1);
    for (const selector of before) this.#count(selector, -1);
    for (const [index, selector] of both.entries())
      if (this.#versionsNamed(selector) !== named[index]) this.#reviewVersion(selector);
  }

  #versionsNamed({ apiVersion, kind }: Selector): string {
    const named = this.#named.get(kindKeyOf({ apiVersion, kind }));
    return [...(named?.keys() ?? [])].toSorted().join();
  }

  #count({ apiVersion, kind }: Selector, by: 1 | -1): void {
    const { group, version } = parseApiVersion(apiVersion);
    const name = kindKey({ group, kind });
    const named = this.#named.get(name) ?? new Map<string, number>();
    const count = (named.get(version) ?? 0) + by;
    if (count > 0) named.set(version, count);
    else named.delete(version);
    this.#named.set(name, named);
  }

  /** Wakes where another version may be the one to be read now. */
  #reviewVersion({ apiVersion, kind }: Selector): void {
    const wanted = { group: parseApiVersion(apiVersion).group, kind };
    const served = this.#served.get(kindKey(wanted));
    if (served === undefined || this.isRequired(wanted)) return;
    const named = this.#named.get(kindKey(wanted)) ?? new Map<string, number>();
    if (named.size > 1 || (named.size === 1 && !named.has(served.version))) this.#wake.resolve();
  }

  /** The apiVersion in which objects of a kind that is served are read; undefined for other kinds. */
  readIn({ apiVersion, kind }: Selector): string | undefined {
    const served = this.#served.get(kindKeyOf({ apiVersion, kind }));
    return served === undefined ? undefined : apiVersionOf(served);
  }

  /** Something that has objects of these kinds, or had, names them. */
  select(selectors: Iterable<Selector>): void {
    for (const { apiVersion, kind } of selectors) {
      const wanted = { ...parseApiVersion(apiVersion), kind };
      const name = kindKey(wanted);
      if (this.#selected.has(name) || this.isRequired(wanted) || !interpreter.isPropagated(wanted)) continue;
      this.#selected.set(name, wanted);
      this.#wake.resolve();
    }
  }

  /** Some object needs these beside it on a member. */
  need(dependencies: readonly { ref: Pick<ObjectRef, "apiVersion" | "kind"> }[]): void {
    let isNews = false;
    for (const { ref } of dependencies) {
      const kind = interpreter.occasionalKindOf(ref);
      if (kind === undefined || this.#needed.has(kindKey(kind))) continue;
      this.#needed.set(kindKey(kind), knownType(kind));
      isNews = true;
    }
    if (isNews) this.#changes.emit();
  }

  /** A watch of that kind was answered with 404: perhaps its CRD was deleted. */
  notFound(type: Pick<ResourceType, "group" | "kind">): void {
    if (this.#served.has(kindKey(type))) this.#wake.resolve();
  }

  /** Keeps the catalog true until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const ended = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => ended.resolve(), { once: true });
    let againMs: number | undefined;
    while (!signal.aborted) {
      const pause = new AbortController();
      const waits = [ended.promise, this.#wake.promise];
      if (againMs !== undefined) waits.push(ignored(clock.sleep(againMs * (1 + random() / 4), pause.signal)));
      await Promise.race(waits);
      pause.abort();
      if (signal.aborted) break;
      this.#wake = Promise.withResolvers<void>();
      againMs = await this.#refresh(signal);
    }
  }

  /** Every resource in every version that the hub serves, not older than this; and the parts of the API that are away now. */
  async served(
    maximumAgeMs: number,
    signal: AbortSignal,
  ): Promise<{ resources: readonly ResourceType[]; unavailable: ReadonlySet<string> }> {
    const now = this.#options.clock.monotonic();
    if (now - this.#readAt > Math.max(maximumAgeMs, ASK_EVERY_MS)) {
      this.#discovery.invalidate();
      this.#readAt = now;
    }
    const read = async () => ({
      resources: await this.#discovery.list(),
      unavailable: await this.#discovery.unavailable(),
    });
    return await withSignal(read(), signal);
  }

  /** Returns after how many milliseconds to ask again; undefined: when there is a reason. */
  async #refresh(signal: AbortSignal): Promise<number | undefined> {
    try {
      await this.#update(await this.served(0, signal), signal);
      this.#failed = false;
      if (this.#wanted().some((kind) => !this.#served.has(kindKey(kind)))) return MISSING_AGAIN_MS;
      return this.#propagated().some(hasScale) ? SCALES_AGAIN_MS : undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#options.logger[this.#failed ? "debug" : "warn"](
        { err: error },
        "the hub does not say which kinds it serves; those known stay as they are",
      );
      this.#failed = true;
      return FAILED_AGAIN_MS;
    }
  }

  async #update(
    { resources, unavailable }: Awaited<ReturnType<KindCatalog["served"]>>,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#names();
    const served = new Map<string, ResourceType>();
    const missing = new Map<string, string | undefined>();
    // A kind that is selected meanwhile was not asked about.
    const asked = new Set(this.#selected.keys());
    for (const wanted of this.#wanted()) {
      const name = kindKey(wanted);
      const candidates = resources.filter((one) => kindKey(one) === name && isWatchable(one));
      const known = this.#served.get(name);
      const inVersion = (version: string | undefined): ResourceType | undefined =>
        candidates.find((one) => one.version === version);
      const named = this.#named.get(name);
      // The server names the version that it prefers first.
      const placed = candidates.find(({ version }) => named?.has(version) === true);
      const found = this.isRequired(wanted)
        ? inVersion(wanted.version)
        : (placed ?? inVersion(known?.version) ?? inVersion(wanted.version) ?? candidates[0]);
      const isUnsure = [...unavailable].some((apiVersion) => parseApiVersion(apiVersion).group === wanted.group);
      if (found !== undefined) served.set(name, await this.#withScale(found, known, signal));
      else if (isUnsure && known !== undefined) served.set(name, known);
      else if (!isUnsure || this.#missing.has(name)) missing.set(name, apiVersionOfKind(wanted.kind, resources));
    }
    for (const name of missing.keys()) if (!this.#missing.has(name)) this.#report(name, false);
    for (const name of served.keys()) if (this.#missing.has(name)) this.#report(name, true);
    this.#served = served;
    const isNews = !this.settled || !sameValue([...missing], [...this.#missing]);
    this.#missing = missing;
    this.#asked = asked;
    const isChange = this.#names() !== before;
    if (isChange) this.#changes.emit();
    if (isNews || isChange) this.settlements.emit();
  }

  /** The same value for the same kind, so that nobody takes it for another. A kind is not placed before its scale subresource is known. */
  async #withScale(found: ResourceType, known: ResourceType | undefined, signal: AbortSignal): Promise<ResourceType> {
    const type = this.isRequired(found) ? knownType(found) : await this.#scales.of(knownType(found), signal);
    return known?.version === type.version && sameValue(known.scale, type.scale) ? known : type;
  }

  #report(name: string, served: boolean): void {
    const { logger } = this.#options;
    if (served) logger.info({ kind: name, event_reason: "KindServed" }, "the hub serves this kind now; it is watched");
    else
      logger.warn(
        { kind: name, event_reason: "KindNotServed" },
        "the hub does not serve this kind; install its CRD, it is watched as soon as it is served",
      );
  }

  #wanted(): Selection[] {
    return [...interpreter.renderedHubKinds(), ...this.#selected.values()];
  }

  #propagated(): ResourceType[] {
    return this.hubKinds().filter((kind) => !this.isRequired(kind));
  }

  #names(): string {
    const nameWith = (type: ResourceType): string =>
      `${apiVersionOf(type)}/${type.kind}${type.scale === undefined ? "" : JSON.stringify(type.scale)}`;
    return Array.from(this.#served.values(), nameWith).join();
  }
}

function apiVersionOfKind(kind: string, resources: readonly ResourceType[]): string | undefined {
  const found = resources.find((one) => one.kind === kind);
  return found === undefined ? undefined : apiVersionOf(found);
}

function isWatchable({ verbs }: ResourceType): boolean {
  return verbs === undefined || (verbs.includes("list") && verbs.includes("watch"));
}

/** Ends without an error also when it is cancelled. */
async function ignored(sleep: Promise<void>): Promise<void> {
  await sleep.catch(() => undefined);
}
