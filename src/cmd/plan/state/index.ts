/**
 * What a plan starts from: the state of a hub and its members, read with the person's rights, or taken from files.
 *
 * Promises: what may not be read is said to be unknown; nothing is written but with dryRun.
 */
export { asApplied } from "./applied.ts";
export { type FileObject, inPlaceOf, objectsOfFiles, stateOf } from "./files.ts";
export { HubReader } from "./hubReading.ts";
export { asksForRoom, assumeClusters, isPlaceable, isRenderedKind, PlannerHubState, put, roleOf } from "./hubState.ts";
export { Members } from "./members.ts";
