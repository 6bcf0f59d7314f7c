import type { End, FieldsV1, KubeObject, MemberAddress, ObjectRef, ReplicaCounts } from "../apis/index.ts";
import type { Fields } from "./values.ts";

/** A field of a hub object with its value. */
export interface StandingField {
  /** Path elements as `fieldsV1` writes them. */
  elements: readonly string[];
  value: unknown;
}

/**
 * Health of one member object. `Progressing` may yet become Available; `Degraded` is available in part, or was; `Failed` stays so without a
 * change. `Unknown`: nothing that is there says it, so that the object never counts as healthy.
 */
export interface Health {
  state: "Progressing" | "Available" | "Degraded" | "Failed" | "Unknown";
  /** CamelCase code, absent when Available. */
  reason?: string;
  message?: string;
  /** Absent for kinds that have no replicas. */
  replicas?: ReplicaCounts;
  /**
   * Set where the object is not Available in full, and serves with as many replicas as it must have at any time, as in a rolling update:
   * `Now`; or `Before`, with what was asked for before the last change, or by what its controller said then.
   */
  serves?: "Now" | "Before";
}

/** An object that a hub object needs beside it on the member (a Secret that its pods mount, say). */
export interface Dependency {
  ref: ObjectRef;
  /** The pods start without the dependency. */
  optional: boolean;
  /**
   * The pods read its content, and are restarted when the content changes. False for objects that only the kubelet reads (imagePullSecrets), and
   * wherever the pods are not Meridian's to restart.
   */
  readByPods: boolean;
}

/** What Meridian knows about a kind of hub objects. Objects of a kind without a rule are propagated as they are. */
export interface HubKind {
  group: string;
  kind: string;
  /**
   * The objects for a member, in order of application, without Meridian's own marks. `replicaPath`: where an object that is sent as it is
   * keeps its replicas, where its kind alone does not say it.
   */
  render(object: KubeObject, replicaPath?: readonly string[]): KubeObject[];
  /** Fields of what is rendered that nobody has written, though a field manager of the hub object owns them; undefined where there are none. */
  unwritten?(object: KubeObject, replicaPath?: readonly string[]): FieldsV1 | undefined;
  /** Fields of the object that are not rendered, and that a copy keeps where they were sent before; undefined where there are none. */
  standing?(object: KubeObject, rendered: KubeObject): readonly StandingField[] | undefined;
  /** Why nothing can be made of that object on any member (a reason and a sentence); undefined when it is rendered. */
  refusal?(object: KubeObject): { reason: string; message: string } | undefined;
  /** Replicas that the object asks for; undefined when the kind has none. */
  replicas(object: KubeObject): number | undefined;
  dependencies(object: KubeObject): Dependency[];
  /** Label selector of the pods as text, for the scale subresource. */
  podSelector(object: KubeObject): string | undefined;
  /**
   * Whether the object becomes something of a kind that is watched on a member only when such an object is asked for there. What kinds these
   * are is kept in the object's status.
   */
  becomesMore?(object: KubeObject): boolean;
  /**
   * Whoever writes the object chooses kinds, names and namespaces of what it becomes: that is judged before it is sent, and applied and
   * removed in phases ({@link phaseOf}). What kinds these are stands in the object alone.
   */
  holdsManifests?: true;
}

/** Where a kind keeps its replicas, as names of fields from the object on: what its scale subresource says, or a policy. */
export interface ReplicaPaths {
  /** How many are asked for. */
  spec: readonly string[];
  /** How many there are. */
  status?: readonly string[];
}

/** What Meridian knows about a kind of member objects. */
export interface MemberKind {
  group: string;
  kind: string;
  /** A copy with that many replicas; undefined when the kind has none. */
  withReplicas?(object: KubeObject, replicas: number): KubeObject;
  /** Replicas that the object asks for, the server's default included; set together with {@link withReplicas}. */
  replicas?(object: KubeObject): number | undefined;
  /** Path from the object to the number that {@link replicas} reads. */
  replicaPath?: readonly string[];
  /** Path from the object to its pod template (["spec", "template"]), when it has one. */
  podTemplatePath?: readonly string[];
  health(object: KubeObject): Health;
  /** How an object has come to its end for good. Undefined for kinds whose objects have none. */
  end?(object: KubeObject): End | undefined;
  /** Where an object can be reached; undefined for kinds that nobody calls. */
  addresses?(object: KubeObject): MemberAddress[];
  /** The kind has no rule of its own: its health is read by convention. */
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

/** A field of a desired object that is no longer Meridian's. */
export interface LostField {
  /** `spec.template.spec.containers[name=web].image` */
  path: string;
  /** The field manager that owns the field now; when nobody does, the one that changed the object last. */
  takenBy?: string;
}

/** A lost field with its place in the object. */
export interface LostPlace extends LostField {
  /** Path elements as `fieldsV1` writes them; `?:` and an item of a list stands for an element that is not known. */
  elements: readonly string[];
  /** Another field manager owns the field now. */
  isHeld: boolean;
}

/** What one cluster's copy says in its status. */
export interface MemberStatus {
  cluster: string;
  /** Undefined where no status is known. */
  status: Fields | undefined;
  /** The copy is as it is wanted now, and its status speaks of it as it is. */
  isCurrent: boolean;
}
