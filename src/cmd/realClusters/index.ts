/**
 * Real control planes on this machine: etcd, kube-apiserver and kube-controller-manager on loopback ports, with TLS and
 * RBAC, and a fake kubelet that makes pods ready or not. The programs come from the folder of KUBEBUILDER_ASSETS, or
 * are built once with Go. `meridian quickstart --real` and the tests in test/envtest start these control
 * planes.
 *
 * Promises: no started process outlives this process, even if this process is killed. Never uses Meridian's own client,
 * so that tests on these clusters do not share a mistake with the tested code. Never touches a cluster that it did not
 * start.
 */
export * from "./api.ts";
export * from "./assets.ts";
export * from "./controlPlane.ts";
export * from "./etcd.ts";
export * from "./eventually.ts";
export * from "./goModules.ts";
export * from "./kubelet.ts";
export * from "./processes.ts";
