/**
 * A table of statuses on a terminal that follows changes.
 */
export { changesOf, type LiveContent } from "./block.ts";
export { LiveTable } from "./liveTable.ts";
export { rowsOf } from "./rows.ts";
export { Screen } from "./screen.ts";
export { HubView } from "./view.ts";
