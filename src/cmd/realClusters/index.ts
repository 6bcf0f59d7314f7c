/**
 * Real control planes on this machine: etcd, kube-apiserver and kube-controller-manager on loopback ports, with TLS and RBAC, and a stand-in for
 * kubelets that makes pods ready or not. The programs come from the folder that KUBEBUILDER_ASSETS names, or are built once with Go.
 *
 * Promises that nothing which it started outlives this process, even when that is killed. Never uses Meridian's own client, so that the
 * tests which stand on it share no mistake with what they test. Never touches a cluster that it did not start.
 */
export * from "./api.ts";
export * from "./assets.ts";
export * from "./controlPlane.ts";
export * from "./etcd.ts";
export * from "./eventually.ts";
export * from "./goModules.ts";
export * from "./kubelet.ts";
export * from "./processes.ts";
