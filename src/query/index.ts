/**
 * The aggregated status of the fleet, for people and programs that ask.
 *
 * Promises: an answer never waits for a member, and never tells that an object exists which its reader may not read.
 * Every row says when it was observed. Nothing here writes anything, and a reader never slows the planning.
 */
export * from "./types.ts";
export { Engine, shapeOf } from "./ask/index.ts";
export { Table } from "./table/index.ts";
export { Feed, type FeedOptions } from "./feed/index.ts";
export { type FullObject, FullObjects } from "./full/index.ts";
export { MemberReads } from "./members/index.ts";
export {
  followClientTrust,
  Leader,
  LEADER_ADDRESS,
  type LeaderTrust,
  QueryServer,
  QueryTls,
  type ReadableKind,
} from "./server/index.ts";
