import { type MemberCluster, timestamp } from "../../apis/index.ts";
import {
  acceptedIn,
  heldConditionOf,
  type MissingHold,
  rememberedHold,
  whyHeldAsMissing,
  type Why,
} from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import { type Clock, compareResourceVersions, Emitter, isMassVanishing } from "../../runtime/index.ts";
import { type Observations } from "../tables/index.ts";

export interface MissingOwnersOptions {
  hub: HubCache;
  observations: Observations;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Hub objects that copies on one cluster name and that the hub does not have. */
export interface HeldThere {
  hold: MissingHold;
  owners: readonly string[];
  accepted: boolean;
}

/** Shortest hold after the hub went back. The watches of the kinds detect the change one after the other. */
const WENT_BACK_FOR_MS = 600_000;
const METRIC = "owners";
const UNCONFIRMED: Why = {
  reason: "OwnerUnconfirmed",
  message: "not every cluster has said yet what runs there, and the object may be one of many that the hub has lost",
};

/**
 * The hub objects that copies name as their owner and that the hub does not have. An ordinary deletion leaves no such
 * copies. Many of them, or a copy that knows a later state of the hub than the hub itself, mean that the hub went back
 * in time (restored from a backup), or that a CRD went with its objects.
 *
 * The copies then stay until the objects are back, or until a person agrees on the MemberCluster. The condition there
 * outlives this process, so that no restart ends the hold.
 */
export class MissingOwners implements Disposable {
  /** A hold has begun or ended, or a person has agreed on a cluster. */
  readonly changes = new Emitter<void>();
  readonly counts = new Emitter<void>();
  readonly #options: MissingOwnersOptions;
  readonly #subscriptions = new DisposableStack();
  readonly #missing = new Set<string>();
  #hold: MissingHold | undefined;
  /** The latest resourceVersion of the hub that a copy knows. */
  #latest = "";
  /** Time at which the hub last went back, monotonic milliseconds. */
  #wentBackAt = Number.NEGATIVE_INFINITY;
  #isWatching = false;

  constructor(options: MissingOwnersOptions) {
    this.#options = options;
  }

  /** The hub's caches have synced: from now on, an owner that is not in a cache is missing. */
  begin(): void {
    const { hub, observations } = this.#options;
    this.#isWatching = true;
    for (const cluster of hub.clusters.list()) this.#remember(cluster);
    this.#subscriptions.use(
      observations.changes.subscribe(({ after, named }) => {
        const version = after?.present?.hubVersion;
        if (version !== undefined && compareResourceVersions(version, this.#latest) > 0) this.#latest = version;
        if (named.after !== undefined) this.#consider(named.after);
        if (named.before !== undefined && named.before !== named.after) this.#consider(named.before);
      }),
    );
    this.#subscriptions.use(hub.onObject(({ key }) => this.#consider(key)));
    this.#subscriptions.use(
      hub.onCluster(({ type, object, old }) => {
        if (type !== "Deleted") this.#remember(object);
        if (this.#hold !== undefined && acceptedIn(object) !== (old && acceptedIn(old))) this.changes.emit();
      }),
    );
    this.#subscriptions.use(hub.wentBack.subscribe(() => this.#wentBack()));
  }

  /** The latest resourceVersion of the hub that a copy knows, for comparison with a later read of the hub. */
  get latest(): string {
    return this.#latest;
  }

  /** The hub has confirmed that the owner is gone. `version`: of the answer; undefined if there was no read. */
  confirmed(owner: string, latest: string, version: string | undefined): void {
    this.#consider(owner);
    if (version !== undefined && compareResourceVersions(latest, version) > 0) this.#begin("HubWentBack");
  }

  /** A missing object was deleted together with an earlier CRD of its kind. */
  lostWithKind(owner: string): void {
    this.#consider(owner);
    if (this.#missing.has(owner)) this.#begin("OwnersMissing");
  }

  /** True while a hold exists, even if a person has just agreed to the removal. */
  get isHolding(): boolean {
    return this.#hold !== undefined;
  }

  /** Why the copies of missing objects stay on the cluster for now; undefined if they may be removed. */
  heldOn(cluster: string): Why | undefined {
    const { hub, observations } = this.#options;
    if (this.#hold !== undefined) return whyHeldAsMissing(this.#hold, hub.clusters.get(cluster));
    const isPending = hub.clusters.keys().some((name) => observations.contactOf(name).pending);
    return isPending ? UNCONFIRMED : undefined;
  }

  on(cluster: string): HeldThere | undefined {
    const hold = this.#hold;
    if (hold === undefined) return undefined;
    const owners = [...this.#missing].filter((owner) => this.#isOn(owner, cluster)).toSorted();
    return owners.length === 0 ? undefined : { hold, owners, accepted: this.#isAccepted(cluster, hold) };
  }

  /** True if all our objects on the cluster are known: an owner that is not missing then has no copy there. */
  isKnown(cluster: string): boolean {
    return this.#isWatching && this.#options.observations.contactOf(cluster).synced;
  }

  /** Ends the hold when no owner is missing and no MemberCluster has the condition. */
  review(): void {
    const { hub, clock } = this.#options;
    if (this.#hold === undefined || this.#missing.size > 0) return;
    if (clock.monotonic() - this.#wentBackAt < WENT_BACK_FOR_MS) return;
    if (hub.clusters.list().some((cluster) => heldConditionOf(cluster) !== undefined)) return;
    this.#hold = undefined;
    this.#options.metrics.setDeletionsHeld(METRIC, false);
    this.changes.emit();
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
    if (this.#hold !== undefined) this.#options.metrics.setDeletionsHeld(METRIC, false);
  }

  #consider(owner: string): void {
    const { hub, observations } = this.#options;
    const isMissing = !observations.naming(owner)[Symbol.iterator]().next().done && hub.object(owner) === undefined;
    if (isMissing === this.#missing.has(owner)) return;
    if (isMissing) this.#missing.add(owner);
    else this.#missing.delete(owner);
    if (isMassVanishing(this.#missing.size, observations.ownersNamed)) this.#begin("OwnersMissing");
    if (this.#hold !== undefined) this.counts.emit();
  }

  #wentBack(): void {
    this.#wentBackAt = this.#options.clock.monotonic();
    this.#begin("HubWentBack");
  }

  #begin(reason: MissingHold["reason"]): void {
    const { clock, logger, metrics } = this.#options;
    const { reason: before, since = timestamp(clock.now()) } = this.#hold ?? {};
    if (before === reason || before === "HubWentBack") return;
    this.#hold = { reason, since };
    metrics.setDeletionsHeld(METRIC, true);
    logger.warn(
      { event_reason: reason, missing: this.#missing.size },
      "the hub lacks objects that run on members; nothing of theirs is removed until a person agrees",
    );
    this.changes.emit();
  }

  /** Restores a hold of an earlier process, or from before a restore of the hub, from the condition. */
  #remember(cluster: MemberCluster): void {
    const hold = rememberedHold(this.#hold, cluster);
    if (hold === this.#hold) return;
    this.#hold = hold;
    this.#options.metrics.setDeletionsHeld(METRIC, true);
    this.changes.emit();
  }

  #isAccepted(cluster: string, { since }: MissingHold): boolean {
    const member = this.#options.hub.clusters.get(cluster);
    return member !== undefined && acceptedIn(member) === since;
  }

  #isOn(owner: string, cluster: string): boolean {
    for (const copy of this.#options.observations.naming(owner)) if (copy.cluster === cluster) return true;
    return false;
  }
}
