/**
 * Real control planes for tests: etcd, kube-apiserver and kube-controller-manager for a hub and any number of members, on loopback
 * ports, with TLS and RBAC; a fake kubelet that makes pods ready or not; kubectl, Meridian's command line and its manager as
 * processes. Promises that nothing which it started outlives the test process, even when that is killed. Never uses Meridian's
 * own client.
 */
export * from "./api.ts";
export * from "./assets.ts";
export * from "./commands.ts";
export * from "./controlPlane.ts";
export * from "./eventually.ts";
export * from "./faultProxy.ts";
export * from "./fleet.ts";
export * from "./kubelet.ts";
export * from "./manager.ts";
export * from "./requestCounters.ts";
