/**
 * The clusters of the quickstart: sandbox, real, or given. Started clusters are stopped, and created objects removed.
 */
export { applySample, recordName } from "./apply.ts";
export { FAULT_ANNOTATION } from "./faultPlan.ts";
export { FaultSwitch } from "./faultSwitch.ts";
export { type FleetCluster, type QuickstartFleet } from "./fleet.ts";
export { StateFolder } from "./folder.ts";
export {
  checkGivenClusters,
  isNothing,
  type Made,
  nothingMade,
  notInstalled,
  type Place,
  removeInstallation,
  removeMade,
} from "./givenClusters.ts";
export { startFleet } from "./startFleet.ts";
