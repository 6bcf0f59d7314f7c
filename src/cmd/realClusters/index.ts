/**
 * Real control planes on this machine: etcd, kube-apiserver and kube-controller-manager on loopback ports, with TLS and
 * RBAC, and a fake kubelet. `meridian quickstart --real` and the tests in test/envtest start them. Promises: no started
 * process outlives this process, even a killed one. No cluster is touched that it did not start.
 */
export * from "./api.ts";
export * from "./assets.ts";
export * from "./controlPlane.ts";
export * from "./etcd.ts";
export * from "./eventually.ts";
export * from "./goModules.ts";
export * from "./kubelet.ts";
export * from "./processes.ts";
