/**
 * A table of statuses on a terminal that follows changes.
 */
export { LiveTable } from "./liveTable.ts";
export { Screen } from "./screen.ts";
export { HubView } from "./view.ts";
