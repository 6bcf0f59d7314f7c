import { crdNameOf, defined, type KindDefinition, type KubeObject, servingPatch } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  apiVersionOf,
  type Client,
  type Clock,
  CRDS,
  Informer,
  isApiError,
  type ResourceType,
  typeOf,
} from "../runtime/index.ts";
import { holdsAll } from "./certificates/index.ts";
import type { WebhookTarget } from "./configurations.ts";
import { rest } from "./rest.ts";
import {
  type Applied,
  bundlesIn,
  configurationPart,
  convertsAt,
  leadsTo,
  placeOfConversion,
  turnedConversion,
  wantedObject,
} from "./wanted.ts";
import { WEBHOOK_FIELD_MANAGER } from "./wellknown.ts";

export interface PublisherOptions {
  client: Client;
  target: WebhookTarget;
  configurationName: string;
  kinds: readonly KindDefinition[];
  /** How long a certificate that only another replica may need stays in a bundle. */
  overlapMs: number;
  clock: Clock;
  logger: Logger;
  /** Called when every configuration by which the server calls the webhooks holds this bundle. */
  published: (bundle: string) => void;
}

const ADMISSION = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };
const MUTATING: ResourceType = {
  ...ADMISSION,
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
};
const VALIDATING: ResourceType = {
  ...ADMISSION,
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
};
/** The two webhook configurations for admission. */
export const ADMISSION_TYPES: readonly ResourceType[] = [MUTATING, VALIDATING];
const RETRY_MS = 2_000;
/** How often to check whether the other release that converts still answers. */
const PROBE_MS = 5_000;

interface Followed {
  type: ResourceType;
  name: string;
  /** Kind of the CRD; undefined for a webhook configuration. */
  kind?: KindDefinition;
  /** False for the CRD of a kind with a single version: the server never calls the webhook for such a kind. */
  isCalled: boolean;
  informer: Informer<KubeObject>;
}

/**
 * Keeps the addresses and CA bundles in the CRDs and webhook configurations up to date; fields that a chart wrote stay
 * the chart's. Replicas agree without a leader: each adds its own certificate, and removes others only after a while.
 * Of two releases on one hub, the one that was installed last converts. The other takes over when no release is named
 * any more, or the named one does not answer.
 */
