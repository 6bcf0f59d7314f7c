import type { KubeObject, ObjectRef, ReplicaCounts } from "../apis/index.ts";

/** How well one member object does. `Progressing` may yet become Available; `Degraded` was or is partly there; `Failed` will not get there by itself. */
export interface Health {
  state: "Progressing" | "Available" | "Degraded" | "Failed";
  /** CamelCase code, absent when Available. */
  reason?: string;
  message?: string;
  /** Absent for kinds that have no replicas. */
  replicas?: ReplicaCounts;
}

/** An object that another one needs beside it on the member (a Secret it mounts, say). */
export interface Dependency {
  ref: ObjectRef;
  /** The pods start without it. */
  optional: boolean;
  /** The pods see what is in it, so that they must restart when it changes. False for what only the kubelet reads (imagePullSecrets). */
  readByPods: boolean;
}

/** What Meridian knows of a kind that lives on the hub. A kind without one is carried as it is. */
export interface HubKind {
  group: string;
  kind: string;
  /** The objects for a member, in order of application, without anything of Meridian's own bookkeeping. */
  render(object: KubeObject): KubeObject[];
  /** Replicas that the object asks for; undefined when the kind has none. */
  replicas(object: KubeObject): number | undefined;
  dependencies(object: KubeObject): Dependency[];
  /** Label selector of the pods as text, for the scale subresource. */
  podSelector(object: KubeObject): string | undefined;
}

/** What Meridian knows of a kind that lives on members. */
export interface MemberKind {
  group: string;
  kind: string;
  /** A copy with that many replicas; undefined when the kind has none. */
  withReplicas?(object: KubeObject, replicas: number): KubeObject;
  /** Replicas that the object asks for, the server's default included; there when {@link withReplicas} is. */
  replicas?(object: KubeObject): number | undefined;
  /** Path from the object to its pod template (["spec", "template"]), when it has one. */
  podTemplatePath?: readonly string[];
  health(object: KubeObject): Health;
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
  /** The field manager that has it now, or that changed the object last when nobody has it. */
  takenBy?: string;
}
