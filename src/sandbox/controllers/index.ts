/**
 * The controllers of a sandbox cluster: the controllers of kube-controller-manager that users see (Deployments,
 * ReplicaSets, StatefulSets, DaemonSets, Jobs, disruption budgets, resource quotas, node taints, volume protection,
 * garbage collection, namespaces), a scheduler, the kubelets of a few nodes, and a cloud with addresses and volumes.
 * They use the API server like any client, and write the statuses, conditions, annotations and Events of
 * kube-controller-manager.
 *
 * Promises: events drive all work through one workqueue; an idle cluster has no timer and does no work; work
 * interrupted by a stop of the sandbox continues after the restart. Never starts a process, and reads objects only
 * through its client.
 *
 * Known differences from a real cluster: ReplicaSets and ControllerRevisions have other hashes in their names, pods are
 * not preempted, probes never fail by themselves, nodes send no heartbeats, and Jobs do not support podFailurePolicy,
 * successPolicy and backoffLimitPerIndex.
 */
export { type ControllerOptions, type Controllers, startControllers } from "./startControllers.ts";
