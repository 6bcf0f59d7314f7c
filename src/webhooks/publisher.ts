import { type KubeObject, PAAS_GROUP, servingPatch } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import { apiVersionOf, type Client, type Clock, CRDS, Informer, type ResourceType } from "../runtime/index.ts";
import { holdsAll } from "./certificates/index.ts";
import type { WebhookTarget } from "./configurations.ts";
import { conversionAnswers } from "./conversionAnswers.ts";
import {
  bundlesIn,
  type ConfigurationKind,
  configurationPart,
  convertsAt,
  leadsTo,
  turnedConversion,
  wantedObject,
} from "./wanted.ts";
import { WEBHOOK_FIELD_MANAGER } from "./wellknown.ts";

export interface PublisherOptions {
  client: Client;
  target: WebhookTarget;
  /** Name of both webhook configurations. */
  configurationName: string;
  /** How long a certificate that nobody of us wants any more is left in a bundle: another replica may know of it first. */
  overlapMs: number;
  clock: Clock;
  logger: Logger;
  /** Every configuration holds this bundle. */
  published: (bundle: string) => void;
}

const ADMISSION = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };
const TYPES: Readonly<Record<ConfigurationKind, ResourceType>> = {
  CustomResourceDefinition: CRDS,
  MutatingWebhookConfiguration: {
    ...ADMISSION,
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
  },
  ValidatingWebhookConfiguration: {
    ...ADMISSION,
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
  },
};
/** Of what admits requests. */
export const ADMISSION_TYPES: readonly ResourceType[] = [
  TYPES.MutatingWebhookConfiguration,
  TYPES.ValidatingWebhookConfiguration,
];
const KINDS = Object.keys(TYPES) as ConfigurationKind[];
const CRD_NAME = `demoapplications.${PAAS_GROUP}`;
const RETRY_MS = 2_000;
/** How often to check whether another release that converts still does. */
const PROBE_MS = 5_000;

/**
 * Keeps the addresses and the CA bundles in the CRD and the webhook configurations right. Fields that a chart wrote stay the chart's; a
 * configuration that is missing altogether is created. Replicas agree without a leader: each adds its certificate and
 * removes none before the certificate has been unwanted for long. Of two releases on one hub, the one that was installed last
 * converts; the other steps in when nobody does any more, or whoever is named there does not answer.
 */
export class ConfigurationPublisher {
  readonly #options: PublisherOptions;
  readonly #informers: ReadonlyMap<ConfigurationKind, Informer<KubeObject>>;
  /** Certificates in a bundle that this replica does not want, and since when, by its monotonic clock. */
  readonly #unwanted = new Map<string, number>();
  #bundle: { pem: string | undefined } | undefined;
  #wake = Promise.withResolvers<void>();
  #published = "";
  /** Conversion has been ours: what leads elsewhere by now was taken over by another release. Undefined before the first check. */
  #claimed: boolean | undefined;
  #waiting: { bundle: string; done: () => void }[] = [];

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { client, clock, logger, configurationName } = options;
    this.#informers = new Map(
      KINDS.map((kind) => [
        kind,
        new Informer<KubeObject>({
          client,
          type: TYPES[kind],
          fieldSelector: `metadata.name=${kind === "CustomResourceDefinition" ? CRD_NAME : configurationName}`,
          name: `webhooks/${TYPES[kind].plural}`,
          transform: configurationPart,
          clock,
          logger,
        }),
      ]),
    );
  }

  /**
   * Wants this bundle from now on; undefined leaves trust to whoever brings certificates. Resolves when every configuration holds it, or at
   * the signal: true when they do.
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
    const informers = [...this.#informers.values()];
    const subscriptions = informers.map((informer) => informer.onEvent(() => this.#wake.resolve()));
    const watching = Promise.all(informers.map((informer) => informer.run(signal)));
    try {
      await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
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
    await watching;
  }

  /** Brings everything up to date. Returns in how many milliseconds to check again; undefined when only a change calls for that. */
  async #reconcile(signal: AbortSignal): Promise<number | undefined> {
    if (this.#bundle === undefined) return undefined;
    const { client, target, configurationName, overlapMs, clock, logger } = this.#options;
    const wanted = this.#bundle.pem;
    let next: number | undefined;
    for (const kind of KINDS) {
      const informer = this.#informers.get(kind);
      const live = informer?.list()[0];
      if (kind === "CustomResourceDefinition" && (await this.#yields(live, signal))) {
        next = Math.min(next ?? Number.POSITIVE_INFINITY, PROBE_MS);
        continue;
      }
      const kept = this.#kept(live, wanted ?? "", clock.monotonic(), overlapMs);
      if (kept.recheckMs !== undefined) next = Math.min(next ?? Number.POSITIVE_INFINITY, kept.recheckMs);
      const object = wantedObject({ kind, live, target, name: configurationName, bundle: wanted, kept: kept.pems });
      const type = TYPES[kind];
      if (object === undefined) {
        if (kind === "CustomResourceDefinition" && live !== undefined) await this.#serveVersions(live, signal);
        continue;
      }
      const turned = kind === "CustomResourceDefinition" ? turnedConversion(live, target, object) : undefined;
      const written =
        turned === undefined
          ? await client.apply(
              type,
              { ...object, apiVersion: apiVersionOf(type), kind },
              { force: true, fieldManager: WEBHOOK_FIELD_MANAGER, signal },
            )
          : await client.patch(type, undefined, CRD_NAME, "application/merge-patch+json", turned, { signal });
      informer?.observe(written);
      if (kind === "CustomResourceDefinition") this.#claimed = true;
      logger.info({ kind, name: written.metadata.name }, "webhook configuration written");
    }
    this.#reportPublished();
    return next;
  }

  /** The versions that are not stored can be read from when they are converted on. */
  async #serveVersions(crd: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, target, logger } = this.#options;
    const patch = convertsAt(crd, target) === "here" ? servingPatch(crd) : undefined;
    if (patch === undefined) return;
    const written = await client.patch(CRDS, undefined, CRD_NAME, "application/json-patch+json", patch, { signal });
    this.#informers.get("CustomResourceDefinition")?.observe(written);
    logger.info({ name: CRD_NAME }, "every version is served, since it is converted here");
  }

  /**
   * Whether another release has taken over conversion since it was ours, and answers: to take conversion back would never end. A manager
   * that is started again knows by its own webhook configuration that it is not new.
   */
  async #yields(crd: KubeObject | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, target } = this.#options;
    const own = this.#informers.get("MutatingWebhookConfiguration")?.list()[0];
    const at = convertsAt(crd, target);
    this.#claimed ??= bundlesIn(own).length > 0 && !leadsTo(crd, own);
    if (at === "here") this.#claimed = true;
    return at === "elsewhere" && this.#claimed && (await conversionAnswers(client, signal));
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

  #reportPublished(): void {
    const bundle = this.#bundle?.pem;
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
