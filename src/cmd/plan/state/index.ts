/**
 * The starting point of a plan, read with the person's rights or taken from files. Promises: facts that the person may
 * not read are reported as unknown. Every write is a dryRun.
 */
export { asApplied } from "./applied.ts";
export {
  type FileObject,
  givenObjects,
  type GivenObject,
  inPlaceOf,
  objectsOfFiles,
  readGiven,
  stateOf,
} from "./files.ts";
export { HubStateReader } from "./hubReading.ts";
export {
  asksForHeadroom,
  assumeClusters,
  isPlaceable,
  isRenderedKind,
  PlannerHubState,
  put,
  roleOf,
} from "./hubState.ts";
export { Members } from "./members.ts";
