import PQueue from "p-queue";
import { isSameMessage, type ObjectRef, shortMessage } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import { type Clock, NAMESPACES } from "../../runtime/index.ts";
import { Backoffs } from "../pacing/index.ts";
import {
  decide,
  type Emptiness,
  inspectNamespace,
  isNamespace,
  type MemberNamespaces,
  type MemberObject,
  type MemberObjects,
  type ObservedObject,
} from "../model/index.ts";
import { classify, CONTROLLER, stripMarks } from "../write/index.ts";
import type { MemberSession } from "../types.ts";

export interface NamespaceCleanerOptions {
  session: MemberSession;
  objects: MemberObjects;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Pick<Metrics, "failed">;
  namespaces: MemberNamespaces;
  mayRemove: (ref: ObjectRef) => boolean;
}

/** One inspection takes a request for each kind. */
const AT_A_TIME = 4;
/** So long may a user who prepared the namespace take to put objects into it. */
const EMPTY_FOR_MS = 30_000;

interface SeenEmpty {
  uid: string;
  /** Monotonic milliseconds. */
  since: number;
  /** Until the next inspection. */
  wait: Disposable | undefined;
}

/**
 * Carries out Delete and Release rows for namespaces, during one session. A namespace is deleted when two inspections
 * some time apart found it empty. Until then it is inspected again with backoff.
 */
export class NamespaceCleaner {
  readonly #options: NamespaceCleanerOptions;
  readonly #queue = new PQueue({ concurrency: AT_A_TIME });
  readonly #backoffs: Backoffs;
  /** Keys of those in the queue or under inspection. */
  readonly #busy = new Set<string>();
  /** Keys of those that changed during their inspection. */
  readonly #again = new Set<string>();
  /** By key. */
  readonly #seenEmpty = new Map<string, SeenEmpty>();

  constructor(options: NamespaceCleanerOptions) {
    this.#options = options;
    this.#backoffs = new Backoffs(options.clock, options.random);
    options.session.signal.addEventListener(
      "abort",
      () => {
        this.#queue.clear();
        this.#backoffs.clear();
        for (const key of [...this.#seenEmpty.keys()]) this.#forgetEmpty(key);
      },
      { once: true },
    );
  }

  /** Considers a namespace that has changed or become empty. */
  enqueue(object: MemberObject): void {
    if (!isNamespace(object.ref)) return;
    const { key } = object;
    if (this.#busy.has(key)) {
      this.#again.add(key);
      return;
    }
    const due = this.#due(object);
    if (due === undefined) {
      this.#backoffs.forget(key);
      this.#forgetEmpty(key);
      return;
    }
    const seen = this.#seenEmpty.get(key);
    if (due.kind === "Delete" && seen?.wait !== undefined && seen.uid === due.observed.uid) return;
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

  /** A deletion is due only while no object of ours is, or should be, in the namespace. */
  #due(object: MemberObject): { kind: "Delete" | "Release"; observed: ObservedObject } | undefined {
    const { session, objects, mayRemove } = this.#options;
    if (session.signal.aborted) return undefined;
    const action = decide(object, mayRemove(object.ref));
    if (action.kind === "Release") return action;
    return action.kind === "Delete" && !objects.isUsed(object.ref.name) ? action : undefined;
  }

  async #clean(key: string): Promise<void> {
    const tryAgain = await this.#carryOut(key);
    this.#busy.delete(key);
    const hasChanged = this.#again.delete(key);
    if (this.#options.session.signal.aborted) return;
    if (tryAgain) this.#backoffs.schedule(key, undefined, "slowly", () => this.#enqueueKey(key));
    else if (hasChanged) this.#enqueueKey(key);
  }

  /** True when it should be tried again, since the objects in the namespace may still go. */
  async #carryOut(key: string): Promise<boolean> {
    const { session, objects } = this.#options;
    const object = objects.get(key);
    const due = object && this.#due(object);
    if (object === undefined || due === undefined) return false;
    try {
      if (due.kind === "Delete") return await this.#inspectAndDelete(key, object.ref.name);
      const life = { name: object.ref.name, uid: due.observed.uid };
      await this.#writing(object, () => stripMarks(session.client, NAMESPACES, life, session.signal));
      objects.fail(object, undefined);
      return false;
    } catch (error) {
      if (!session.signal.aborted) this.#failed(object, error);
      return true;
    }
  }

  async #writing<T>(object: MemberObject, write: () => Promise<T>): Promise<T> {
    const { objects } = this.#options;
    objects.beginWrite(object);
    try {
      return await write();
    } finally {
      objects.endWrite(object);
    }
  }

  async #inspectAndDelete(key: string, name: string): Promise<boolean> {
    const { session, objects, namespaces } = this.#options;
    const { client, discovery, signal } = session;
    const emptiness = await inspectNamespace(client, discovery, name, signal);
    // Meanwhile the row may have been withdrawn, or an object placed in the namespace.
    const object = objects.get(key);
    const due = object && this.#due(object);
    if (object === undefined || due?.kind !== "Delete") return false;
    if (emptiness.kind !== "Empty") {
      this.#forgetEmpty(key);
      objects.fail(object, failureOf(emptiness));
      return true;
    }
    if (!this.#hasBeenEmpty(key, due.observed)) {
      objects.fail(object, undefined);
      return false;
    }
    const { uid, resourceVersion } = due.observed;
    const isRemoved = await this.#writing(object, () => namespaces.remove({ name, uid, resourceVersion }, signal));
    // Removed, or changed by another writer: the earlier inspection no longer counts.
    this.#forgetEmpty(key);
    if (isRemoved) objects.fail(object, undefined);
    return !isRemoved;
  }

  /** True when this UID was first seen empty long enough ago. Otherwise schedules the second inspection. */
  #hasBeenEmpty(key: string, { uid }: ObservedObject): boolean {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const seen = this.#seenEmpty.get(key);
    if (seen?.uid === uid && now - seen.since >= EMPTY_FOR_MS) return true;
    this.#forgetEmpty(key);
    const fresh: SeenEmpty = { uid, since: now, wait: undefined };
    fresh.wait = clock.after(EMPTY_FOR_MS, () => {
      fresh.wait = undefined;
      this.#enqueueKey(key);
    });
    this.#seenEmpty.set(key, fresh);
    return false;
  }

  #forgetEmpty(key: string): void {
    this.#seenEmpty.get(key)?.wait?.[Symbol.dispose]();
    this.#seenEmpty.delete(key);
  }

  #failed(object: MemberObject, error: unknown): void {
    const { session, objects, logger, metrics } = this.#options;
    const outcome = classify(error);
    // The Lease may still be renewed, and a throttled request was not refused.
    if (outcome?.kind === "NotLeader" || outcome?.kind === "Throttled") return;
    if (outcome === undefined || outcome.kind === "Refused") metrics.failed(CONTROLLER);
    const { reason, message } =
      outcome === undefined || outcome.kind === "NamespaceMissing"
        ? { reason: "InternalError", message: "internal error; see the manager's log" }
        : outcome;
    const isNews = object.failure?.reason !== reason || !isSameMessage(object.failure.message, message);
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
