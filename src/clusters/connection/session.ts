import type { Client, Discovery } from "../../runtime/index.ts";
import type { ClusterAccess } from "./clusterAccess.ts";
import type { MemberSession } from "../types.ts";

/** A session that the pool can end. */
export class LiveSession implements MemberSession {
  readonly cluster: string;
  readonly client: Client;
  readonly discovery: Discovery;
  readonly clusterUid: string;
  readonly local: boolean;
  readonly namespaces: readonly string[] | undefined;
  readonly #end = new AbortController();
  readonly #onSuspicion: () => void;

  constructor(cluster: string, clusterUid: string, access: ClusterAccess, onSuspicion: () => void) {
    this.cluster = cluster;
    this.clusterUid = clusterUid;
    this.client = access.client;
    this.discovery = access.discovery;
    this.local = access.local;
    this.namespaces = access.namespaces;
    this.#onSuspicion = onSuspicion;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  suspect(): void {
    if (!this.signal.aborted) this.#onSuspicion();
  }

  end(why: string): void {
    this.#end.abort(new Error(`the session with ${this.cluster} has ended: ${why}`));
  }
}
