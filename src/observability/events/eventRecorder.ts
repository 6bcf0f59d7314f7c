import { defined, type KubeObject, microTimestamp, type ObjectRef, SINCE_ANNOTATION } from "../../apis/index.ts";
import { type EventDrop, DroppedEvents } from "./droppedEvents.ts";
import { type Logger, redactText } from "../logging/index.ts";

export interface EventSubject extends ObjectRef {
  uid?: string;
  resourceVersion?: string;
}

export interface EventRecord {
  regarding: EventSubject;
  type: "Normal" | "Warning";
  reason: string;
  /** What Meridian did or tried, CamelCase. */
  action: string;
  /** For people; cut at 1 kB. */
  note: string;
  related?: EventSubject;
  /** For an Event about a recovery: when the trouble began, RFC 3339. */
  since?: string;
  /** Recorded only with `debug`. */
  debug?: true;
}

export interface EventSink {
  record(record: EventRecord): void;
}

export interface EventRecorderOptions {
  post: (event: KubeObject, namespace: string) => Promise<KubeObject>;
  patch: (namespace: string, name: string, body: unknown) => Promise<KubeObject>;
  /** Epoch milliseconds. */
  now: () => number;
  /** `reportingInstance`: pod name or host name. */
  identity: string;
  logger: Logger;
  signal?: AbortSignal;
  debug?: boolean;
  onDrop?: (cause: EventDrop) => void;
  /** Default: a timer that does not keep the process alive. */
  after?: (ms: number, callback: () => void) => Disposable;
}

/** The same Event again within this time belongs to the same series. */
const SERIES_LIFE_MS = 6 * 60_000;
/** The count of a series is written at most this often. */
const SERIES_PATCH_MS = 30_000;
const MAX_SERIES = 2_048;
const MAX_QUEUE = 1_000;
/** Events are written one at a time and slowly, so that they never delay the work that they describe. */
const PACE_MS = 40;
/** After a write the recorder pauses for so many times its length: a busy server spends little time on Events. */
const PAUSE_IN_WRITES = 10;
const LONGEST_PAUSE_MS = 1_000;
const MAX_NOTE_BYTES = 1_024;
const CONTROLLER = "paas.cmft.com/meridian";

interface Series {
  key: string;
  namespace: string;
  name: string;
  count: number;
  writtenCount: number;
  lastSeen: number;
  lastWritten: number;
  /** The Event exists on the server. */
  posted: boolean;
  /** The series waits in the queue, or is being written. */
  queued: boolean;
  record: EventRecord;
}

/**
 * Writes Events (events.k8s.io/v1). The caller never waits, and recording never fails. What repeats becomes a series:
 * one Event, patched with its count. What does not fit, or the server refuses, is dropped, counted and logged.
 */
