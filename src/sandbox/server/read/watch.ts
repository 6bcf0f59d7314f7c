import { defined } from "../../../apis/index.ts";
import { failure, StatusError } from "../../statusError.ts";
import { RevisionExpired, type StoreEvent } from "../../store/index.ts";
import { tableOfEvent } from "../../tables/index.ts";
import type { KubeObject, SandboxClock, WatchEventType } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import { type Catalog } from "../catalog/index.ts";
import { type Form, partialOf } from "./forms.ts";
import { checkReached } from "./list.ts";
import { type ListOptions, revisionOf } from "../request/index.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** Receives the lines of a watch. */
export interface WatchSink {
  send(line: Buffer): void;
  /** Called when the server ends the watch. */
  end(): void;
}

const BOOKMARK_INTERVAL_MS = 60_000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** All open watches of a cluster. */
export class Watches {
  readonly #clock: SandboxClock;
  readonly #open = new Set<Watch>();
  readonly #texts = new EventTexts();
  #bookmarks: Disposable | undefined;
  #paused = false;

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Starts to send. Throws a StatusError for an invalid request; later errors are sent as ERROR events. */
  async start(api: Api, target: Target, options: ListOptions, form: Form, sink: WatchSink): Promise<Watch> {
    const watch = new Watch(api, target, options, form, this.#texts, sink);
    watch.paused = this.#paused;
    this.#open.add(watch);
    watch.onClosed(() => this.#open.delete(watch));
    try {
      await watch.begin();
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
    if (options.allowWatchBookmarks) this.#bookmarks ??= this.#nextBookmarks();
    return watch;
  }

  /** Ends all watches, like a server that sheds its connections. */
  cut(): void {
    for (const watch of [...this.#open]) watch.end();
  }

  /** Ends watches of resources that are no longer served or have changed. */
  cutUnserved(catalog: Catalog): void {
    for (const watch of [...this.#open]) if (!watch.isServed(catalog)) watch.end();
  }

  /** Holds all events back until {@link resume}, which sends them at once. */
  pause(): void {
    this.#paused = true;
    for (const watch of this.#open) watch.paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const watch of this.#open) watch.paused = false;
  }

  [Symbol.dispose](): void {
    this.cut();
    this.#bookmarks?.[Symbol.dispose]();
    this.#bookmarks = undefined;
  }

  /** One timer for all watches, and none if no client wants bookmarks. */
  #nextBookmarks(): Disposable {
    return this.#clock.after(BOOKMARK_INTERVAL_MS, () => {
      this.#bookmarks = undefined;
      let wanted = false;
      for (const watch of this.#open) if (watch.bookmark()) wanted = true;
      if (wanted) this.#bookmarks = this.#nextBookmarks();
    });
  }
}

export class Watch implements Disposable {
  readonly #api: Api;
  readonly #target: Target;
  readonly #options: ListOptions;
  readonly #form: Form;
  readonly #texts: EventTexts;
  readonly #sink: WatchSink;
  readonly #selection: Selection;
  readonly #stack = new DisposableStack();
  #held: Buffer[] | undefined;
  /** Lines that wait for the conversion webhook, in order. */
  #converting: Promise<void> | undefined;
  /** The client knows all changes up to this revision. */
  #revision = 0;
  #ended = false;
  #rows = false;

  constructor(api: Api, target: Target, options: ListOptions, form: Form, texts: EventTexts, sink: WatchSink) {
    this.#api = api;
    this.#target = target;
    this.#options = options;
    this.#form = form;
    this.#texts = texts;
    this.#sink = sink;
    this.#selection = selectionOf(target.endpoint, { ...options, namespace: target.namespace });
  }

  isServed(catalog: Catalog): boolean {
    const { resource, version } = this.#target.endpoint;
    return catalog.endpoint(resource.group, version.name, resource.plural)?.resource.versions === resource.versions;
  }

  /** Called once, no matter who ends the watch. */
  onClosed(callback: () => void): void {
    this.#stack.defer(callback);
  }

  set paused(paused: boolean) {
    if (paused) this.#held ??= [];
    else {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const line of held) this.#write(line);
    }
  }

  /** Sends the existing objects, then changes. */
  async begin(): Promise<void> {
    const { resourceVersion, sendInitialEvents, allowWatchBookmarks } = this.#options;
    const revision = revisionOf(resourceVersion, (why) => failure(500, "", why));
    const { endpoint } = this.#target;
    const collection = this.#api.store.collection(endpoint.storedAs);
    if (sendInitialEvents ?? revision === 0) {
      checkReached(this.#api, revision);
      this.#revision = this.#api.store.revision;
      for (const object of collection.list(this.#selection.namespace)) {
        if (this.#selects(object)) this.#emit("ADDED", object);
      }
      if (sendInitialEvents === true && allowWatchBookmarks) this.bookmark({ [INITIAL_EVENTS_END]: "true" });
    } else {
      this.#revision = revision === 0 ? this.#api.store.revision : revision;
      try {
        for (const event of collection.history.since(this.#revision)) this.#take(event);
      } catch (error) {
        if (!(error instanceof RevisionExpired)) throw error;
        this.#fail(failure(410, "Expired", error.message));
        return;
      }
    }
    if (this.#ended) return;
    this.#stack.use(collection.onEvent((event) => this.#take(event)));
    await this.#converting;
  }

  /** Sends the current revision as a bookmark. False if the client does not want bookmarks. */
  bookmark(annotations?: Record<string, string>): boolean {
    if (!this.#options.allowWatchBookmarks) return false;
    const { resource, apiVersion } = this.#target.endpoint;
    const revision = Math.max(this.#revision, this.#api.store.revision);
    this.#revision = revision;
    const metadata = { resourceVersion: String(revision), ...defined({ annotations }) };
    const object =
      this.#form.as === "PartialObjectMetadata"
        ? { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${this.#form.metaVersion}`, metadata }
        : this.#form.as === "Table"
          ? { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions: null, rows: null }
          : { kind: resource.kind, apiVersion, metadata };
    this.#inOrder(lineOf("BOOKMARK", JSON.stringify(object)));
    return true;
  }

  end(): void {
    if (this.#ended) return;
    this[Symbol.dispose]();
    this.#sink.end();
  }

  /** Called when the client is gone. */
  [Symbol.dispose](): void {
    this.#ended = true;
    this.#stack.dispose();
  }

  #selects(object: KubeObject): boolean {
    const { namespace, name, matches } = this.#selection;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
    if (name !== undefined && object.metadata.name !== name) return false;
    return matches === undefined || matches(object);
  }

  #take({ type, revision, object, old }: StoreEvent): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    const is = type !== "DELETED" && this.#selects(object);
    const was = old !== undefined && this.#selects(old);
    if (is) this.#emit(was ? "MODIFIED" : "ADDED", object);
    // An object that left the selection is sent in its last matching state, with the revision of the change.
    else if (was) this.#emit("DELETED", type === "DELETED" ? object : atRevision(old, revision));
  }

  #emit(type: WatchEventType, object: KubeObject): void {
    const { endpoint } = this.#target;
    const converted = this.#api.conversion.convertNow(endpoint, object, endpoint.apiVersion);
    if (converted !== undefined && this.#converting === undefined) {
      this.#write(this.#line(type, object, converted));
      return;
    }
    this.#after(async () => {
      const answer = await this.#api.conversion.convert(endpoint, object, endpoint.apiVersion);
      return this.#line(type, object, answer);
    });
  }

  #inOrder(line: Buffer): void {
    if (this.#converting === undefined) this.#write(line);
    else this.#after(() => Promise.resolve(line));
  }

  #after(make: () => Promise<Buffer>): void {
    const before = this.#converting ?? Promise.resolve();
    const step = before
      .then(async () => {
        if (!this.#ended) this.#write(await make());
      })
      .catch((error: unknown) => {
        this.#fail(error instanceof StatusError ? error : failure(500, "InternalError", String(error)));
      })
      .finally(() => {
        if (this.#converting === step) this.#converting = undefined;
      });
    this.#converting = step;
  }

  #line(type: WatchEventType, source: KubeObject, object: KubeObject): Buffer {
    const { endpoint } = this.#target;
    const { as, metaVersion, includeObject } = this.#form;
    switch (as) {
      case "Object":
        return this.#texts.line(source, `${type} ${endpoint.apiVersion}`, () => lineOf(type, JSON.stringify(object)));
      case "PartialObjectMetadata":
        return this.#texts.line(source, `${type} partial ${metaVersion}`, () =>
          lineOf(type, JSON.stringify(partialOf(object, metaVersion))),
        );
      case "Table": {
        const { resource, version } = endpoint;
        const isFirst = !this.#rows;
        this.#rows = true;
        const now = this.#api.clock.now();
        return lineOf(type, JSON.stringify(tableOfEvent(resource, version, object, now, includeObject, isFirst)));
      }
    }
  }

  #fail({ status }: StatusError): void {
    this.#write(lineOf("ERROR", JSON.stringify(status)));
    this.end();
  }

  #write(line: Buffer): void {
    if (this.#ended) return;
    if (this.#held === undefined) this.#sink.send(line);
    else this.#held.push(line);
  }
}

/** The lines of the latest event, which many watches send unchanged. */
class EventTexts {
  #source: KubeObject | undefined;
  readonly #lines = new Map<string, Buffer>();

  line(source: KubeObject, key: string, make: () => Buffer): Buffer {
    if (this.#source !== source) {
      this.#source = source;
      this.#lines.clear();
    }
    let line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, (line = make()));
    return line;
  }
}

function lineOf(type: WatchEventType | "ERROR", object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`);
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
