/**
 * Clusters inside the process, for the quickstart and for tests: API servers on loopback ports, with TLS, tokens, RBAC
 * and controllers. Promises what a client sees of a real API server (the suite in test/conformance measures how well),
 * faults on demand, and that a stopped cluster leaves no timer, socket or lock behind. Never runs a container, never
 * listens beyond the loopback address, and shares nothing with Meridian's own runtime.
 */
export { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from "./cluster.ts";
export { Faults } from "./faults/index.ts";
export type { ControllerOptions } from "./controllers/index.ts";
export type { Incoming, Outgoing } from "./server/index.ts";
export type { SandboxClock } from "./types.ts";
