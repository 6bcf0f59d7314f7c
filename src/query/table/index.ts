/**
 * The rows of the fleet in memory, with an index, sums, a log of changes and the last transitions.
 *
 * Promises: a commit is seen whole or not at all; a snapshot never changes; all that is kept of the past is bounded.
 * A million placed objects fit into 2 GB. Nothing here knows who asks.
 */
export { type Cell, Cells, causeKey, type Indexed, oldestIn } from "./cells.ts";
export type { Logged } from "./changeLog.ts";
export { type Chunks, objectsFrom } from "./order.ts";
export type { Pair } from "./pairs.ts";
export { type Commit, Table } from "./table.ts";
export type { Transition, TransitionFacts } from "./transitions.ts";
export {
  type ClusterValue,
  objectKey,
  type ObjectFacts,
  type ObjectValue,
  type PlacedFacts,
  type PlacedValue,
} from "./values.ts";
