/**
 * Cells of the built-in kinds' Tables: the values of `kubectl get`, in the API server's words. The server publishes the
 * names of the columns; this folder computes the cells.
 */
import { type Cell, type Cells, commonCells } from "./cells.ts";
import * as core from "./core.ts";
import { metricsText } from "./metrics.ts";
import { podCells } from "./pods.ts";
import * as workloads from "./workloads.ts";

const CELLS: Readonly<Record<string, Cells>> = {
  "/configmaps": core.configMapCells,
  "/endpoints": core.endpointsCells,
  "/events": core.eventCells,
  "/namespaces": core.namespaceCells,
  "/nodes": core.nodeCells,
  "/persistentvolumeclaims": core.persistentVolumeClaimCells,
  "/persistentvolumes": core.persistentVolumeCells,
  "/pods": podCells,
  "/resourcequotas": core.resourceQuotaCells,
  "/secrets": core.secretCells,
  "/services": core.serviceCells,
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": core.webhookConfigurationCells,
  "admissionregistration.k8s.io/validatingwebhookconfigurations": core.webhookConfigurationCells,
  "apps/controllerrevisions": workloads.controllerRevisionCells,
  "apps/daemonsets": workloads.daemonSetCells,
  "apps/deployments": workloads.deploymentCells,
  "apps/replicasets": workloads.replicaSetCells,
  "apps/statefulsets": workloads.statefulSetCells,
  "autoscaling/horizontalpodautoscalers": { ...workloads.horizontalPodAutoscalerCells, Targets: metricsText },
  "batch/cronjobs": workloads.cronJobCells,
  "batch/jobs": workloads.jobCells,
  "coordination.k8s.io/leases": core.leaseCells,
  "discovery.k8s.io/endpointslices": core.endpointSliceCells,
  "events.k8s.io/events": core.eventCells,
  "networking.k8s.io/ingressclasses": core.ingressClassCells,
  "networking.k8s.io/ingresses": core.ingressCells,
  "networking.k8s.io/networkpolicies": core.networkPolicyCells,
  "policy/poddisruptionbudgets": workloads.podDisruptionBudgetCells,
  "rbac.authorization.k8s.io/clusterrolebindings": core.roleBindingCells,
  "rbac.authorization.k8s.io/rolebindings": core.roleBindingCells,
  "scheduling.k8s.io/priorityclasses": core.priorityClassCells,
  "storage.k8s.io/storageclasses": core.storageClassCells,
};

/**
 * The cell of a kind's column. Throws for a column that this folder does not know; the data file is then newer than the
 * code.
 */
export function cellOf(group: string, plural: string, column: string): Cell {
  const cell = CELLS[`${group}/${plural}`]?.[column] ?? commonCells[column];
  if (cell === undefined) throw new Error(`nothing says what stands in the column ${column} of ${plural}.${group}`);
  return cell;
}
