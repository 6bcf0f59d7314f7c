import { fullMessage, POD_SECURITY_ANNOTATION, shortMessage } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock, NAMESPACES } from "../../runtime/index.ts";
import { Backoffs } from "../pacing/index.ts";
import {
  carriedLabels,
  isNamespace,
  type Labels,
  type MemberObject,
  type MemberObjects,
  type NamespaceLabels,
  textOf,
} from "../model/index.ts";
import { changeMetadata, classify } from "../write/index.ts";
import type { MemberSession } from "../types.ts";

export interface NamespaceLabellerOptions {
  session: MemberSession;
  objects: MemberObjects;
  labels: NamespaceLabels;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

/** Copies the Pod Security labels of the hub's namespaces to those that Meridian created on one member. */
export class NamespaceLabeller {
  readonly #options: NamespaceLabellerOptions;
  readonly #backoffs: Backoffs;
  readonly #busy = new Set<string>();

  constructor(options: NamespaceLabellerOptions) {
    this.#options = options;
    this.#backoffs = new Backoffs(options.clock, options.random);
    options.session.signal.addEventListener("abort", () => this.#backoffs.clear(), { once: true });
  }

  /** Considers a namespace that has changed or got new labels. */
  enqueue(object: MemberObject): void {
    const { key } = object;
    if (this.#options.session.signal.aborted || this.#busy.has(key) || !isNamespace(object.ref)) return;
    const wanted = this.#isDue(object);
    if (wanted === undefined) {
      this.#backoffs.forget(key);
      return;
    }
    if (this.#backoffs.retryOf(key)?.attempt === textOf(wanted)) return;
    this.#busy.add(key);
    void this.#label(object.ref.name, key, wanted);
  }

  enqueueAll(): void {
    for (const object of this.#options.objects.all()) this.enqueue(object);
  }

  /** Undefined when there is nothing to write. */
  #isDue({ ref, observed, row }: MemberObject): Labels | undefined {
    const wanted = this.#options.labels.of(ref.name);
    if (wanted === undefined || observed === undefined || !observed.isOurs || observed.deleting) return undefined;
    // The namespace is on its way out.
    if (row !== undefined) return undefined;
    return textOf(wanted) === (observed.podSecurity ?? textOf({})) ? undefined : wanted;
  }

  async #label(name: string, key: string, wanted: Labels): Promise<void> {
    const { session, objects, logger } = this.#options;
    try {
      await changeMetadata(session.client, NAMESPACES, { name }, session.signal, ({ metadata }) => {
        const before = carriedLabels(metadata.annotations?.[POD_SECURITY_ANNOTATION]);
        const gone = Object.keys(before).filter((label) => !Object.hasOwn(wanted, label));
        const labels = { ...Object.fromEntries(gone.map((label) => [label, null])), ...wanted };
        const { uid, resourceVersion } = metadata;
        return {
          metadata: { uid, resourceVersion, labels, annotations: { [POD_SECURITY_ANNOTATION]: textOf(wanted) } },
        };
      });
    } catch (err) {
      if (session.signal.aborted) return;
      const outcome = classify(err);
      const message =
        outcome !== undefined && "message" in outcome ? fullMessage(outcome.message) : shortMessage(String(err));
      logger.warn(
        { cluster: session.cluster, namespace: name, err, event_reason: "NamespaceNotLabelled" },
        `the namespace did not get its Pod Security labels: ${message}`,
      );
    } finally {
      this.#busy.delete(key);
    }
    // Until the watch brings the result, and after a refusal, the write is not repeated at once.
    this.#backoffs.schedule(key, textOf(wanted), "slowly", () => {
      const object = objects.get(key);
      if (object !== undefined) this.enqueue(object);
    });
  }
}
