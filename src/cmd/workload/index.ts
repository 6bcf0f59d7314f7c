/** The manager as a workload on the hub. Promises: pod and rights equal those of the chart. */
export {
  type HubKindAccess,
  INSTALLED_LABELS,
  INSTALLED_SELECTOR,
  installedNamespace,
  isInstalled,
  MANAGER_ACCOUNT,
  type ManagerAccess,
  managerObjects,
  type PolicyRule,
} from "./managerAccess.ts";
export { MANAGER_DEPLOYMENT, MANAGER_SELECTOR, workloadObjects } from "./managerWorkload.ts";
