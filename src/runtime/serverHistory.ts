import { compareResourceVersions } from "./keys.ts";
import type { Client } from "./types.ts";

/** Whoever holds a place in the history of a server. */
export interface Follower {
  /** The latest version that the server showed it. */
  readonly highest: string | undefined;
  /** The server answered at a version before that one. */
  doubt(version: string): void;
}

const histories = new WeakMap<Client, ServerHistory>();

/**
 * The history of one server, as all who follow it have seen it. A server that is restored from a backup goes on at an earlier version, takes
 * places in the history that is no more for places that are yet to come, and says nothing. Any answer that tells the version of the whole
 * server shows it: a list does (of one object, say), and so does the answer to a write.
 */
export class ServerHistory {
  readonly #followers = new Set<Follower>();

  /** Of the server that the client talks to. */
  static of(client: Client): ServerHistory {
    let history = histories.get(client);
    if (history === undefined) histories.set(client, (history = new ServerHistory()));
    return history;
  }

  /** From now on both clients are known to talk to one server. */
  static share(client: Client, other: Client): void {
    histories.set(client, ServerHistory.of(other));
  }

  follow(follower: Follower): Disposable {
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  /** To be called before a request whose answer will tell the server's version, which the result takes. */
  expect(): (version: string | undefined) => void {
    const seen = Array.from(this.#followers, (follower) => ({ follower, highest: follower.highest }));
    return (version) => {
      if (version === undefined || version === "") return;
      for (const { follower, highest } of seen) {
        // What has come since the request may be later than its answer.
        if (highest === undefined || compareResourceVersions(version, highest) >= 0) continue;
        if (this.#followers.has(follower)) follower.doubt(version);
      }
    };
  }
}
