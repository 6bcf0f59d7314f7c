import type { KubeObject } from "../../apis/index.ts";
import type { ReflectorOptions } from "./reflectorTypes.ts";
import type { Indexers } from "./store.ts";

export interface InformerOptions<T> extends ReflectorOptions {
  /** Of logs. */
  name: string;
  /** What is kept of an object: without what nobody reads. Must be pure; its result is frozen. The raw object is not kept. */
  transform: (object: KubeObject) => T;
  /** What {@link transform} has to find done because it takes long: asked for each object until the answer is undefined, and waited for. */
  prepare?: (object: KubeObject) => Promise<void> | undefined;
  indexers?: Indexers<T>;
  /** The server has gone back to an earlier state than it showed before; called before the events that follow from it. */
  onWentBack?: () => void;
  /** What was known of the selection before this informer, by key; with the first snapshot it is changed or gone as with any later one. */
  known?: Iterable<readonly [key: string, { uid: string; object: T }]>;
}

export interface InformerEvent<T> {
  type: "Added" | "Updated" | "Deleted";
  /** `namespace/name`, or `name`. */
  key: string;
  /** Its last known state, when Deleted. */
  object: T;
  /** Before the update. */
  old?: T;
  /** It was there when the informer started, or when the handler subscribed. */
  initial: boolean;
}

export interface DeletionsHeld {
  held: boolean;
  /** How many objects a relist did not show any more. */
  vanished: number;
  /** How many were known. */
  known: number;
}

/** A relist must make so many objects vanish, and more than half of those known, before their deletion is held. */
const HOLD_FROM = 10;
/** Whether so much is gone at once that one read alone is not to be believed. */
export function isMassVanishing(vanished: number, known: number): boolean {
  return vanished >= HOLD_FROM && vanished * 2 > known;
}
