/**
 * The lane of a member: compares, writes and removes member objects, and classifies the outcome of each write. Only a
 * row removes an object, by UID. A failure is a value, never an exception that stops other clusters.
 */
export { Lane } from "./lane.ts";
export type { LaneMember } from "./laneMember.ts";
export { stripMarks } from "./stripMarks.ts";
export { MemberWriter, type Written } from "./memberWriter.ts";
export { NamespaceWriter } from "./namespaceWriter.ts";
export { allNotGranted, isAlwaysGranted, whyUnwatched } from "./notGranted.ts";
export { CONTROLLER, notInVersion } from "./outcome.ts";
export { readLive, rehearse, type Rehearsed, rehearseRemoval } from "./rehearsal.ts";
