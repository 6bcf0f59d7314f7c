import { crdNameOf, defined, type KindDefinition, type KubeObject, servingPatch } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import { apiVersionOf, type Client, type Clock, CRDS, Informer, type ResourceType } from "../runtime/index.ts";
import { holdsAll } from "./certificates/index.ts";
import type { WebhookTarget } from "./configurations.ts";
import { conversionAnswers } from "./conversionAnswers.ts";
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
  /** Name of both webhook configurations. */
  configurationName: string;
  /** Whose CRDs lead to the target. */
  kinds: readonly KindDefinition[];
  /** How long a certificate that nobody of us wants any more is left in a bundle: another replica may know of it first. */
  overlapMs: number;
  clock: Clock;
  logger: Logger;
  /** Every configuration by which the server calls holds this bundle. */
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
/** Of what admits requests. */
export const ADMISSION_TYPES: readonly ResourceType[] = [MUTATING, VALIDATING];
const RETRY_MS = 2_000;
/** How often to check whether another release that converts still does. */
const PROBE_MS = 5_000;

/** A CRD, or one of the webhook configurations, and what the hub holds of it. */
interface Followed {
  type: ResourceType;
  name: string;
  /** Whose CRD it is. */
  kind?: KindDefinition;
  /** Whether the server ever calls: about a kind of a single version it has nothing to ask. */
  isCalled: boolean;
  informer: Informer<KubeObject>;
}

/**
 * Keeps the addresses and the CA bundles in the CRDs and the webhook configurations right. Fields that a chart wrote stay the chart's; a
 * configuration that is missing altogether is created. Replicas agree without a leader: each adds its certificate and
 * removes none before the certificate has been unwanted for long. Of two releases on one hub, the one that was installed last
 * converts; the other steps in when nobody does any more, or whoever is named there does not answer.
 */
export class ConfigurationPublisher {
  readonly #options: PublisherOptions;
  readonly #followed: readonly Followed[];
  /** Certificates in a bundle that this replica does not want, and since when, by its monotonic clock. */
  readonly #unwanted = new Map<string, number>();
  #bundle: { pem: string | undefined } | undefined;
  #wake = Promise.withResolvers<void>();
  #published = "";
  /** The CRDs whose conversion has been ours: what leads elsewhere by now was taken over by another release. Without those never checked. */
  readonly #claimed = new Map<string, boolean>();
  /** Places of conversion that did not answer when they were asked last. */
  readonly #silent = new Set<string>();
  /** The own configuration as it was when this manager began, before it wrote any. */
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

  /** Of the validating configuration: what the server asks about. */
  get validating(): Informer<KubeObject> {
    const followed = this.#followed.find(({ type }) => type === VALIDATING);
    if (followed === undefined) throw new Error("the validating configuration is not followed");
    return followed.informer;
  }

  /**
   * Wants this bundle from now on; undefined leaves trust to whoever brings certificates. Resolves when every
   * configuration by which the server calls holds it, or at the signal: true when they do.
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
      // A CRD that cannot be read, for want of a right, keeps nothing else from being right.
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
        await this.#rest(again, clock, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    }
    await Promise.allSettled(synced);
    await watching;
  }

  /** Brings everything up to date. Returns in how many milliseconds to check again; undefined when only a change calls for that. */
  async #reconcile(signal: AbortSignal): Promise<number | undefined> {
    if (this.#bundle === undefined) return undefined;
    const { pem: wanted } = this.#bundle;
    const { yielded, asked } = await this.#yielded(signal);
    const failures: unknown[] = [];
    const rechecks = yielded.size === 0 ? [] : [PROBE_MS];
    // New certificates wait for what the server calls, and for nothing else: CRDs take long to write.
    for (const isCalled of [true, false]) {
      for (const followed of this.#followed) {
        if (followed.isCalled !== isCalled || yielded.has(followed) || !followed.informer.synced) continue;
        // Taken over since: its event has woken the next pass, which asks whether the other release answers.
        if (!asked.has(followed) && this.#isTakenOver(followed)) continue;
        // Others are wanted meanwhile, which go before what is not called.
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

  /** Brings one configuration up to date. Returns in how many milliseconds to check it again, if that is known. */
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

  /** The versions that are not stored can be read from when they are converted on. */
  async #serveVersions({ name, informer }: Followed, crd: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, target, logger } = this.#options;
    const patch = convertsAt(crd, target) === "here" ? servingPatch(crd) : undefined;
    if (patch === undefined) return;
    const written = await client.patch(CRDS, undefined, name, "application/json-patch+json", patch, { signal });
    informer.observe(written);
    logger.info({ name }, "every version is served, since it is converted here");
  }

  /**
   * The CRDs whose conversion another release has taken over since it was ours, and answers: to take conversion back would never end. A
   * manager that is started again knows by its own webhook configuration that it is not new. Who answers for one kind answers for all
   * that lead there: of a kind with a single version nobody can ask.
   */
  async #yielded(signal: AbortSignal): Promise<{ yielded: ReadonlySet<Followed>; asked: ReadonlySet<Followed> }> {
    const { client, target } = this.#options;
    const asked = new Set<Followed>();
    // What it writes there from now on does not make it older.
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
      // Once the kinds that can be asked about are ours again, what was found there before holds for the others.
      const answers = there.some(({ isCalled }) => isCalled)
        ? await conversionAnswers(client, kinds, signal)
        : !this.#silent.has(place);
      if (answers) this.#silent.delete(place);
      else this.#silent.add(place);
      if (answers) for (const one of there) yielded.add(one);
    }
    return { yielded, asked };
  }

  /** The conversion of the CRD was ours, and leads elsewhere now. */
  #isTakenOver({ kind, name, informer }: Followed): boolean {
    if (kind === undefined || this.#claimed.get(name) !== true) return false;
    return convertsAt(informer.list()[0], this.#options.target) === "elsewhere";
  }

  /** Certificates of the live bundles that stay: another release may want them. */
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

  async #rest(ms: number | undefined, clock: Clock, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const both = AbortSignal.any([signal, end.signal]);
    const slept = clock.sleep(ms ?? 2 ** 31 - 1, both).catch((error: unknown) => {
      if (!both.aborted) throw error;
    });
    await Promise.race([slept, this.#wake.promise]);
    end.abort();
    await slept;
  }
}
