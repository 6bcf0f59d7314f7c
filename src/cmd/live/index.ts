/**
 * A table of statuses that follows what happens, on a terminal.
 */
export { LiveTable } from "./liveTable.ts";
export { Screen } from "./screen.ts";
export { HubView } from "./view.ts";
