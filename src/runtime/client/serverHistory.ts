import { defined } from "../../apis/index.ts";
import { compareResourceVersions } from "../core/index.ts";
import { type Selection, selectors } from "./pages.ts";
import type { Known, Landmark } from "./position.ts";
import type { Client } from "../types.ts";

/** Reader with a position in the history of a server. */
export interface Follower {
  /** Highest resourceVersion that the server showed to this follower. */
  readonly highest: string | undefined;
  /** Called when the server shows an earlier state. `why` is a sentence for people. */
  doubt(why: string): void;
}

/** `Unknown`: no evidence. */
export type SameHistory = { is: "Same" } | { is: "Unknown" } | { is: "WentBack"; why: string };

const histories = new WeakMap<Client, ServerHistory>();

/**
 * History of one server, as its followers have seen it. A server that is restored from a backup continues at an earlier
 * version without an error. Any answer with the version of the whole server reveals that: a list, or an answer to a write.
 */
export class ServerHistory {
  readonly #followers = new Set<Follower>();

  static of(client: Client): ServerHistory {
    let history = histories.get(client);
    if (history === undefined) histories.set(client, (history = new ServerHistory()));
    return history;
  }

  /** Both clients talk to one server. */
  static share(client: Client, other: Client): void {
    histories.set(client, ServerHistory.of(other));
  }

  follow(follower: Follower): Disposable {
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  /** Called before a request that tells the server's version; the result takes that version. */
  expect(): (version: string | undefined) => void {
    const seen = Array.from(this.#followers, (follower) => ({ follower, highest: follower.highest }));
    return (version) => {
      if (version === undefined || version === "") return;
      for (const { follower, highest } of seen) {
        // Events since the start of the request may be newer than its answer.
        if (highest === undefined || compareResourceVersions(version, highest) >= 0) continue;
        if (this.#followers.has(follower)) follower.doubt(earlier(version, highest));
      }
    };
  }

  /** The server is in another history, even if its version does not show that. */
  doubt(why: string): void {
    for (const follower of this.#followers) follower.doubt(why);
  }
}

export function earlier(version: string, highest = ""): string {
  return `the server is at resourceVersion ${version}, and was at ${highest} before`;
}

/**
 * Checks whether a server still has the known history, by the version of the whole server and an object. The version
 * alone proves nothing: a restored server soon makes as many writes as were lost.
 */
export async function askHistory(selection: Selection, known: Known, signal: AbortSignal): Promise<SameHistory> {
  const { highest = "", living, gone } = known;
  const last = await look(selection, living ?? gone, highest, signal);
  if ("is" in last) return last;
  if (living !== undefined) {
    const changed = compared(living, last.version, "had it");
    if (changed !== undefined || gone === undefined) return changed ?? SAME;
    // Only removals followed.
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

/** Undefined if the object is unchanged. A later version or a removal can happen in any history. */
function compared({ name, version }: Landmark, now: string | undefined, did: string): SameHistory | undefined {
  if (now === version) return undefined;
  if (now === undefined || !isEarlier(now, version)) return UNKNOWN;
  return { is: "WentBack", why: `the server has ${name} at resourceVersion ${now}, and ${did} at ${version} before` };
}

interface Look {
  /** resourceVersion of the object that was found. */
  version: string | undefined;
  /** The selection has an object that may have existed at the highest known version. */
  isOfBefore: boolean;
}

/** The landmark's object, or any object of the selection. */
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

/** Why a snapshot is of another history: it shows an older version of an object. */
export function ofAnotherHistory(
  snapshot: ReadonlyMap<string, { resourceVersion: string }>,
  resourceVersion: string,
  objects: { get(key: string): { resourceVersion: string } | undefined },
): string | undefined {
  for (const [key, { resourceVersion: now }] of snapshot) {
    const before = objects.get(key)?.resourceVersion;
    // Changes after the snapshot may be known already.
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
