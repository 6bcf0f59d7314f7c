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

/** `request` of an AdmissionReview: the fields that Meridian reads. */
export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKindFields;
  resource: { group: string; version: string; resource: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  operation: Operation;
  /** The user who makes the request, as the server authenticated them. */
  userInfo?: { username?: string };
  /** Null on DELETE. */
  object?: KubeObject | null;
  /** Null on CREATE. */
  oldObject?: KubeObject | null;
}

/** Result of a decision, for a person to read. Problems refuse the request; warnings do not. */
export interface Judgement {
  problems: FieldProblem[];
  warnings: string[];
}

/** A kind that the hub serves, in one version. */
export interface ServedKind extends GroupVersionKindFields {
  namespaced: boolean;
  /** Verbs of the kind; undefined where the hub does not tell them. */
  verbs?: readonly string[];
}

/** Facts about an application or another placed object that can conflict with other requests. */
export type ApplicationFacts = Pick<KubeObject, "apiVersion" | "kind"> & {
  metadata: Pick<DemoApplication["metadata"], "name" | "namespace" | "uid" | "labels">;
  ports: readonly { nodePort: number; protocol: string }[];
  /** Clusters that its status names. */
  clusters: readonly string[];
  /** Regions for which its status has only sums, because the object runs on so many clusters. */
  summarised: readonly string[];
};

/** Address in a MemberCluster's kubeconfig. */
export type Endpoint =
  | { kind: "Server"; server: string }
  /** The Secret does not exist yet. */
  | { kind: "Missing"; secret: string }
  /** The address is not known; the later connection reports why. */
  | { kind: "Unknown" };

/** Facts about the hub for a decision. They are read before, so that the decision calls no server. */
export interface AdmissionFacts {
  /** Bounds of the request's namespace. */
  replicaBounds: ReplicaBounds;
  /** Text of the namespace's annotation, if it holds no valid bounds. */
  unreadableBounds?: string;
  /**
   * Grants of the request's namespace to its bundles; undefined where they are not known, or the request is about no
   * bundle.
   */
  namespaceTerms?: NamespaceTerms;
  /** Undefined when the hub does not tell which kinds it serves. */
  servedKinds: readonly ServedKind[] | undefined;
  placements: readonly Placement[];
  /** Facts that policies select an object by, beside the object itself. */
  settingOf(object: KubeObject): ObjectSetting;
  clusters: readonly ClusterSnapshot[];
  applicationsWithNodePort(nodePort: number): readonly ApplicationFacts[];
  /** One of the objects that the policy selects, or none. */
  selectedBy(policy: OverridePolicy): readonly KubeObject[];
  /** Applications on the cluster, with those that may run there by the regional sums of their status. */
  applicationsOn(cluster: string): readonly ApplicationFacts[];
  /** Objects of a namespace with the label that protects from deletion. */
  protectedIn(namespace: string): readonly ApplicationFacts[];
  /** Address of the request's MemberCluster, or of its former version. */
  endpoint(cluster: MemberCluster): Endpoint;
  /** Unpacked contents of the compressed texts in the request's bundle and in its former version. */
  unpacked: ReadonlyMap<unknown, Unpacked>;
}
