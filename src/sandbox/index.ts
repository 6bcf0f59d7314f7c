/**
 * Clusters inside the process: API servers on loopback ports, with TLS, tokens, RBAC and the controllers that make them feel alive, for
 * the quickstart and for tests. It promises what a client sees of a real API server (the suite in test/conformance says how well), faults
 * on demand, and that a stopped cluster leaves no timer, no socket and no lock behind. It never runs a container, never listens
 * beyond the loopback address, and shares nothing with Meridian's own runtime.
 */
export { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from "./cluster.ts";
export { Faults } from "./faults/index.ts";
export { FolderInUse } from "./store/index.ts";
export type { ControllerOptions } from "./controllers/index.ts";
export type { Incoming, Outgoing } from "./server/index.ts";
export type { SandboxClock } from "./types.ts";
