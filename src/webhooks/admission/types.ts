import type {
  DemoApplication,
  FieldProblem,
  KubeObject,
  MemberCluster,
  ObjectSetting,
  OverridePolicy,
  Placement,
  ReplicaBounds,
} from "../../apis/index.ts";
import type { NamespaceTerms } from "../../desiredstate/index.ts";
import type { Unpacked } from "../../hub/index.ts";
import type { ClusterSnapshot } from "../../scheduler/index.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

interface GroupVersionKindFields {
  group: string;
  version: string;
  kind: string;
}

/** The fields of `request` of an AdmissionReview that Meridian reads. */
export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKindFields;
  resource: { group: string; version: string; resource: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  operation: Operation;
  /** As the server authenticated them. */
  userInfo?: { username?: string };
  /** Null on DELETE. */
  object?: KubeObject | null;
  /** Null on CREATE. */
  oldObject?: KubeObject | null;
}

/** Problems refuse the request; warnings do not. */
export interface Judgement {
  problems: FieldProblem[];
  warnings: string[];
}

export interface ServedKind extends GroupVersionKindFields {
  namespaced: boolean;
  /** Undefined where the hub does not tell them. */
  verbs?: readonly string[];
}

/** Facts about a placed object that can conflict with other requests. */
export type ApplicationFacts = Pick<KubeObject, "apiVersion" | "kind"> & {
  metadata: Pick<DemoApplication["metadata"], "name" | "namespace" | "uid" | "labels">;
  ports: readonly { nodePort: number; protocol: string }[];
  /** Clusters that its status names. */
  clusters: readonly string[];
  /** Regions for which its status has only sums, because the object runs on so many clusters. */
  summarised: readonly string[];
};

/**
 * Address in a MemberCluster's kubeconfig. `Missing`: there is no Secret yet. The later connection tells of `Unknown`.
 */
export type Endpoint = { kind: "Server"; server: string } | { kind: "Missing"; secret: string } | { kind: "Unknown" };

/** Facts about the hub for a decision. They are read before, so that the decision calls no server. */
export interface AdmissionFacts {
  replicaBounds: ReplicaBounds;
  /** Text of the namespace's annotation, if it holds no valid bounds. */
  unreadableBounds?: string;
  /** Grants of the namespace to its bundles, where they are known and the request is about a bundle. */
  namespaceTerms?: NamespaceTerms;
  /** Undefined when the hub does not tell which kinds it serves. */
  servedKinds: readonly ServedKind[] | undefined;
  placements: readonly Placement[];
  settingOf(object: KubeObject): ObjectSetting;
  clusters: readonly ClusterSnapshot[];
  applicationsWithNodePort(nodePort: number): readonly ApplicationFacts[];
  /** One of the objects that the policy selects, or none. */
  selectedBy(policy: OverridePolicy): readonly KubeObject[];
  /** With those that may run there by the regional sums of their status. */
  applicationsOn(cluster: string): readonly ApplicationFacts[];
  /** Objects of a namespace with the label that protects from deletion. */
  protectedIn(namespace: string): readonly ApplicationFacts[];
  endpoint(cluster: MemberCluster): Endpoint;
  /** Contents by the compressed texts of the bundle, now and before. */
  unpacked: ReadonlyMap<unknown, Unpacked>;
}
