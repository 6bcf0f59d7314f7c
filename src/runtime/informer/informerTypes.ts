import type { KubeObject } from "../../apis/index.ts";
import type { ReflectorOptions } from "./reflectorTypes.ts";
import type { Indexers } from "./store.ts";

export interface InformerOptions<T> extends ReflectorOptions {
  /** Name in logs. */
  name: string;
  /** Returns the part of an object to keep. Must be pure; the result is frozen. */
  transform: (object: KubeObject) => T;
  /** Slow preparation for {@link transform}. Called for each object, and awaited, until the result is undefined. */
  prepare?: (object: KubeObject) => Promise<void> | undefined;
  indexers?: Indexers<T>;
  /** Called when the server has gone back to an earlier state, before the events that follow from this. */
  onWentBack?: () => void;
  /** Objects that were known before this informer. The first snapshot changes or deletes them like any later one. */
  known?: Iterable<readonly [key: string, { uid: string; object: T }]>;
}

export interface InformerEvent<T> {
  type: "Added" | "Updated" | "Deleted";
  /** `namespace/name`, or `name`. */
  key: string;
  /** For `Deleted`: the last known state. */
  object: T;
  /** State before the update. */
  old?: T;
  /** True if the object existed when the informer started, or when the handler subscribed. */
  initial: boolean;
}

export interface DeletionsHeld {
  held: boolean;
  /** Number of objects that a relist did not show any more. */
  vanished: number;
  /** Number of objects that were known before. */
  known: number;
}

/** True if so many objects vanished at once that a single read is not trusted: ten, and more than half. */
export function isMassVanishing(vanished: number, known: number): boolean {
  return vanished >= 10 && vanished * 2 > known;
}
