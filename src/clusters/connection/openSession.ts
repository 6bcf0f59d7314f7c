import type { MemberSession } from "../types.ts";
import type { ClusterAccess } from "./clusterAccess.ts";

/** The session of one connection, while the cluster is accepted and in contact. */
export class OpenSession {
  readonly #cluster: string;
  #open: { session: MemberSession; end: AbortController } | undefined;

  constructor(cluster: string) {
    this.#cluster = cluster;
  }

  get session(): MemberSession | undefined {
    return this.#open?.session;
  }

  /** `suspect`: called when whoever works in the session doubts the contact. */
  start(access: ClusterAccess, clusterUid: string, suspect: () => void): MemberSession {
    const end = new AbortController();
    const { client, discovery, local, namespaces } = access;
    const session: MemberSession = {
      ...{ cluster: this.#cluster, client, discovery, clusterUid, local, namespaces, signal: end.signal },
      suspect: () => {
        if (!end.signal.aborted) suspect();
      },
    };
    this.#open = { session, end };
    return session;
  }

  end(why: string): void {
    const ended = this.#open;
    this.#open = undefined;
    ended?.end.abort(new Error(`the session with ${this.#cluster} has ended: ${why}`));
  }
}
