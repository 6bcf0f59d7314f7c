/**
 * The lane: comparing, writing, removing, and what a write came to.
 *
 * Promises: only a row removes, by UID; a failure of a cluster is a value, never an exception that stops others.
 */
export { Lane } from "./lane.ts";
export { stripMarks } from "./stripMarks.ts";
export { MemberWriter, type Written } from "./memberWriter.ts";
export { changeMetadata } from "./metadataPatch.ts";
export { allNotGranted, isAlwaysGranted, whyUnwatched } from "./notGranted.ts";
export { classify, CONTROLLER, notInVersion } from "./outcome.ts";
export { copyIn, readLive, rehearse, type Rehearsed, rehearseRemoval } from "./rehearsal.ts";
