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

interface KindCatalogOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

/** `Unknown`: the hub has not answered, or was not asked because no placement selects the kind. */
export type ServingState = "NeverPlaced" | "NotServed" | "Namespaced" | "ClusterScoped" | "Unknown";

/** A kind, with the version in which its first selector names it. */
interface Selection {
  group: string;
  kind: string;
  version: string;
}

type Selector = Pick<ResourceSelector, "apiVersion" | "kind">;

/** At least this long between two reads of discovery, whoever asks. */
const ASK_EVERY_MS = 1_000;
/** While a wanted kind is missing: its CRD or its part of the API may be on the way. */
const MISSING_AGAIN_MS = 5_000;
/** While the hub does not answer. */
const FAILED_AGAIN_MS = 10_000;
/** While a custom kind has a scale subresource: its CRD may change the replica paths. */
const SCALES_AGAIN_MS = 60_000;

/**
 * Finds the kinds in use at run time: those that the interpreter renders, and those that policies select, that may be
 * propagated and that the hub serves. Discovery is read only for a reason: a kind is missing, or was answered with 404.
 * A rendered kind counts as served until the hub says otherwise, so that no failure of discovery stops Meridian.
 */
export class KindCatalog {
  readonly #options: KindCatalogOptions;
  readonly #discovery: Discovery;
  readonly #scales: ScalePaths;
  readonly #changes = new Emitter<void>();
  /** Kinds that a policy has ever selected, by name: copies must still be removed when the policy is gone. */
  readonly #selected = new Map<string, Selection>();
  /** By kind: the versions that present placements name, with the number of their selectors. */
  readonly #named = new Map<string, Map<string, number>>();
  /** Kinds of dependencies that some object has ever had, beside those that may go with any object. */
  readonly #needed = new Map<string, ResourceType>();
  /** Selected kinds for which the hub has answered. */
  #asked: ReadonlySet<string> = new Set();
  /** {@link settled} may have become true, the missing kinds have changed, or a kind is read in another version. */
  readonly settlements = new Emitter<void>();
  /** By name, in the version in which they are read. */
  #served = new Map<string, ResourceType>();
  /** With the apiVersion of a served kind of the same name, if there is one. */
  #missing = new Map<string, string | undefined>();
  #failed = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #memberKinds: readonly ResourceType[] | undefined;

  constructor(options: KindCatalogOptions) {
    this.#options = options;
    this.#discovery = new Discovery(options.client, options.clock);
    this.#scales = new ScalePaths({ client: options.client, logger: options.logger });
    for (const kind of interpreter.renderedHubKinds()) this.#served.set(kindKey(kind), knownType(kind));
    this.#changes.subscribe(() => (this.#memberKinds = undefined));
  }

