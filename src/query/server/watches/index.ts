/**
 * Watches over HTTP: one for a request, or several in one stream of server-sent events.
 *
 * Promises: the rights of the reader are reviewed again while a watch runs; a reader who does not read is told 410, and
 * nothing is kept for him without bounds; an end that is no order of the reader is an event that says why.
 */
export { ManyWatches, type NamedWatch } from "./manyWatches.ts";
export { writeTo } from "./paced.ts";
export { Stream } from "./stream.ts";
