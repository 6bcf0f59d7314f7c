/** Client of one API server. Answers are checked; the pages of a list show one consistent state, or the list fails. */
export { objectPath } from "./apiPaths.ts";
export { type CallRecord, type ClientOptions, createClient } from "./client.ts";
export { Discovery } from "./discovery.ts";
export { groupVersionsIn } from "./discoveryDocuments.ts";
export {
  type Bounds,
  bytesPerObject,
  DEFAULT_BOUNDS,
  isTooMuch,
  listAll,
  listPages,
  Measure,
  type Selection,
  selectors,
  tooMuch,
} from "./pages.ts";
export { Position } from "./position.ts";
export { checkedPrometheus, Prometheus } from "./prometheus.ts";
export {
  apiVersionOf,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  CONFIGMAPS,
  CONTROLLERREVISIONS,
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  EVENTS,
  builtInTypeOf,
  knownType,
  LEASES,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  NETWORKPOLICIES,
  NODES,
  OVERRIDEPOLICIES,
  PERSISTENTVOLUMECLAIMS,
  PLACEMENTS,
  PODDISRUPTIONBUDGETS,
  PODS,
  PRIORITYCLASSES,
  RESOURCEBINDINGS,
  ROLEBINDINGS,
  ROLES,
  SECRETS,
  SERVICEACCOUNTS,
  SERVICES,
  typeOf,
  VALIDATINGADMISSIONPOLICIES,
  VALIDATINGADMISSIONPOLICYBINDINGS,
} from "./resources.ts";
export { askHistory, earlier, ofAnotherHistory, ServerHistory } from "./serverHistory.ts";
export { endsInitialEvents, errorOf } from "./watchEvents.ts";
export { storable } from "./wire.ts";
