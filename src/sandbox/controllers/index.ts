/**
 * What makes a sandbox cluster feel alive: the controllers of kube-controller-manager that users see (Deployments, ReplicaSets,
 * StatefulSets, DaemonSets, Jobs, disruption budgets, resource quotas, taints of nodes, protection of volumes, garbage collection,
 * namespaces), a scheduler, the kubelets of a few nodes, and a cloud that has addresses and volumes. They work through the API server as any client would, and write the statuses,
 * conditions, annotations and Events that kube-controller-manager writes.
 *
 * Promises: everything is driven by events through one queue; an idle cluster has no timer and does no work; what was half done
 * when the sandbox stopped is taken up again. Never starts a process, and never reads an object in another way than through its
 * client.
 *
 * Known differences from a real cluster: the hash in the names of ReplicaSets and ControllerRevisions is another one, pods are not
 * preempted, probes never fail by themselves, nodes send no heartbeats, and Jobs know no podFailurePolicy, successPolicy and
 * backoffLimitPerIndex.
 */
export { type ControllerOptions, type Controllers, startControllers } from "./startControllers.ts";
