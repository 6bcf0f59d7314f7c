/**
 * From the tables of the planner and the cache of the hub to the rows of queries.
 *
 * Promises: the words of rows are those of statuses; a burst of events costs one computation for each object; the planner
 * never waits for the rows.
 */
export { Feed, type FeedOptions } from "./feed.ts";
export { entriesOf } from "./objectFacts.ts";
