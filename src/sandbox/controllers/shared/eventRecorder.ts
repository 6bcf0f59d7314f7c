import { defined, type KubeObject } from "../../../apis/index.ts";
import { StatusError } from "../../statusError.ts";
import type { Json, LocalClient, SandboxClock } from "../../types.ts";
import { type Correlated, EventCorrelator, type Sighting } from "./eventCorrelator.ts";
import { EVENTS } from "./objects.ts";
import { timestamp } from "../../timestamp.ts";

export interface EventRecorderOptions {
  client: LocalClient;
  clock: SandboxClock;
  /** Number of Events to keep; the oldest are deleted first. 0 records none. */
  limit: number;
  onError: (error: unknown, what: string) => void;
}

interface Kept {
  namespace: string;
  name: string;
  count: number;
}

/** More Events waiting than this are dropped; the recorder of Kubernetes drops them too. */
const BACKLOG = 1000;

/** With this many Events waiting, Normal Events are dropped. */
const CROWDED = 100;

/**
 * Records Events as client-go does. Writes them one after the other in the background, and deletes the oldest beyond
 * the limit.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #kept = new Map<string, Kept>();
  readonly #backlog: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #lastName = 0;
  #stopped = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.limit);
  }

  /** `component`: the recording controller, such as `deployment-controller`. */
  record(component: string, about: KubeObject, type: "Normal" | "Warning", reason: string, message: string): void {
    const { limit, clock } = this.#options;
    const most = type === "Normal" ? CROWDED : BACKLOG;
    if (limit === 0 || this.#stopped || this.#backlog.length >= most) return;
    const sighting: Sighting = { component, uid: about.metadata.uid ?? "", type, reason, message };
    const event = this.#correlator.correlate(sighting, clock.now());
    if (event === undefined) return;
    this.#backlog.push(() => this.#write(sighting, event, about));
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything recorded so far is written. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.idle();
  }

  stop(): void {
    this.#stopped = true;
    this.#backlog.length = 0;
  }

  async #drain(): Promise<void> {
    // Starts after the caller's work, and lets sockets run between two Events.
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#backlog.shift();
      if (next === undefined) break;
      try {
        await next();
      } catch (error) {
        // The namespace is being deleted, so nobody will read the Event.
        if (!(error instanceof StatusError && (error.code === 403 || error.code === 404))) {
          this.#options.onError(error, "event");
        }
      }
    }
    this.#writing = undefined;
  }

  async #write({ component, type, reason }: Sighting, event: Correlated, about: KubeObject): Promise<void> {
    const { client, clock, limit } = this.#options;
    const { key, message, isCombined } = event;
    const now = clock.now();
    const known = this.#kept.get(key);
    const count = (known?.count ?? 0) + 1;
    if (known !== undefined && client.get(EVENTS, known.namespace, known.name) !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, { ...known, count });
      const patch: Json = { count, lastTimestamp: timestamp(now), message };
      await client.patch(EVENTS, known.namespace, known.name, patch);
      return;
    }
    const namespace = about.metadata.namespace ?? "default";
    const name = `${about.metadata.name}.${this.#suffix(now)}`;
    this.#kept.delete(key);
    this.#kept.set(key, { namespace, name, count });
    await client.create(EVENTS, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace },
      involvedObject: reference(about),
      reason,
      message,
      source: { component },
      firstTimestamp: timestamp(now),
      lastTimestamp: timestamp(now),
      count,
      type,
      eventTime: null,
      // A combined Event of client-go does not name its reporter.
      reportingComponent: isCombined ? "" : component,
      reportingInstance: "",
    });
    while (this.#kept.size > limit) await this.#dropOldest();
  }

  /** Nanoseconds since 1970 in hexadecimal, unique. */
  #suffix(now: number): string {
    this.#lastName = Math.max(this.#lastName + 1, now * 1000);
    return (BigInt(this.#lastName) * 1000n).toString(16);
  }

  async #dropOldest(): Promise<void> {
    const [oldest] = this.#kept;
    if (oldest === undefined) return;
    const [key, { namespace, name }] = oldest;
    this.#kept.delete(key);
    if (this.#options.client.get(EVENTS, namespace, name) === undefined) return;
    await this.#options.client.delete(EVENTS, namespace, name);
  }
}

function reference({ apiVersion, kind, metadata }: KubeObject) {
  return {
    kind,
    ...defined({ namespace: metadata.namespace }),
    name: metadata.name,
    uid: metadata.uid,
    apiVersion,
    resourceVersion: metadata.resourceVersion,
  };
}
