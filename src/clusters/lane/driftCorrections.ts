import { fieldOfPlace } from "../../interpreter/index.ts";
import type { Clock } from "../../runtime/index.ts";
import type { MemberObjects } from "../model/index.ts";
import { DriftBackoff } from "../pacing/index.ts";
import { type Attempt, contested } from "./attempt.ts";

/** Drift corrections of one member: less and less often for the same object, and reported with the member object. */
export class DriftCorrections {
  readonly backoff: DriftBackoff;
  readonly #clock: Clock;
  readonly #objects: MemberObjects;
  readonly #enqueue: (key: string) => void;

  /** `enqueue`: called when the next correction of the object is allowed. */
  constructor(clock: Clock, objects: MemberObjects, enqueue: (key: string) => void) {
    this.backoff = new DriftBackoff(clock);
    this.#clock = clock;
    this.#objects = objects;
    this.#enqueue = enqueue;
  }

  /** The attempt has corrected drift. */
  corrected({ object, action }: Pick<Attempt, "object" | "action">): void {
    const { key } = object;
    this.backoff.healed(key, () => this.#pauseIsOver(key));
    if (action.kind === "Delete") return;
    const lost = action.kind === "Update" ? action.drift : [];
    const isContested = this.backoff.isContested(key);
    this.#objects.heal(object, {
      at: this.#clock.now(),
      lost: lost.map(fieldOfPlace),
      gone: action.kind === "Create",
      contested: isContested,
    });
    if (isContested) this.#objects.contest(object, contested(action));
  }

  /** The correction has lasted, or the next one is allowed. */
  #pauseIsOver(key: string): void {
    const object = this.#objects.get(key);
    if (object !== undefined) this.#objects.contest(object, undefined);
    this.#enqueue(key);
  }
}
