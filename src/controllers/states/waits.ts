import { type Wait, WAIT_REASONS, type WaitFor, type WaitReason } from "../../desiredstate/index.ts";
import type { WaitTally } from "../../observability/index.ts";
import { Groups } from "../tables/index.ts";
import type { PartStore } from "./objectParts.ts";

type WaitStates = PartStore<"waits">;

/** The waits of all objects. An event wakes the objects that wait for it. */
export class Waits {
  readonly #states: WaitStates;
  /** Objects by what they wait for. Derived from the waits in their records. */
  readonly #waiting = new Groups<string>();

  constructor(states: WaitStates) {
    this.#states = states;
  }

  of(owner: string): readonly Wait[] {
    return this.#states.get(owner)?.waits ?? NONE;
  }

  /** True if the object waits for this, whatever `of` says. */
  has(owner: string, reason: WaitReason): boolean {
    return this.#waiting.of(reason).has(owner);
  }

  /** For each reason the number of objects, and the start of the longest wait. */
  tally(): ReadonlyMap<WaitReason, WaitTally> {
    const tally = new Map<WaitReason, WaitTally>();
    for (const reason of WAIT_REASONS) {
      const owners = this.#waiting.of(reason);
      let since = Infinity;
      for (const owner of owners) since = Math.min(since, this.since(owner, reason) ?? Infinity);
      tally.set(reason, { objects: owners.size, since });
    }
    return tally;
  }

  /** Start of the wait in epoch milliseconds. */
  since(owner: string, reason: WaitReason): number | undefined {
    return this.of(owner).find((wait) => wait.for === reason)?.since;
  }

  /** Replaces the waits of the object. A wait that goes on keeps its start. */
  set(owner: string, waits: readonly WaitFor[], now: number): void {
    const before = this.of(owner);
    if (before.length === 0 && waits.length === 0) return;
    const next = waits.map((wait) => ({
      ...wait,
      since: before.find((one) => one.for === wait.for && one.of === wait.of)?.since ?? now,
    }));
    const keys = new Set(next.flatMap(keysOf));
    for (const key of before.flatMap(keysOf)) if (!keys.has(key)) this.#waiting.delete(key, owner);
    for (const key of keys) this.#waiting.add(key, owner);
    if (next.length === 0) this.#states.clear(owner, "waits");
    else this.#states.setPart(owner, "waits", next);
  }

  /** Adds waits to those that the object has. */
  add(owner: string, waits: readonly WaitFor[], now: number): void {
    const others = this.of(owner).filter((one) => !waits.some((wait) => wait.for === one.for && wait.of === one.of));
    this.set(owner, [...others, ...waits], now);
  }

  /** The objects that wait for this. `of`: only those that wait for this cluster, namespace or policy, or for any. */
  for(reason: WaitReason, of?: string): string[] {
    if (of === undefined) return [...this.#waiting.of(reason)];
    return [...new Set([...this.#waiting.of(keyOf(reason, of)), ...this.#waiting.of(keyOf(reason, ANY))])];
  }
}

const NONE: readonly Wait[] = [];
const ANY = "*";

/** A key for the reason alone, and a key for the reason and its object. */
function keysOf({ for: reason, of = ANY }: WaitFor): string[] {
  return [reason, keyOf(reason, of)];
}

function keyOf(reason: WaitReason, of: string): string {
  return `${reason} ${of}`;
}
