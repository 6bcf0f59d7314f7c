import { defined } from "../../apis/index.ts";
import { compareResourceVersions } from "../core/index.ts";
import { type Selection, selectors } from "./pages.ts";
import type { Known, Landmark } from "./position.ts";
import type { Client } from "../types.ts";

/** Reader with a position in the history of a server. */
export interface Follower {
  /** Latest version that the server showed to this follower. */
  readonly highest: string | undefined;
  /** Called when the server shows an earlier state than before. `why` is a sentence for people. */
  doubt(why: string): void;
}

/** `Unknown`: no evidence for or against the same history. */
export type SameHistory = { is: "Same" } | { is: "Unknown" } | { is: "WentBack"; why: string };

const histories = new WeakMap<Client, ServerHistory>();

/**
 * History of one server, as all its followers have seen it. A server that is restored from a backup continues at an
 * earlier version, treats versions of the lost history as future versions, and reports no error. Any answer with the
 * version of the whole server reveals the restore: a list (even of one object), or the answer to a write.
 */
export class ServerHistory {
  readonly #followers = new Set<Follower>();

  /** History of the server that the client talks to. */
  static of(client: Client): ServerHistory {
    let history = histories.get(client);
    if (history === undefined) histories.set(client, (history = new ServerHistory()));
    return history;
  }

  /** Declares that both clients talk to one server. */
  static share(client: Client, other: Client): void {
    histories.set(client, ServerHistory.of(other));
  }

  follow(follower: Follower): Disposable {
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  /**
   * To be called before a request whose answer tells the server's version. The returned function takes that version.
   */
  expect(): (version: string | undefined) => void {
    const seen = Array.from(this.#followers, (follower) => ({ follower, highest: follower.highest }));
    return (version) => {
      if (version === undefined || version === "") return;
      for (const { follower, highest } of seen) {
        // Events after the start of the request may be newer than its answer, so only versions from before the
        // request count.
        if (highest === undefined || compareResourceVersions(version, highest) >= 0) continue;
        if (this.#followers.has(follower)) follower.doubt(earlier(version, highest));
      }
    };
  }

  /** Tells all followers that the server is in another history, even if its version does not show that. */
  doubt(why: string): void {
    for (const follower of this.#followers) follower.doubt(why);
  }
}

/** Sentence for people: the server is at an earlier version than before. */
export function earlier(version: string, highest = ""): string {
  return `the server is at resourceVersion ${version}, and was at ${highest} before`;
}

/**
 * Checks whether a server still has the known history. A list shows the version of the whole server and an object.
 * The version alone proves nothing if a restored server has since made as many writes as were lost: its own start
 * writes some dozens of objects.
 */
export async function askHistory(selection: Selection, known: Known, signal: AbortSignal): Promise<SameHistory> {
  const { highest = "", living, gone } = known;
  const last = await look(selection, living ?? gone, highest, signal);
  if ("is" in last) return last;
  if (living !== undefined) {
    const changed = compared(living, last.version, "had it");
    if (changed !== undefined || gone === undefined) return changed ?? SAME;
    // The history is unchanged up to this landmark. Only removals followed.
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

/**
 * Undefined if the object is unchanged. A later version or a removal proves nothing: both can also happen in another
 * history.
 */
function compared({ name, version }: Landmark, now: string | undefined, did: string): SameHistory | undefined {
  if (now === version) return undefined;
  if (now === undefined || !isEarlier(now, version)) return UNKNOWN;
  return { is: "WentBack", why: `the server has ${name} at resourceVersion ${now}, and ${did} at ${version} before` };
}

interface Look {
  /** Version of the object that was found; undefined if none was found. */
  version: string | undefined;
  /** True if the selection has an object that may have existed at the highest known version. */
  isOfBefore: boolean;
}

/** Lists the landmark's object, or any object of the selection. */
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
 * Reason why a consistent snapshot is of another history than the known objects: the snapshot shows an older version
 * of an object. Undefined if nothing contradicts the known history.
 */
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
