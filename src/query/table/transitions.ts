import type { ObjectIdentity, TransitionRow } from "../types.ts";
import type { Pair } from "./pairs.ts";
import { objectKey } from "./values.ts";

export interface TransitionFacts extends Omit<TransitionRow, "at"> {
  /** Epoch milliseconds. */
  at: number;
}

export interface Transition extends TransitionFacts {
  /** Absent: the transition of a cluster. */
  pair?: Pair;
}

export interface TransitionBounds {
  /** For each object. */
  ofObject: number;
  ofFleet: number;
  /** Objects whose transitions are kept; those with the oldest last transition go first. */
  objects: number;
}

const BOUNDS: TransitionBounds = { ofObject: 20, ofFleet: 10_000, objects: 20_000 };

/** The last transitions of each object, and of the fleet. */
export class Transitions {
  readonly #bounds: TransitionBounds;
  readonly #objects = new Map<string, Transition[]>();
  #fleet: Transition[] = [];

  constructor(bounds: TransitionBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  add(transition: Transition): void {
    const { ofObject, ofFleet, objects } = this.#bounds;
    this.#fleet.push(transition);
    if (this.#fleet.length >= 2 * ofFleet) this.#fleet = this.#fleet.slice(-ofFleet);
    if (transition.object === undefined) return;
    const key = objectKey(transition.object);
    const known = this.#objects.get(key) ?? [];
    known.push(transition);
    if (known.length > ofObject) known.shift();
    // The map is in the order of the last transition.
    this.#objects.delete(key);
    this.#objects.set(key, known);
    for (const oldest of this.#objects.keys()) {
      if (this.#objects.size <= objects) break;
      this.#objects.delete(oldest);
    }
  }

  /** Newest first. */
  of(object: ObjectIdentity): Transition[] {
    return newestFirst(this.#objects.get(objectKey(object)) ?? []);
  }

  /** Newest first. */
  fleet(): Transition[] {
    return newestFirst(this.#fleet.slice(-this.#bounds.ofFleet));
  }
}

/** Rows are computed some time after a change, so transitions arrive in another order than they happened in. */
function newestFirst(transitions: readonly Transition[]): Transition[] {
  return transitions.toReversed().sort((a, b) => b.at - a.at);
}
