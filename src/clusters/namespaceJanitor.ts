import type { KubeObject } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import type { Clock, Informer } from "../runtime/index.ts";
import { Backoffs } from "./backoff.ts";
import { inspectNamespace, isOurNamespace, type MemberNamespaces } from "./namespaces.ts";
import { classify } from "./outcome.ts";
import type { DesiredStateTable } from "./table.ts";
import type { MemberSession } from "./types.ts";

/** What another manager of this hub may want with a namespace. Two that clean up after each other would delete what one of them fills. */
export interface NamespaceCustody {
  /** No other manager is at work on the hub, as far as is known, and the cluster is this one's. */
  isAlone(cluster: string): boolean;
  /** Asks the hub itself whether an object of another manager is in that namespace. */
  isOthers(namespace: string, signal: AbortSignal): Promise<boolean>;
}

export interface NamespaceJanitorOptions {
  session: MemberSession;
  table: DesiredStateTable;
  hubId: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  informer: Informer<KubeObject>;
  namespaces: MemberNamespaces;
  deletesAllowed: (namespace: string) => boolean;
  custody: NamespaceCustody;
  /** A namespace stays because nobody can say what is in it. Told again when the reason is another one. */
  namespaceKept: (namespace: string, why: string) => void;
}

/**
 * Removes from a member the namespaces that Meridian created there, once nothing of Meridian and nothing foreign is inside. A
 * namespace that Meridian did not create is never touched; one that cannot be looked through completely stays.
 */
export class NamespaceJanitor {
  readonly #options: NamespaceJanitorOptions;
  readonly #backoffs: Backoffs;
  readonly #busy = new Set<string>();
  /** Considered again while they were looked through. */
  readonly #again = new Set<string>();
  /** What was told of namespaces that stay. */
  readonly #told = new Map<string, string>();

  constructor(options: NamespaceJanitorOptions) {
    this.#options = options;
    this.#backoffs = new Backoffs(options.clock, options.random);
  }

  start(): void {
    const { informer, session } = this.#options;
    const subscription = informer.onEvent((event) => {
      if (event.type === "Deleted") {
        this.#backoffs.forget(event.key);
        this.#told.delete(event.key);
      } else this.consider(event.key);
    });
    session.signal.addEventListener(
      "abort",
      () => {
        subscription[Symbol.dispose]();
        this.#backoffs.clear();
      },
      { once: true },
    );
  }

  /** Something left that namespace, or a gate opened. */
  consider(name: string): void {
    const { session, deletesAllowed, custody } = this.#options;
    if (session.signal.aborted || !deletesAllowed(name) || !custody.isAlone(session.cluster)) return;
    if (this.#candidate(name) === undefined) return;
    if (this.#busy.has(name)) {
      this.#again.add(name);
      return;
    }
    this.#busy.add(name);
    void this.#sweep(name);
  }

  considerAll(): void {
    for (const namespace of this.#options.informer.list()) this.consider(namespace.metadata.name);
  }

  /** The namespace, when it is ours, alive, and nothing is or should be in it. */
  #candidate(name: string): KubeObject | undefined {
    const { informer, hubId, table, session } = this.#options;
    const namespace = informer.get(name);
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return undefined;
    if (!isOurNamespace(namespace, hubId)) return undefined;
    for (const entry of table.entriesIn(session.cluster)) if (entry.ref.namespace === name) return undefined;
    return namespace;
  }

  async #sweep(name: string): Promise<void> {
    const keep = await this.#inspectAndDelete(name);
    this.#busy.delete(name);
    if (this.#options.session.signal.aborted) return;
    if (keep) this.#backoffs.schedule(name, undefined, "slowly", () => this.consider(name));
    else if (this.#again.has(name)) this.consider(name);
    this.#again.delete(name);
  }

  #tell(name: string, why: string): void {
    if (this.#told.get(name) === why) return;
    this.#told.set(name, why);
    this.#options.namespaceKept(name, why);
  }

  /** True when it should be tried again: what occupies it may yet go. */
  async #inspectAndDelete(name: string): Promise<boolean> {
    const { session, logger, namespaces, custody } = this.#options;
    const { client, discovery, signal } = session;
    try {
      const emptiness = await inspectNamespace(client, discovery, name, signal);
      if (emptiness.kind === "Empty" && (await custody.isOthers(name, signal))) return true;
      // Looking took a while: something may have been placed there meanwhile.
      const namespace = this.#candidate(name);
      if (namespace === undefined || !custody.isAlone(session.cluster)) return false;
      if (emptiness.kind !== "Empty") {
        logger.debug(
          { cluster: session.cluster, namespace: name, emptiness },
          "a namespace that Meridian made is kept",
        );
        if (emptiness.kind === "Unknown") this.#tell(name, emptiness.message);
        else this.#told.delete(name);
        return true;
      }
      return !(await namespaces.remove(namespace, signal));
    } catch (error) {
      if (signal.aborted) return false;
      const outcome = classify(error);
      logger.warn(
        {
          cluster: session.cluster,
          err: error,
          namespace: name,
          outcome: outcome?.kind,
          event_reason: "NamespaceKept",
        },
        "a namespace could not be removed",
      );
      return true;
    }
  }
}
