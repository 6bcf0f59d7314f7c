import type { End, FieldsV1, KubeObject, MemberAddress, ObjectRef, ReplicaCounts } from "../apis/index.ts";
import type { Fields } from "./values.ts";

/** A field of a hub object with its value. */
export interface StandingField {
  /** Path elements as in `fieldsV1`. */
  elements: readonly string[];
  value: unknown;
}

/**
 * Health of one member object. `Progressing` may yet become Available; `Degraded` is available in part, or was;
 * `Failed` stays so without a change. `Unknown`: no report tells, so the object never counts as healthy.
 */
export interface Health {
  state: "Progressing" | "Available" | "Degraded" | "Failed" | "Unknown";
  /** CamelCase code, absent when Available. */
  reason?: string;
  message?: string;
  /** Absent for kinds that have no replicas. */
  replicas?: ReplicaCounts;
  /**
   * Set if the object is not fully Available, but serves with as many replicas as it must have at any time, as in a
   * rolling update. `Now`: it serves the present request. `Before`: it serves the request before the last change, or
   * its controller's last report is from before that change.
   */
  serves?: "Now" | "Before";
}

/** Object that a hub object needs beside it on the member, such as a Secret that its pods mount. */
export interface Dependency {
  ref: ObjectRef;
  /** The pods start without the dependency. */
  optional: boolean;
  /**
   * The pods read the content of the dependency, and are restarted when the content changes. False for objects that
   * only the kubelet reads (imagePullSecrets), and if the pods are not Meridian's to restart.
   */
  readByPods: boolean;
}

/** Rule of a kind of hub objects. Objects of a kind without a rule are propagated unchanged. */
export interface HubKind {
  group: string;
  kind: string;
  /**
   * Objects for a member, in order of application, without Meridian's own marks. `replicaPath`: path of the replicas in
   * an object that is sent unchanged, if its kind alone does not tell the path.
   */
  render(object: KubeObject, replicaPath?: readonly string[]): KubeObject[];
  /** Rendered fields that nobody wrote, though a field manager of the hub object owns them; undefined if there are none. */
  unwritten?(object: KubeObject, replicaPath?: readonly string[]): FieldsV1 | undefined;
  /**
   * Fields of the object that are not rendered, and that a copy keeps if they were sent before; undefined if there are
   * none.
   */
  standing?(object: KubeObject, rendered: KubeObject): readonly StandingField[] | undefined;
  /** Why the object cannot be rendered for any member (a reason and a sentence); undefined if it can. */
  refusal?(object: KubeObject): { reason: string; message: string } | undefined;
  /** Requested replicas; undefined if the kind has none. */
  replicas(object: KubeObject): number | undefined;
  dependencies(object: KubeObject): Dependency[];
  /** Label selector of the pods as text, for the scale subresource. */
  podSelector(object: KubeObject): string | undefined;
  /**
   * The object renders to a kind that is watched on a member only when such an object is assigned there. The object's
   * status lists these kinds.
   */
  becomesMore?(object: KubeObject): boolean;
  /**
   * The author of the object chooses kinds, names and namespaces of the rendered objects. They are checked before they
   * are sent, and are applied and removed in phases ({@link phaseOf}). Only the object itself tells their kinds.
   */
  holdsManifests?: true;
}

/** Paths of a kind's replicas, as field names from the object on, from its scale subresource or from a policy. */
export interface ReplicaPaths {
  /** Path of the requested replicas. */
  spec: readonly string[];
  /** Path of the present replicas. */
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
  /** Path from the object to the number that {@link replicas} reads. */
  replicaPath?: readonly string[];
  /** Path from the object to its pod template (["spec", "template"]), when it has one. */
  podTemplatePath?: readonly string[];
  health(object: KubeObject): Health;
  /** Final outcome of an object; absent for kinds whose objects have no end. */
  end?(object: KubeObject): End | undefined;
  /** Addresses of an object; absent for kinds that nobody calls. */
  addresses?(object: KubeObject): MemberAddress[];
  /** The kind has no rule of its own: conventions decide its health. */
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

/** A lost field with its place in the object. */
export interface LostPlace extends LostField {
  /** Path elements as in `fieldsV1`; `?:` and an item of a list stands for an unknown element. */
  elements: readonly string[];
  /** Another field manager owns the field now. */
  isHeld: boolean;
}

/** Status of one cluster's copy. */
export interface MemberStatus {
  cluster: string;
  /** Undefined if no status is known. */
  status: Fields | undefined;
  /** The copy is up to date, and its status describes its present state. */
  isCurrent: boolean;
}
