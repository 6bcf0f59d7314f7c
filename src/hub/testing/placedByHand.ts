import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import {
  Emitter,
  type Informer,
  type InformerEvent,
  type InformerOptions,
  keyOf,
  type ResourceType,
} from "../../runtime/index.ts";
import type { KindCatalog } from "../kinds/kindCatalog.ts";
import { PlacedKinds } from "../cache/placedKinds.ts";

export const WIDGETS: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

export const ZONES: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Zone",
  plural: "zones",
  namespaced: false,
};

export function placedObject(
  type: ResourceType,
  name: string,
  metadata: Partial<KubeObject["metadata"]> = {},
): KubeObject {
  return {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name, uid: `uid-${name}`, ...(type.namespaced ? { namespace: "shop" } : {}), ...metadata },
  };
}

/** Informer that a test controls. */
export class HandInformer {
  readonly type: ResourceType;
  readonly more: Partial<InformerOptions<KubeObject>>;
  /** Objects that were passed as known before. */
  readonly known: readonly (readonly [key: string, { uid: string; object: KubeObject }])[];
  /** Signals of its runs. */
  readonly signals: AbortSignal[] = [];
  synced = false;
  retries = 0;
  readonly #objects = new Map<string, KubeObject>();
  readonly #handlers = new Set<(event: InformerEvent<KubeObject>) => void>();
  readonly #sync = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();

  constructor(type: ResourceType, more: Partial<InformerOptions<KubeObject>>) {
    this.type = type;
    this.more = more;
    this.known = [...(more.known ?? [])];
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(): KubeObject[] {
    return [...this.#objects.values()];
  }

  onEvent(handler: (event: InformerEvent<KubeObject>) => void): Disposable {
    for (const [key, object] of this.#objects) handler({ type: "Added", key, object, initial: true });
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  waitForSync(): Promise<void> {
    return this.#sync.promise;
  }

  retryNow(): void {
    this.retries += 1;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.signals.push(signal);
    await this.#end.promise;
  }

  /** Ends the first snapshot. */
  sync(): void {
    this.synced = true;
    this.#sync.resolve();
  }

  /** Ends its watch. */
  end(): void {
    this.#end.resolve();
  }

  /** Reports an answer of the hub, or a failure with this error. */
  answered(error?: unknown): void {
    this.more.onContact?.(error === undefined, error);
  }

  emit(type: InformerEvent<KubeObject>["type"], object: KubeObject): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (type === "Deleted") this.#objects.delete(key);
    else this.#objects.set(key, object);
    const event = { type, key, object, initial: false, ...(type === "Updated" && old !== undefined ? { old } : {}) };
    for (const handler of this.#handlers) handler(event);
  }
}

/** Creates PlacedKinds for a hub whose kinds the test sets. DemoApplications are required. */
export function placeByHand(...first: ResourceType[]) {
  const { logger, lines } = logLines();
  /** Callbacks of PlacedKinds, in order. */
  const calls: string[] = [];
  const informers: HandInformer[] = [];
  const changes = new Emitter<void>();
  const settlements = new Emitter<void>();
  const hub = { served: first, complete: true, settled: true, notFound: [] as ResourceType[] };
  const catalog = {
    get complete() {
      return hub.complete;
    },
    get settled() {
      return hub.settled;
    },
    settlements,
    hubKinds: () => hub.served,
    isRequired: ({ kind }: ResourceType) => kind === "DemoApplication",
    notFound: (type: ResourceType) => void hub.notFound.push(type),
    onChange: (handler: () => void) => changes.subscribe(handler),
  };
  const placed = new PlacedKinds({
    catalog: catalog as unknown as KindCatalog,
    logger,
    informer: (type, more) => {
      const made = new HandInformer(type, more);
      informers.push(made);
      return made as unknown as Informer<KubeObject>;
    },
    changed: () => void calls.push("changed"),
    read: ({ kind }) => void calls.push(`read ${kind}`),
    rescaled: ({ kind }) => void calls.push(`rescaled ${kind}`),
    departs: ({ kind }) => void calls.push(`departs ${kind}`),
    denialsChanged: () => void calls.push("denials"),
  });
  /** Returns the last informer of the kind. */
  const informer = ({ kind }: ResourceType): HandInformer => {
    const found = informers.findLast(({ type }) => type.kind === kind);
    if (found === undefined) throw new Error(`${kind} is not watched`);
    return found;
  };
  /** Sets the kinds that the hub serves from now on. */
  const serve = (...types: ResourceType[]): void => {
    hub.served = types;
    changes.emit();
  };
  /** Callbacks since the last call. */
  const news = (): string[] => calls.splice(0);
  const listed = (): string[] => placed.list.map(({ type }) => `${type.kind} ${type.version}`);
  const denied = (): string[] => Array.from(placed.denied(), ({ kind }) => kind);
  return { placed, hub, informers, informer, serve, settlements, news, listed, denied, lines, calls };
}
