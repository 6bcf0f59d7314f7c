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

/** `request` of an AdmissionReview, as far as it is read. */
export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKindFields;
  resource: { group: string; version: string; resource: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  operation: Operation;
  /** Who asks, as the server has found out. */
  userInfo?: { username?: string };
  /** Null on DELETE. */
  object?: KubeObject | null;
  /** Null on CREATE. */
  oldObject?: KubeObject | null;
}

/** What a person reads in the answer. Problems refuse the request; warnings do not. */
export interface Judgement {
  problems: FieldProblem[];
  warnings: string[];
}

/** A kind that the hub serves, in one version. */
export interface ServedKind extends GroupVersionKindFields {
  namespaced: boolean;
  /** What can be done with its objects; undefined where the hub does not say. */
  verbs?: readonly string[];
}

/** An application, or another object that is placed, as far as others can get in its way. */
export type ApplicationFacts = Pick<KubeObject, "apiVersion" | "kind"> & {
  metadata: Pick<DemoApplication["metadata"], "name" | "namespace" | "uid" | "labels">;
  ports: readonly { nodePort: number; protocol: string }[];
  /** Clusters that its status names. */
  clusters: readonly string[];
  /** Regions of which its status gives only sums, because it runs on so many clusters. */
  summarised: readonly string[];
};

/** Where a MemberCluster's kubeconfig leads. */
export type Endpoint =
  | { kind: "Server"; server: string }
  /** The Secret is not there yet. */
  | { kind: "Missing"; secret: string }
  /** Nobody knows; the connection itself will say why. */
  | { kind: "Unknown" };

/** What a decision may know of the hub. Everything is read before; nothing here asks a server. */
export interface AdmissionFacts {
  /** Of the namespace of the request. */
  replicaBounds: ReplicaBounds;
  /** The annotation of the namespace does not say bounds: this is its text. */
  unreadableBounds?: string;
  /** What the namespace of the request allows its bundles; undefined where it is not known, or the request is about no bundle. */
  namespaceTerms?: NamespaceTerms;
  /** Undefined: the hub does not say now. */
  servedKinds: readonly ServedKind[] | undefined;
  placements: readonly Placement[];
  /** What policies select an object by, beside what it is itself. */
  settingOf(object: KubeObject): ObjectSetting;
  clusters: readonly ClusterSnapshot[];
  applicationsWithNodePort(nodePort: number): readonly ApplicationFacts[];
  /** One of the objects that the policy selects, if there is any. */
  selectedBy(policy: OverridePolicy): readonly KubeObject[];
  /** Applications on the cluster, also those that may run there by the sums of their status. */
  applicationsOn(cluster: string): readonly ApplicationFacts[];
  /** Of a namespace, with the label that protects from deletion. */
  protectedIn(namespace: string): readonly ApplicationFacts[];
  /** Of the MemberCluster of the request, and of the one that it was before. */
  endpoint(cluster: MemberCluster): Endpoint;
  /** What the compressed texts of the bundle of the request hold, and of the bundle that it was before. */
  unpacked: ReadonlyMap<unknown, Unpacked>;
}
