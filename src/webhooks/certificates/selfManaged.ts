import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  Informer,
  isAlreadyExists,
  isConflict,
  isNotFound,
  SECRETS,
} from "../../runtime/index.ts";
import { rest } from "../rest.ts";
import { holdsAll, identify } from "./bundle.ts";
import { type CertificateState, nextStep, type RotationFacts, type RotationSettings, trustBundle } from "./rotation.ts";
import { readSecret, type StoredCertificates, writeSecretData } from "./secret.ts";
import { takeStep } from "./steps.ts";
import type { Certificates, CertificateSource } from "./types.ts";

export interface SelfManagedOptions {
  client: Client;
  namespace: string;
  /** Name of the Secret. */
  name: string;
  hosts: readonly string[];
  settings: RotationSettings;
  clock: Clock;
  logger: Logger;
}

const RETRY_MS = 2_000;
/** A change of the wall clock is noticed after this time. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Certificates of our own authority, in a Secret that all replicas share. Its resourceVersion makes sure that only one
 * replica takes a step. A deleted Secret is written again as it was, since a new authority would not be trusted yet.
 */
export class SelfManagedCertificates implements CertificateSource {
  readonly #options: SelfManagedOptions;
  readonly #secrets: Informer<StoredCertificates>;
  #published = "";
  #known: CertificateState | undefined;
  #wake = Promise.withResolvers<void>();

  constructor(options: SelfManagedOptions) {
    this.#options = options;
    const { client, namespace, name, clock, logger } = options;
    this.#secrets = new Informer<StoredCertificates>({
      client,
      type: SECRETS,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      name: "hub/webhook-certificates",
      transform: readSecret,
      clock,
      logger,
    });
  }

  published(bundle: string): void {
    this.#published = bundle;
    this.#wake.resolve();
  }

  async run(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    using _watch = this.#secrets.onEvent(() => this.#wake.resolve());
    const watching = this.#secrets.run(signal);
    try {
      await this.#secrets.waitForSync(signal);
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers<void>();
        const until = await this.#advance(use, signal);
        const ms = Math.min(Math.max(until - clock.now(), 0), LONGEST_WAIT_MS);
        await rest(clock, ms, this.#wake.promise, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await watching;
  }

  /** Takes at most one step. Returns when to read the state again, epoch milliseconds. */
  async #advance(use: (certificates: Certificates) => Promise<void>, signal: AbortSignal): Promise<number> {
    const { clock, logger, settings, hosts, namespace, name } = this.#options;
    const stored = this.#secrets.get(`${namespace}/${name}`);
    const state = stored?.state ?? this.#known;
    const facts: RotationFacts = {
      now: clock.now(),
      hosts,
      rotation: stored?.rotation ?? state?.rotation,
      published: state !== undefined && holdsAll(this.#published, trustBundle(state)),
    };
    try {
      const step = nextStep(state, facts, settings);
      if (state !== undefined && step.do !== "Begin" && state !== this.#known) {
        await use({ serving: state.serving, bundle: trustBundle(state) });
        this.#known = state;
      }
      // A Secret that was deleted or is unreadable is restored from the state that this replica remembers.
      const restore = stored?.state === undefined && state !== undefined && step.do === "Wait";
      if (step.do === "Wait" && !restore) return step.until;
      const next = step.do === "Wait" ? state : await takeStep(state, step, facts, settings);
      if (next === undefined) return clock.now() + RETRY_MS;
      if (!(await this.#write(next, stored, signal))) return clock.now() + RETRY_MS;
      logger.info(
        { step: restore ? "Restore" : step.do, authority: identify(next.current.certPem).slice(0, 16) },
        "webhook certificates changed",
      );
      return clock.now();
    } catch (error) {
      if (signal.aborted) throw error;
      logger.error({ err: error, retry_after_ms: RETRY_MS }, "webhook certificates could not be kept");
      return clock.now() + RETRY_MS;
    }
  }

  /** Returns false when another replica was first. Its state then comes by watch. */
  async #write(state: CertificateState, stored: StoredCertificates | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name } = this.#options;
    const data = writeSecretData(state);
    try {
      const labels = { "app.kubernetes.io/part-of": "meridian" };
      const secret =
        stored?.resourceVersion === undefined
          ? await client.create(
              SECRETS,
              { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels }, type: "Opaque", data },
              { signal },
            )
          : await client.patch(
              SECRETS,
              namespace,
              name,
              "application/merge-patch+json",
              { metadata: { resourceVersion: stored.resourceVersion }, data },
              { signal },
            );
      this.#secrets.observe(secret);
      return true;
    } catch (error) {
      if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error)) throw error;
      return false;
    }
  }
}
