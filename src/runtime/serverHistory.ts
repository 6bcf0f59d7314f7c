import { compareResourceVersions } from "./keys.ts";
import { type Selection, selectors } from "./pages.ts";
import type { Landmark, Position } from "./position.ts";
import type { Client } from "./types.ts";

/** Whoever holds a place in the history of a server. */
export interface Follower {
  /** The latest version that the server showed it. */
  readonly highest: string | undefined;
  /** The server shows an earlier state than before; `why` is a sentence for people. */
  doubt(why: string): void;
}

/** `Unknown`: nothing shows the one or the other. */
export type SameHistory = { is: "Same" } | { is: "Unknown" } | { is: "WentBack"; why: string };

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
        if (this.#followers.has(follower)) follower.doubt(earlier(version, highest));
      }
    };
  }

  /** Somebody has seen that the server is in another history, though its version may not show that. */
  doubt(why: string): void {
    for (const follower of this.#followers) follower.doubt(why);
  }
}

/** That a server is at a version before the one that was seen, in a sentence. */
export function earlier(version: string, highest = ""): string {
  return `the server is at resourceVersion ${version}, and was at ${highest} before`;
}

/**
 * Asks a server whether it still has the history of that position. One list tells two things: the version of the whole server, and the
 * object of the landmark. The version alone shows nothing where a restored server has since written as much as it lost: its own
 * start writes some dozens of objects.
 */
export async function askHistory(selection: Selection, position: Position, signal: AbortSignal): Promise<SameHistory> {
  position.ask();
  const { landmark } = position;
  const options = { ...selectorsOf(landmark, selection), limit: 1, metadataOnly: true, signal };
  const { items, resourceVersion } = await selection.client.list(selection.type, options);
  if (position.isBefore(resourceVersion)) return { is: "WentBack", why: earlier(resourceVersion, position.highest) };
  return landmark === undefined ? { is: "Same" } : comparedWith(landmark, items[0]?.metadata.resourceVersion);
}

/** `version`: at which the server shows the object; undefined where it shows none. */
function comparedWith({ name, version: before, gone }: Landmark, version: string | undefined): SameHistory {
  // Nothing tells an object that was lost from one that was deleted since.
  if (version === undefined) return gone ? { is: "Same" } : { is: "Unknown" };
  if (compareResourceVersions(version, before) >= 0) return { is: "Same" };
  const why = `the server has ${name} at resourceVersion ${version}, and ${gone ? "removed it" : "had it"} at ${before} before`;
  return { is: "WentBack", why };
}

function selectorsOf(landmark: Landmark | undefined, selection: Selection): ReturnType<typeof selectors> {
  if (landmark === undefined) return selectors(selection);
  const byName = `metadata.name=${landmark.name.replaceAll(/[\\,=]/g, "\\$&")}`;
  return selectors({
    ...selection,
    ...(landmark.namespace === undefined ? {} : { namespace: landmark.namespace }),
    fieldSelector: selection.fieldSelector === undefined ? byName : `${selection.fieldSelector},${byName}`,
  });
}
