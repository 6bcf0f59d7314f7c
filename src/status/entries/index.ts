/** Builds the status entry of each cluster. A cluster that did not report is Unknown; last numbers keep their time. */
export { refusedPatches } from "./blame.ts";
export { endedNotes, type EndedTrouble, EndedTroubles, type ListedTrouble } from "./endedTroubles.ts";
export { finishedBy } from "./finished.ts";
export { finalizerHolds, heldMessage, isUnrefused } from "./heldRemoval.ts";
export { type ClusterReport, reportOf } from "./report.ts";
export { addCounts, NONE } from "./rows.ts";
export { runningFacts, runningText, runningThereText, runningTogether } from "./running.ts";
export { isTroubled } from "./trouble.ts";
