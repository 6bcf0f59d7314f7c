/**
 * Statuses as the command line reads and shows them. Promises: kinds that the person may not read are reported as
 * hidden, never as absent.
 */
export { namesOf, sinceText } from "./causeText.ts";
export { identityOf, isSameObject, selectingObject, waitsOfObject } from "./completed.ts";
export { completedBy, openQueryApi, partialNotes, type RowReading, rowSource } from "./rowSource.ts";
export { type CauseReport, causesOf } from "./statusCauses.ts";
export {
  CORE_EVENTS,
  ENDED_EVENTS,
  EVENT_REPORTER,
  endedIn,
  endedOf,
  endedPlaces,
  type EndedReport,
  ofNamespace,
  readEnded,
} from "./statusEnded.ts";
export { hiddenNote, readManager, readOthers, type Shown } from "./statusReading.ts";
export { ago, causeTable, endedTable, formatRows, entryTone, formatStatus } from "./statusTable.ts";
export {
  buildReport,
  type ClusterReport,
  fullNameOf,
  isHealthy,
  nameOnCommandLine,
  type ObjectReport,
  type StatusReport,
} from "./statusView.ts";