export class ConfigurationPublisher {
  readonly #options: PublisherOptions;
  readonly #followed: readonly Followed[];
  /** Certificates in a bundle that this replica does not want, and since when, by the monotonic clock. */
  readonly #unwanted = new Map<string, number>();
  #bundle: { pem: string | undefined } | undefined;
  #wake = Promise.withResolvers<void>();
  #published = "";
  /**
   * CRDs by name. True: they have named this release for conversion, so another one that they name has taken over.
   * Absent: not checked yet.
   */
  readonly #claimed = new Map<string, boolean>();
  /** Addresses of conversion webhooks that did not answer at the last check. */
  readonly #silent = new Set<string>();
  /** The release's own configuration before this manager's first write. */
  #found: { own: KubeObject | undefined } | undefined;
  #waiting: { bundle: string; done: () => void }[] = [];

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { client, clock, logger, configurationName, kinds } = options;
    const followed = (type: ResourceType, name: string, kind?: KindDefinition): Followed => ({
      type,
      name,
      ...defined({ kind }),
      isCalled: kind === undefined || kind.versions.length > 1,
      informer: new Informer<KubeObject>({
        client,
        type,
        fieldSelector: `metadata.name=${name}`,
        name: `webhooks/${type.plural}`,
        transform: configurationPart,
        clock,
        logger,
      }),
    });
    this.#followed = [
      ...kinds.map((kind) => followed(CRDS, crdNameOf(kind), kind)),
      ...ADMISSION_TYPES.map((type) => followed(type, configurationName)),
    ];
  }

  get validating(): Informer<KubeObject> {
    const followed = this.#followed.find(({ type }) => type === VALIDATING);
    if (followed === undefined) throw new Error("the validating configuration is not followed");
    return followed.informer;
  }

  /**
   * Sets the wanted bundle. Resolves with true when every configuration by which the server calls holds it, with false
   * at the signal.
   */
  async publish(bundle: string | undefined, signal: AbortSignal): Promise<boolean> {
    this.#bundle = { pem: bundle };
    this.#wake.resolve();
    if (bundle === undefined || (this.#published !== "" && holdsAll(this.#published, bundle))) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => resolve(false);
    const waiting = { bundle, done: () => resolve(true) };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const informers = this.#followed.map(({ informer }) => informer);
    const subscriptions = informers.map((informer) => informer.onEvent(() => this.#wake.resolve()));
    const watching = Promise.all(informers.map((informer) => informer.run(signal)));
    const synced = this.#followed.map(async ({ kind, informer }) => {
      await informer.waitForSync(signal);
      // A CRD that this manager has no right to read must not block the other configurations.
      if (kind !== undefined) this.#wake.resolve();
    });
    try {
      await Promise.all(synced.filter((_, index) => this.#followed[index]?.kind === undefined));
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers<void>();
        let again: number | undefined = RETRY_MS;
        try {
          again = await this.#reconcile(signal);
        } catch (error) {
          if (signal.aborted) break;
          logger.error(
            { err: error, retry_after_ms: RETRY_MS },
            "webhook configurations could not be written; see which rights the manager has on them",
          );
        }
        await rest(clock, again ?? 2 ** 31 - 1, this.#wake.promise, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    }
    await Promise.allSettled(synced);
    await watching;
  }

  /** Returns in how many milliseconds to check again; undefined when only a change requires a check. */
  async #reconcile(signal: AbortSignal): Promise<number | undefined> {
    if (this.#bundle === undefined) return undefined;
    const { pem: wanted } = this.#bundle;
    const { yielded, asked } = await this.#yielded(signal);
    const failures: unknown[] = [];
    const rechecks = yielded.size === 0 ? [] : [PROBE_MS];
    // New certificates wait for the configurations by which the server calls, and the many CRDs take long to write.
    for (const isCalled of [true, false]) {
      for (const followed of this.#followed) {
        if (followed.isCalled !== isCalled || yielded.has(followed) || !followed.informer.synced) continue;
        // Another release has taken over since the check: its event has started another pass.
        if (!asked.has(followed) && this.#isTakenOver(followed)) continue;
        // A new bundle is wanted now, which must reach the called configurations first.
        if (!isCalled && this.#bundle.pem !== wanted) return undefined;
        try {
          rechecks.push(...(await this.#bring(followed, wanted, signal)));
        } catch (error) {
          signal.throwIfAborted();
          failures.push(error);
        }
      }
      const isTrusted = failures.length === 0 && this.#followed.every((one) => !one.isCalled || one.informer.synced);
      if (isCalled && isTrusted) this.#reportPublished(wanted);
    }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
    return rechecks.length === 0 ? undefined : Math.min(...rechecks);
  }

  /** Returns in how many milliseconds to check this configuration again, if known. */
  async #bring(followed: Followed, wanted: string | undefined, signal: AbortSignal): Promise<number[]> {
    const { target, configurationName: name, overlapMs, clock } = this.#options;
    const { kind } = followed.type;
    const [live] = followed.informer.list();
    const { pems: kept, recheckMs } = this.#kept(live, wanted ?? "", clock.monotonic(), overlapMs);
    const object = wantedObject({ kind, live, target, name, bundle: wanted, kept });
    if (object !== undefined) await this.#write(followed, object, signal);
    else if (followed.kind !== undefined && live !== undefined) await this.#serveVersions(followed, live, signal);
    return recheckMs === undefined ? [] : [recheckMs];
  }

  async #write({ type, name, kind, informer }: Followed, object: Applied, signal: AbortSignal): Promise<void> {
    const { client, target, logger } = this.#options;
    const turned = kind === undefined ? undefined : turnedConversion(informer.list()[0], target, object);
    const written = await (turned === undefined
      ? client.apply(
          type,
          { ...object, apiVersion: apiVersionOf(type), kind: type.kind },
          { force: true, fieldManager: WEBHOOK_FIELD_MANAGER, signal },
        )
      : client.patch(type, undefined, name, "application/merge-patch+json", turned, { signal }));
    if (kind !== undefined) this.#claimed.set(name, true);
    informer.observe(written);
    logger.info({ kind: type.kind, name }, "webhook configuration written");
  }

  /** Serves the versions that are not stored, once this release converts them. */
  async #serveVersions({ name, informer }: Followed, crd: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, target, logger } = this.#options;
    const patch = convertsAt(crd, target) === "here" ? servingPatch(crd) : undefined;
    if (patch === undefined) return;
    const written = await client.patch(CRDS, undefined, name, "application/json-patch+json", patch, { signal });
    informer.observe(written);
    logger.info({ name }, "every version is served, since it is converted here");
  }

  /**
   * CRDs whose conversion an answering release has taken over from this one. Taking it back would start an endless
   * exchange. A restarted manager recognizes by its own webhook configuration that it is not new. A release that
   * answers for one kind answers for all at the same address, since kinds with a single version cannot be tested.
   */
  async #yielded(signal: AbortSignal): Promise<{ yielded: ReadonlySet<Followed>; asked: ReadonlySet<Followed> }> {
    const { client, target } = this.#options;
    const asked = new Set<Followed>();
    // Later writes of this manager must not count as found at its start.
    this.#found ??= { own: this.#followed.find(({ type }) => type === MUTATING)?.informer.list()[0] };
    const { own } = this.#found;
    const elsewhere = new Map<string, Followed[]>();
    for (const followed of this.#followed) {
      const { kind, name, informer } = followed;
      if (kind === undefined || !informer.synced) continue;
      const [crd] = informer.list();
      const at = convertsAt(crd, target);
      const claimed = this.#claimed.get(name) ?? (bundlesIn(own).length > 0 && !leadsTo(crd, own));
      this.#claimed.set(name, claimed || at === "here");
      if (at !== "elsewhere" || !claimed) continue;
      asked.add(followed);
      const place = placeOfConversion(crd);
      elsewhere.set(place, [...(elsewhere.get(place) ?? []), followed]);
    }
    const yielded = new Set<Followed>();
    for (const [place, there] of elsewhere) {
      const kinds = there.flatMap(({ kind }) => kind ?? []);
      // If no kind here can be tested, the last result for this address counts.
      const answers = there.some(({ isCalled }) => isCalled)
        ? await conversionAnswers(client, kinds, signal)
        : !this.#silent.has(place);
      if (answers) this.#silent.delete(place);
      else this.#silent.add(place);
      if (answers) for (const one of there) yielded.add(one);
    }
    return { yielded, asked };
  }

  #isTakenOver({ kind, name, informer }: Followed): boolean {
    if (kind === undefined || this.#claimed.get(name) !== true) return false;
    return convertsAt(informer.list()[0], this.#options.target) === "elsewhere";
  }

  /** Certificates of the live bundles that stay for now: another release may want them. */
  #kept(
    live: KubeObject | undefined,
    wanted: string,
    now: number,
    overlapMs: number,
  ): { pems: string[]; recheckMs: number | undefined } {
    const pems: string[] = [];
    let recheckMs: number | undefined;
    for (const pem of bundlesIn(live)) {
      if (holdsAll(wanted, pem)) {
        this.#unwanted.delete(pem);
        continue;
      }
      const since = this.#unwanted.get(pem) ?? now;
      this.#unwanted.set(pem, since);
      const left = since + overlapMs - now;
      if (left <= 0) continue;
      pems.push(pem);
      recheckMs = Math.min(recheckMs ?? Number.POSITIVE_INFINITY, left);
    }
    return { pems, recheckMs };
  }

  #reportPublished(bundle: string | undefined): void {
    if (bundle === undefined) return;
    this.#published = bundle;
    this.#options.published(bundle);
    this.#waiting = this.#waiting.filter((waiting) => {
      if (!holdsAll(bundle, waiting.bundle)) return true;
      waiting.done();
      return false;
    });
  }
}

/**
 * Returns whether the conversion webhook in the CRDs of these kinds answers, by reading an object in a version that is
 * not stored. True also when this shows nothing: no other version, no object, another failure of the hub.
 */
async function conversionAnswers(
  client: Client,
  kinds: readonly KindDefinition[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const kind of kinds) {
    const [, ...others] = kind.versions;
    for (const { name } of others) {
      try {
        await client.list(typeOf(kind, name), { limit: 1, metadataOnly: true, signal });
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (error.apiMessage.includes("conversion webhook")) return false;
      }
    }
  }
  return true;
}
