/** Controllers for the upkeep of a cluster: namespaces, garbage, nodes, quota, protection. */
export { Cloud } from "./cloud.ts";
export { DisruptionController } from "./disruption.ts";
export { EventExpiry } from "./eventExpiry.ts";
export { GarbageCollector } from "./garbageCollector.ts";
export { NamespaceContents, NamespaceController } from "./namespaces.ts";
export { NodeLifecycle } from "./nodeLifecycle.ts";
export { VolumeProtection } from "./protection.ts";
export { ResourceQuotaController } from "./resourceQuota.ts";