export class EventRecorder implements EventSink {
  private readonly options: EventRecorderOptions;
  private readonly after: (ms: number, callback: () => void) => Disposable;
  private readonly dropped: DroppedEvents;
  /** Series by key, in the order in which they were last seen. */
  private readonly series = new Map<string, Series>();
  private readonly queue: Series[] = [];
  private active = false;
  private flushing = false;
  private serial = 0;
  private sweep: Disposable | undefined;
  private idle: PromiseWithResolvers<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.options = options;
    this.after = options.after ?? systemTimer;
    this.dropped = new DroppedEvents(options);
  }

  record(record: EventRecord): void {
    if (record.debug === true && this.options.debug !== true) return;
    const now = this.options.now();
    const { regarding: about } = record;
    const key = [
      about.kind,
      about.namespace,
      about.name,
      about.uid,
      record.type,
      record.reason,
      record.action,
      record.note,
    ].join("\n");
    const known = this.series.get(key);
    if (known !== undefined && now - known.lastSeen < SERIES_LIFE_MS) return this.again(known, now);
    if (this.queue.length >= MAX_QUEUE) return this.drop("queue_full", record);
    this.remember({
      key,
      namespace: about.namespace ?? "default",
      name: this.eventName(about.name, now),
      count: 1,
      writtenCount: 0,
      lastSeen: now,
      lastWritten: now,
      posted: false,
      queued: false,
      record,
    });
  }

  /** Resolves when everything recorded so far is written or dropped. Never throws. */
  async flush(): Promise<void> {
    this.flushing = true;
    try {
      for (;;) {
        for (const series of this.series.values()) if (series.count > series.writtenCount) this.enqueue(series);
        if (!this.active && this.queue.length === 0) return;
        this.idle ??= Promise.withResolvers();
        await this.idle.promise;
      }
    } finally {
      this.flushing = false;
    }
  }

  private again(series: Series, now: number): void {
    series.count += 1;
    series.lastSeen = now;
    this.series.delete(series.key);
    this.series.set(series.key, series);
    if (now - series.lastWritten >= SERIES_PATCH_MS) this.enqueue(series);
    else this.scheduleSweep();
  }

  private remember(series: Series): void {
    this.series.delete(series.key);
    this.series.set(series.key, series);
    if (this.series.size > MAX_SERIES) {
      const [oldest] = this.series.keys();
      if (oldest !== undefined) this.series.delete(oldest);
    }
    this.enqueue(series);
  }

  private enqueue(series: Series): void {
    if (series.queued) return;
    series.queued = true;
    const place =
      series.record.type === "Warning" ? this.queue.findIndex(({ record }) => record.type !== "Warning") : -1;
    if (place < 0) this.queue.push(series);
    else this.queue.splice(place, 0, series);
    this.pump();
  }

  private pump(): void {
    if (this.active) return;
    const next = this.queue.shift();
    if (next !== undefined) {
      this.active = true;
      const startedAt = this.options.now();
      void this.write(next).finally(() => {
        const took = this.options.now() - startedAt;
        const pause = Math.min(LONGEST_PAUSE_MS, Math.max(PACE_MS, took * PAUSE_IN_WRITES));
        if (this.flushing || this.queue.length === 0) this.goOn();
        else this.after(pause, () => this.goOn());
      });
      return;
    }
    this.idle?.resolve();
    this.idle = undefined;
  }

  private goOn(): void {
    this.active = false;
    this.pump();
  }

  private async write(series: Series): Promise<void> {
    series.lastWritten = this.options.now();
    const count = series.count;
    try {
      if (series.posted) await this.patchSeries(series, count);
      else await this.options.post(this.event(series, count), series.namespace);
      series.posted = true;
      series.writtenCount = count;
    } catch (err) {
      // An Event is news, not state: the next occurrence starts a new series.
      this.series.delete(series.key);
      this.drop("failed", series.record, err);
    } finally {
      series.queued = false;
    }
    if (series.count > series.writtenCount) this.scheduleSweep();
  }

  private drop(cause: EventDrop, record: EventRecord, error?: unknown): void {
    this.options.onDrop?.(cause);
    this.dropped.drop(cause, record, error);
  }

  private patchSeries(series: Series, count: number): Promise<KubeObject> {
    return this.options.patch(series.namespace, series.name, {
      series: { count, lastObservedTime: microTimestamp(series.lastSeen) },
    });
  }

  private event(series: Series, count: number): KubeObject {
    const { record } = series;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: {
        name: series.name,
        namespace: series.namespace,
        ...(record.since === undefined ? {} : { annotations: { [SINCE_ANNOTATION]: record.since } }),
      },
      eventTime: microTimestamp(series.lastSeen),
      reportingController: CONTROLLER,
      reportingInstance: this.options.identity.slice(0, 128),
      type: record.type,
      reason: record.reason.slice(0, 128),
      action: record.action.slice(0, 128),
      note: cutToBytes(redactText(record.note), MAX_NOTE_BYTES),
      regarding: record.regarding,
      ...defined({ related: record.related }),
      ...(count > 1 ? { series: { count, lastObservedTime: microTimestamp(series.lastSeen) } } : {}),
    };
  }

  /** One timer for all series. */
  private scheduleSweep(): void {
    this.sweep ??= this.after(SERIES_PATCH_MS, () => {
      this.sweep = undefined;
      const now = this.options.now();
      let waiting = false;
      for (const series of this.series.values()) {
        if (series.count > series.writtenCount) {
          if (now - series.lastWritten >= SERIES_PATCH_MS) this.enqueue(series);
          else waiting = true;
        } else if (now - series.lastSeen >= SERIES_LIFE_MS) this.series.delete(series.key);
      }
      if (waiting) this.scheduleSweep();
    });
  }

  /** Unique like client-go's: the object's name, the time, and a serial number for the same millisecond. */
  private eventName(name: string, now: number): string {
    this.serial = (this.serial + 1) % 0x10000;
    return `${dnsNameOf(name)}.${now.toString(16)}${this.serial.toString(16).padStart(4, "0")}`;
  }
}

/** Names of Roles may have colons and capitals, but names of Events may not. */
function dnsNameOf(name: string): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .slice(0, 220)
    .split(".")
    .map((label) => label.split("-").filter(Boolean).join("-"))
    .filter(Boolean);
  return readable.length === 0 ? "object" : readable.join(".");
}

function systemTimer(ms: number, callback: () => void): Disposable {
  const timer = setTimeout(callback, ms);
  timer.unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Cuts the text between characters to at most `bytes` bytes of UTF-8. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const cut = Buffer.from(text).subarray(0, bytes - 3);
  return `${new TextDecoder().decode(cut).replace(/\uFFFD+$/, "")}…`;
}
