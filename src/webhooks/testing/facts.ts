import { DEFAULT_REPLICA_BOUNDS, type KubeObject } from "../../apis/index.ts";
import type { AdmissionFacts, AdmissionRequest, ApplicationFacts, Operation } from "../admission/types.ts";

const kind = (group: string, version: string, name: string, namespaced = true) => ({
  group,
  version,
  kind: name,
  namespaced,
});

/** A hub with nothing on it. */
export function factsOf(given: Partial<AdmissionFacts> = {}): AdmissionFacts {
  return {
    replicaBounds: DEFAULT_REPLICA_BOUNDS,
    servedKinds: [
      kind("", "v1", "ConfigMap"),
      kind("", "v1", "Namespace", false),
      kind("", "v1", "PersistentVolume", false),
      { ...kind("example.com", "v1", "Question"), verbs: ["create"] },
      { ...kind("example.com", "v1", "Answer"), verbs: ["create", "get", "list", "watch"] },
      kind("apps", "v1", "Deployment"),
      kind("paas.cmft.com", "v1", "DemoApplication"),
      kind("paas.cmft.com", "v1beta1", "DemoApplication"),
    ],
    placements: [],
    settingOf: () => ({}),
    clusters: [],
    applicationsWithNodePort: () => [],
    selectedBy: () => [],
    applicationsOn: () => [],
    protectedIn: () => [],
    endpoint: () => ({ kind: "Unknown" }),
    unpacked: new Map(),
    ...given,
  };
}

export function applicationFactsOf(name: string, given: Partial<ApplicationFacts> = {}): ApplicationFacts {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name, namespace: "default" },
    ports: [],
    clusters: [],
    summarised: [],
    ...given,
  };
}

const PLURALS: Readonly<Record<string, string>> = {
  ClusterOverridePolicy: "clusteroverridepolicies",
  OverridePolicy: "overridepolicies",
};

/** A request about an object; on DELETE the object is the old one. */
export function requestOf(operation: Operation, object: KubeObject, oldObject?: KubeObject): AdmissionRequest {
  const [group = "", version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion];
  const { namespace, name } = object.metadata;
  return {
    uid: "u",
    operation,
    kind: { group, version, kind: object.kind },
    resource: { group, version, resource: PLURALS[object.kind] ?? `${object.kind.toLowerCase()}s` },
    name,
    ...(namespace === undefined ? {} : { namespace }),
    object: operation === "DELETE" ? null : object,
    oldObject: operation === "DELETE" ? object : (oldObject ?? null),
  };
}