  /** Kinds of hub objects that are served, and watched on the hub. */
  hubKinds(): readonly ResourceType[] {
    return [...this.#served.values()];
  }

  /** Objects of the kind become other objects. Such kinds are watched even if no policy selects them. */
  isRequired({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
    return interpreter.hubKindOf(group, kind) !== undefined;
  }

  /** As far as known. */
  servingState({ apiVersion, kind }: Pick<ResourceSelector, "apiVersion" | "kind">): ServingState {
    const wanted = { group: parseApiVersion(apiVersion).group, kind };
    if (!this.isRequired(wanted) && !interpreter.isPropagated(wanted)) return "NeverPlaced";
    const served = this.#served.get(kindKey(wanted));
    if (served !== undefined) return served.namespaced ? "Namespaced" : "ClusterScoped";
    return this.#missing.has(kindKey(wanted)) ? "NotServed" : "Unknown";
  }

  /** For a kind that is not served: apiVersion of a served kind of the same name. */
  servedIn({ apiVersion, kind }: Pick<ResourceSelector, "apiVersion" | "kind">): string | undefined {
    return this.#missing.get(kindKeyOf({ apiVersion, kind }));
  }

  /** Every required kind is served, as far as known. */
  get complete(): boolean {
    return interpreter.requiredHubKinds().every((kind) => !this.#missing.has(kindKey(kind)));
  }

  /** The hub has answered for every selected kind. */
  get settled(): boolean {
    for (const name of this.#selected.keys()) if (!this.#asked.has(name)) return false;
    return true;
  }

  /** Kinds to watch on members, with namespaces. The same array until the kinds change. */
  memberKinds(): readonly ResourceType[] {
    if (this.#memberKinds === undefined) {
      const kinds = new Map<string, ResourceType>();
      for (const kind of [...interpreter.memberKinds(), NAMESPACES, ...this.#needed.values(), ...this.#propagated()])
        kinds.set(kindKey(kind), knownType(kind));
      this.#memberKinds = [...kinds.values()];
    }
    return this.#memberKinds;
  }

  /** What Meridian needs on a member for the present kinds. */
  rights(): Rights[] {
    return memberRights([...this.#needed.values(), ...this.#propagated()]);
  }

  /** For propagated kinds, whose managedFields show what a person set. */
  keepsManagedFields(type: Pick<ResourceType, "group" | "kind">): boolean {
    return !this.isRequired(type);
  }

  holdsManifests({ group, kind }: Pick<ResourceType, "group" | "kind">): boolean {
    return interpreter.hubKindOf(group, kind)?.holdsManifests === true;
  }

  /** {@link hubKinds} or {@link memberKinds} have changed. */
  onChange(handler: () => void): Disposable {
    return this.#changes.subscribe(handler);
  }

  /**
   * Replaces the selectors of a placement. A kind is read and sent in the version that placements name; of several the
   * one that the hub prefers, since objects in that version hold the content of the others.
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

  #reviewVersion({ apiVersion, kind }: Selector): void {
    const wanted = { group: parseApiVersion(apiVersion).group, kind };
    const served = this.#served.get(kindKey(wanted));
    if (served === undefined || this.isRequired(wanted)) return;
    const named = this.#named.get(kindKey(wanted)) ?? new Map<string, number>();
    if (named.size > 1 || (named.size === 1 && !named.has(served.version))) this.#wake.resolve();
  }

  /** Undefined for kinds that are not served. */
  readIn({ apiVersion, kind }: Selector): string | undefined {
    const served = this.#served.get(kindKeyOf({ apiVersion, kind }));
    return served === undefined ? undefined : apiVersionOf(served);
  }

  /** Follows the kinds that the selectors of a policy or a binding name. */
  select(selectors: Iterable<Selector>): void {
    for (const { apiVersion, kind } of selectors) {
      const wanted = { ...parseApiVersion(apiVersion), kind };
      const name = kindKey(wanted);
      if (this.#selected.has(name) || this.isRequired(wanted) || !interpreter.isPropagated(wanted)) continue;
      this.#selected.set(name, wanted);
      this.#wake.resolve();
    }
  }

  /** Kinds of dependencies that an object needs on a member. */
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

  /** For a watch of the kind that was answered with 404: its CRD may be gone. */
  notFound(type: Pick<ResourceType, "group" | "kind">): void {
    if (this.#served.has(kindKey(type))) this.#wake.resolve();
  }

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

  /** Every resource in every version, not older than `maximumAgeMs`, and the apiVersions that are unavailable now. */
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

  /** Returns the milliseconds until the next read; undefined if that waits for a reason. */
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
    // A kind that is selected during the read was not asked about.
    const asked = new Set(this.#selected.keys());
    for (const wanted of this.#wanted()) {
      const name = kindKey(wanted);
      const candidates = resources.filter((one) => kindKey(one) === name && isWatchable(one));
      const known = this.#served.get(name);
      const inVersion = (version: string | undefined): ResourceType | undefined =>
        candidates.find((one) => one.version === version);
      const named = this.#named.get(name);
      // The server lists its preferred version first.
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

  /** The known value for an unchanged kind, which then is no news. A kind is not placed before its paths are known. */
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

async function ignored(sleep: Promise<void>): Promise<void> {
  await sleep.catch(() => undefined);
}
