import type { End, FieldsV1, KubeObject, MemberAddress, ObjectRef, ReplicaCounts } from "../apis/index.ts";
import type { Fields } from "./values.ts";

export interface HubOwnedField {
  /** Path elements as in `fieldsV1`. */
  elements: readonly string[];
  value: unknown;
}

/**
 * `Degraded`: available in part, or it was; `Failed` stays so without a change; `Unknown`: no report tells, so the
 * object never counts as healthy.
 */
export interface Health {
  state: "Progressing" | "Available" | "Degraded" | "Failed" | "Unknown";
  /** CamelCase code, absent when Available. */
  reason?: string;
  message?: string;
  /** Absent for kinds that have no replicas. */
  replicas?: ReplicaCounts;
  /**
   * Set if the object is not fully Available, but serves as many replicas as it must have at any time: by the present
   * request (`Now`), or by the one before, also if its controller has reported only on that one (`Before`).
   */
  serves?: "Now" | "Before";
}

/** Object that a hub object needs beside it on the member, such as a Secret that its pods mount. */
export interface Dependency {
  ref: ObjectRef;
  /** The pods start without the dependency. */
  optional: boolean;
  /**
   * The pods read the content, and are restarted when it changes. False if only the kubelet reads it, or if the pods
   * are not Meridian's.
   */
  readByPods: boolean;
}

/** Rule of a kind of hub objects. Objects of a kind without a rule are propagated unchanged. */
export interface HubKind {
  group: string;
  kind: string;
  /**
   * Objects for a member, in order of application, without Meridian's marks. `replicaPath`: of an object that is sent
   * unchanged, if its kind does not tell the path.
   */
  render(object: KubeObject, replicaPath?: readonly string[]): KubeObject[];
  /** Rendered fields that nobody wrote, though a field manager of the hub object owns them. */
  unwritten?(object: KubeObject, replicaPath?: readonly string[]): FieldsV1 | undefined;
  /** Fields that are not rendered, and that a copy keeps if they were sent before. */
  hubOwned?(object: KubeObject, rendered: KubeObject): readonly HubOwnedField[] | undefined;
  /** Why the object cannot be rendered for any member. */
  refusal?(object: KubeObject): { reason: string; message: string } | undefined;
  /** Requested replicas; undefined if the kind has none. */
  replicas(object: KubeObject): number | undefined;
  dependencies(object: KubeObject): Dependency[];
  /** Label selector of the pods as text, for the scale subresource. */
  podSelector(object: KubeObject): string | undefined;
  /**
   * The object renders to a kind that a member watches only when such an object is assigned there. Its status lists
   * these kinds.
   */
  becomesMore?(object: KubeObject): boolean;
  /**
   * The author chooses kinds, names and namespaces of the rendered objects, which are checked, and applied and removed
   * in phases ({@link phaseOf}).
   */
  holdsManifests?: true;
}

/** Paths of a kind's replicas from its scale subresource or a policy, as field names from the object on. */
export interface ReplicaPaths {
  spec: readonly string[];
  /** Present replicas. */
  status?: readonly string[];
}

/** Rule of a kind of member objects. */
export interface MemberKind {
  group: string;
  kind: string;
  /** Copy with this number of replicas; absent if the kind has none. */
  withReplicas?(object: KubeObject, replicas: number): KubeObject;
  /** Requested replicas, the server's default included; set together with {@link withReplicas}. */
  replicas?(object: KubeObject): number | undefined;
  replicaPath?: readonly string[];
  podTemplatePath?: readonly string[];
  health(object: KubeObject): Health;
  end?(object: KubeObject): End | undefined;
  addresses?(object: KubeObject): MemberAddress[];
  /** Conventions decide its health. */
  isGeneric?: true;
}

/** A kind by the names under which API servers serve it. */
export interface ServedKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

/** Field of a desired object that Meridian no longer owns. */
export interface LostField {
  /** `spec.template.spec.containers[name=web].image` */
  path: string;
  /** Field manager that owns the field now; if nobody does, the field manager that changed the object last. */
  takenBy?: string;
}

export interface LostPlace extends LostField {
  /** Path elements as in `fieldsV1`; `?:` and an item of a list stands for an unknown element. */
  elements: readonly string[];
  /** Another field manager owns the field now. */
  isHeld: boolean;
}

export interface MemberStatus {
  cluster: string;
  status: Fields | undefined;
  /** The copy is up to date, and its status describes its present state. */
  isCurrent: boolean;
}
