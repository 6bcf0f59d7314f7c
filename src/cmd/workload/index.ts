/**
 * The manager as a workload on the hub: its pod and its rights.
 *
 * Promises: the same as the chart's.
 */
export {
  type HubKindAccess,
  INSTALLED_LABELS,
  INSTALLED_SELECTOR,
  installedNamespace,
  isInstalled,
  MANAGER_ACCOUNT,
  type ManagerAccess,
  managerObjects,
} from "./managerAccess.ts";
export { MANAGER_DEPLOYMENT, MANAGER_SELECTOR, type ManagerWorkload, workloadObjects } from "./managerWorkload.ts";
