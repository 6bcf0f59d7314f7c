import { builtinResources } from "./builtin.ts";
import { type KindDefinition, rulesFrom } from "./definition.ts";
import { horizontalPodAutoscaler } from "./kinds/autoscaling.ts";
import { configMap, secret } from "./kinds/configuration.ts";
import { event, eventOfEventsGroup } from "./kinds/events.ts";
import { cronJob, job } from "./kinds/jobs.ts";
import { endpoints, endpointSlice, limitRange, namespace, serviceAccount } from "./kinds/namespaces.ts";
import { ingress, ingressClass, networkPolicy } from "./kinds/networking.ts";
import { node } from "./kinds/nodes.ts";
import * as others from "./kinds/others.ts";
import { pod } from "./kinds/pods.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./kinds/rbac.ts";
import { resourceQuota } from "./kinds/resourceQuotas.ts";
import { service } from "./kinds/services.ts";
import { controllerRevision, daemonSet, deployment, replicaSet, statefulSet } from "./kinds/workloads.ts";
import type { KindRules } from "./rules.ts";

/** Definitions by group and plural. A missing kind follows the common rules. */
const DEFINITIONS: Readonly<Record<string, KindDefinition>> = {
  "/configmaps": configMap,
  "/endpoints": endpoints,
  "/events": event,
  "/limitranges": limitRange,
  "/namespaces": namespace,
  "/nodes": node,
  "/persistentvolumeclaims": others.persistentVolumeClaim,
  "/persistentvolumes": others.persistentVolume,
  "/pods": pod,
  "/resourcequotas": resourceQuota,
  "/secrets": secret,
  "/serviceaccounts": serviceAccount,
  "/services": service,
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": others.webhookConfiguration,
  "admissionregistration.k8s.io/validatingwebhookconfigurations": others.webhookConfiguration,
  "apiextensions.k8s.io/customresourcedefinitions": others.customResourceDefinition,
  "apps/controllerrevisions": controllerRevision,
  "apps/daemonsets": daemonSet,
  "apps/deployments": deployment,
  "apps/replicasets": replicaSet,
  "apps/statefulsets": statefulSet,
  "authentication.k8s.io/selfsubjectreviews": others.review,
  "authentication.k8s.io/tokenreviews": others.review,
  "authorization.k8s.io/localsubjectaccessreviews": others.review,
  "authorization.k8s.io/selfsubjectaccessreviews": others.review,
  "authorization.k8s.io/selfsubjectrulesreviews": others.review,
  "authorization.k8s.io/subjectaccessreviews": others.review,
  "autoscaling/horizontalpodautoscalers": horizontalPodAutoscaler,
  "batch/cronjobs": cronJob,
  "batch/jobs": job,
  "coordination.k8s.io/leases": others.lease,
  "discovery.k8s.io/endpointslices": endpointSlice,
  "events.k8s.io/events": eventOfEventsGroup,
  "networking.k8s.io/ingressclasses": ingressClass,
  "networking.k8s.io/ingresses": ingress,
  "networking.k8s.io/networkpolicies": networkPolicy,
  "policy/poddisruptionbudgets": others.podDisruptionBudget,
  "rbac.authorization.k8s.io/clusterrolebindings": clusterRoleBinding,
  "rbac.authorization.k8s.io/clusterroles": clusterRole,
  "rbac.authorization.k8s.io/rolebindings": roleBinding,
  "rbac.authorization.k8s.io/roles": role,
  "scheduling.k8s.io/priorityclasses": others.priorityClass,
  "storage.k8s.io/storageclasses": others.storageClass,
};

const made = new Map<string, KindRules>();

/** The rules of a built-in kind, the same object on each call. Throws for a resource that is not built-in. */
export function kindRules(group: string, plural: string): KindRules {
  const key = `${group}/${plural}`;
  let rules = made.get(key);
  if (rules === undefined) {
    const resource = builtinResources().find((one) => one.group === group && one.plural === plural);
    if (resource === undefined) {
      throw new Error(`${plural} of ${group === "" ? "the core group" : group} is not built in`);
    }
    made.set(key, (rules = rulesFrom(resource, DEFINITIONS[key] ?? {})));
  }
  return rules;
}
