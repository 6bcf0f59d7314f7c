import { defined } from "../../apis/index.ts";
import { compareResourceVersions } from "../core/index.ts";
import { type Selection, selectors } from "./pages.ts";
import type { Known, Landmark } from "./position.ts";
import type { Client } from "../types.ts";

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
 * Asks a server whether it still has the history of which that is known. A list tells two things: the version of the whole server, and
 * an object. The version alone shows nothing where a restored server has since written as much as it lost: its own start writes some
 * dozens of objects.
 */
export async function askHistory(selection: Selection, known: Known, signal: AbortSignal): Promise<SameHistory> {
  const { highest = "", living, gone } = known;
  const last = await look(selection, living ?? gone, highest, signal);
  if ("is" in last) return last;
  if (living !== undefined) {
    const changed = compared(living, last.version, "had it");
    if (changed !== undefined || gone === undefined) return changed ?? SAME;
    // Up to there everything is as it was; what followed were removals.
    const removed = await look(selection, gone, highest, signal);
    if ("is" in removed) return removed;
    if (removed.version === undefined) return SAME;
    return compared(gone, removed.version, "removed it") ?? UNKNOWN;
  }
  if (gone !== undefined) return compared(gone, last.version, "removed it") ?? UNKNOWN;
  return last.isOfBefore ? UNKNOWN : SAME;
}

const SAME: SameHistory = { is: "Same" };
const UNKNOWN: SameHistory = { is: "Unknown" };

/** Undefined where the object is as it was. Nothing tells a later change, or the end, of an object from one in another history. */
function compared({ name, version }: Landmark, now: string | undefined, did: string): SameHistory | undefined {
  if (now === version) return undefined;
  if (now === undefined || !isEarlier(now, version)) return UNKNOWN;
  return { is: "WentBack", why: `the server has ${name} at resourceVersion ${now}, and ${did} at ${version} before` };
}

interface Look {
  /** Of the landmark's object; undefined where there is none. */
  version: string | undefined;
  /** An object is there that may have been there at the highest version that is known. */
  isOfBefore: boolean;
}

/** At the landmark's object, or at any object of the selection. */
async function look(
  selection: Selection,
  landmark: Landmark | undefined,
  highest: string,
  signal: AbortSignal,
): Promise<Look | Extract<SameHistory, { is: "WentBack" }>> {
  const options = { ...selectorsOf(landmark, selection), limit: 1, metadataOnly: true, signal };
  const { items, resourceVersion, continue: rest = "" } = await selection.client.list(selection.type, options);
  if (isEarlier(resourceVersion, highest)) return { is: "WentBack", why: earlier(resourceVersion, highest) };
  const version = items[0]?.metadata.resourceVersion;
  return { version, isOfBefore: rest !== "" || (version !== undefined && !isEarlier(highest, version)) };
}

/**
 * Why a consistent snapshot of that version cannot be of the history in which the objects are known: it shows an object as it was before.
 * Undefined where nothing speaks against it.
 */
export function ofAnotherHistory(
  snapshot: ReadonlyMap<string, { resourceVersion: string }>,
  resourceVersion: string,
  objects: { get(key: string): { resourceVersion: string } | undefined },
): string | undefined {
  for (const [key, { resourceVersion: now }] of snapshot) {
    const before = objects.get(key)?.resourceVersion;
    // What was written after the snapshot was taken may be known already.
    if (before === undefined || isEarlier(resourceVersion, before) || !isEarlier(now, before)) continue;
    return `the server has ${key} at resourceVersion ${now}, and had it at ${before} before`;
  }
  return undefined;
}

function isEarlier(version: string, than: string): boolean {
  return compareResourceVersions(version, than) < 0;
}

function selectorsOf(landmark: Landmark | undefined, selection: Selection): ReturnType<typeof selectors> {
  if (landmark === undefined) return selectors(selection);
  const byName = `metadata.name=${landmark.name.replaceAll(/[\\,=]/g, "\\$&")}`;
  return selectors({
    ...selection,
    ...defined({ namespace: landmark.namespace }),
    fieldSelector: selection.fieldSelector === undefined ? byName : `${selection.fieldSelector},${byName}`,
  });
}
