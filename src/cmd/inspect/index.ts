/**
 * The verbs `get`, `describe`, `why`, `tree`, `events`, `timeline` and `logs`: one object, one kind or one cluster, for a
 * person. Promises: nothing is written; what the rights do not show is named; a message is one line.
 */
export { describe } from "./describe.ts";
export { events } from "./events.ts";
export { get } from "./get.ts";
export { logs } from "./logs.ts";
export { timeline } from "./timeline.ts";
export { tree } from "./tree.ts";
export { why } from "./why.ts";
