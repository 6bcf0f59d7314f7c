import PQueue from "p-queue";
import { type ObjectRef, shortMessage } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import type { Clock } from "../runtime/index.ts";
import { Backoffs } from "./backoff.ts";
import { decide } from "./decide.ts";
import type { Failure, MemberObject, MemberObjects } from "./memberObjects.ts";
import { type Emptiness, inspectNamespace, isNamespace, type MemberNamespaces } from "./namespaces.ts";
import type { ObservedObject } from "./observed.ts";
import { classify } from "./outcome.ts";
import type { MemberSession } from "./types.ts";

export interface NamespaceCleanerOptions {
  session: MemberSession;
  objects: MemberObjects;
  clock: Clock;
  random: () => number;
  logger: Logger;
  namespaces: MemberNamespaces;
  /** All namespaces of ours on the member are known, and the cache does not hold deletions. */
  mayRemove: (ref: ObjectRef) => boolean;
}

/** To inspect a namespace takes a request for each kind: so many namespaces are inspected at a time. */
const AT_A_TIME = 4;

/**
 * Carries out Delete rows for namespaces, during one session: inspects the namespace and deletes it when nothing is inside. A
 * namespace that holds anything, or that cannot be inspected completely, stays and is inspected again, slowly, for as long
 * as the row stands.
 */
export class NamespaceCleaner {
  readonly #options: NamespaceCleanerOptions;
  readonly #queue = new PQueue({ concurrency: AT_A_TIME });
  readonly #backoffs: Backoffs;
  /** Keys of namespaces that are being inspected, or are about to be. */
  readonly #busy = new Set<string>();
  /** Keys of those that changed while they were being inspected. */
  readonly #again = new Set<string>();

  constructor(options: NamespaceCleanerOptions) {
    this.#options = options;
    this.#backoffs = new Backoffs(options.clock, options.random);
    options.session.signal.addEventListener(
      "abort",
      () => {
        this.#queue.clear();
        this.#backoffs.clear();
      },
      { once: true },
    );
  }

  /** Considers a namespace that has changed, or that something has left. */
  enqueue(object: MemberObject): void {
    if (!isNamespace(object.ref)) return;
    const { key } = object;
    if (this.#busy.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#removable(object) === undefined) {
      this.#backoffs.forget(key);
      return;
    }
    this.#busy.add(key);
    void this.#queue.add(() => this.#clean(key));
  }

  enqueueAll(): void {
    for (const object of this.#options.objects.all()) this.enqueue(object);
  }

  #enqueueKey(key: string): void {
    const object = this.#options.objects.get(key);
    if (object !== undefined) this.enqueue(object);
  }

  /** The observed namespace, when a row asks for the deletion of that life, and nothing of ours is or should be inside. */
  #removable(object: MemberObject): ObservedObject | undefined {
    const { session, objects, mayRemove } = this.#options;
    if (session.signal.aborted) return undefined;
    const action = decide(object, mayRemove(object.ref));
    return action.kind === "Delete" && !objects.isUsed(object.ref.name) ? action.observed : undefined;
  }

  async #clean(key: string): Promise<void> {
    const tryAgain = await this.#inspectAndDelete(key);
    this.#busy.delete(key);
    const hasChanged = this.#again.delete(key);
    if (this.#options.session.signal.aborted) return;
    if (tryAgain) this.#backoffs.schedule(key, undefined, "slowly", () => this.#enqueueKey(key));
    else if (hasChanged) this.#enqueueKey(key);
  }

  /** True when the namespace should be inspected again: what occupies it may yet go. */
  async #inspectAndDelete(key: string): Promise<boolean> {
    const { session, objects, namespaces } = this.#options;
    const { client, discovery, signal } = session;
    let object = objects.get(key);
    if (object === undefined || this.#removable(object) === undefined) return false;
    const { name } = object.ref;
    try {
      const emptiness = await inspectNamespace(client, discovery, name, signal);
      // The inspection took a while: the row may have been withdrawn, and something may have been placed there meanwhile.
      object = objects.get(key);
      const observed = object && this.#removable(object);
      if (object === undefined || observed === undefined) return false;
      if (emptiness.kind !== "Empty") {
        objects.fail(object, failureOf(emptiness));
        return true;
      }
      const { uid, resourceVersion } = observed;
      objects.beginWrite(object);
      const isRemoved = await namespaces.remove({ name, uid, resourceVersion }, signal);
      if (isRemoved) objects.fail(object, undefined);
      return !isRemoved;
    } catch (error) {
      if (!signal.aborted && object !== undefined) this.#failed(object, error);
      return true;
    } finally {
      if (object?.writing === true) objects.endWrite(object);
    }
  }

  #failed(object: MemberObject, error: unknown): void {
    const { session, objects, logger } = this.#options;
    const outcome = classify(error);
    // The Lease may yet be renewed in time; and a server that is asked too much has not refused anything.
    if (outcome?.kind === "NotLeader" || outcome?.kind === "Throttled") return;
    const { reason, message } =
      outcome === undefined || outcome.kind === "NamespaceMissing"
        ? { reason: "InternalError", message: "internal error; see the manager's log" }
        : outcome;
    const isNews = object.failure?.reason !== reason || object.failure.message !== message;
    objects.fail(object, { reason, message, final: false });
    if (!isNews) return;
    logger.warn(
      {
        cluster: session.cluster,
        err: error,
        namespace: object.ref.name,
        outcome: outcome?.kind,
        event_reason: reason,
      },
      "a namespace could not be removed",
    );
  }
}

function failureOf(emptiness: Exclude<Emptiness, { kind: "Empty" }>): Failure {
  switch (emptiness.kind) {
    case "Occupied":
      return { reason: "NamespaceOccupied", message: shortMessage(`${emptiness.by} is in it`), final: false };
    case "Unknown":
      return { reason: "NamespaceKept", message: shortMessage(emptiness.message), final: false };
  }
}
