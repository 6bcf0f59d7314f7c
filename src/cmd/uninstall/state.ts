import { CLUSTER_FINALIZER, holdersOf, OBJECT_FINALIZER } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import { type HelmRelease } from "../shared/index.ts";

/**
 * All facts that uninstall decides on: the objects on the hub, and the person's options. No state is kept between two
 * snapshots.
 */

/** One object of the hub, with its UID. */
export interface Item {
  type: ResourceType;
  namespace?: string;
  name: string;
  uid: string;
  deleting: boolean;
  finalizers: readonly string[];
  /** A label protects the object from deletion. */
  guarded: boolean;
}

/** A copy that stays on its cluster, according to the status of its object. */
export interface HeldCopy {
  cluster: string;
  reason: string;
  message?: string | undefined;
}

export interface Application extends Item {
  /** Clusters in the object's status. */
  clusters: readonly string[];
  /** True if the object's policy has `deletionPolicy: Orphan`: its member objects stay when the object is deleted. */
  keepsCopies: boolean;
  held?: readonly HeldCopy[];
  /**
   * True if the object owns objects on the hub, because the hub is a member itself. The garbage collector would delete
   * these objects too.
   */
  owner: boolean;
}

export interface Member extends Item {
  deletionPolicy?: "Drain" | "Orphan";
  /** Why the manager does not reach or cannot use the cluster; undefined if it can. */
  notReady?: string;
}

/** The binding of a propagated object. */
export interface Binding extends Item {
  /** `configmap shop/settings` */
  resource: string;
  /** Clusters in the binding. */
  clusters: readonly string[];
  /** As in {@link Application}. */
  keepsCopies: boolean;
  held?: readonly HeldCopy[];
}

export interface Observed {
  applications: readonly Application[];
  policies: readonly Item[];
  members: readonly Member[];
  bindings: readonly Binding[];
  /** Objects of the bindings that a finalizer of Meridian holds. The objects themselves stay. */
  bound: readonly Item[];
  /** Objects that Meridian put on the hub itself and that still have its marks. */
  marked: readonly Item[];
  /** Secrets of the hub with the credentials that join made. */
  joined: readonly Item[];
  /**
   * Secrets of members on which this run has found leftovers of join. They stay, so that the next run knows of the
   * leftovers.
   */
  unclean: readonly Item[];
  /** Webhook configurations that a manager made. */
  admission: readonly Item[];
  /** True if the hub calls a webhook to convert objects of Meridian's kinds. */
  converts: boolean;
  /** Kinds whose objects may be stored in another version than the present one. */
  storedElsewhere: readonly string[];
  /**
   * CRDs that are being deleted, and objects that were deleted with an earlier CRD. Nobody has agreed yet that the
   * copies are deleted too.
   */
  crdsBeingDeleted: readonly Item[];
  /** CRDs that install made. */
  crds: readonly Item[];
  /** The managers that install runs, and their related objects. */
  workload: readonly Item[];
  /** Roles and bindings. */
  access: readonly Item[];
  /** Objects that managers write for themselves: the Lease, the webhooks' certificates. */
  state: readonly Item[];
  accounts: readonly Item[];
  /** Namespaces that install made and that hold only Meridian's objects. */
  namespaces: readonly Item[];
  /** Namespaces that install made and that hold objects of somebody else. */
  occupied: readonly Item[];
  /** Helm releases of Meridian that are installed. */
  releases: readonly HelmRelease[];
  /** True if a manager holds its Lease. */
  managerAlive: boolean;
}

/** Groups of objects that are deleted together. */
export type Stage =
  | "applications"
  | "policies"
  | "members"
  | "bound"
  | "bindings"
  | "workload"
  | "crds"
  | "access"
  | "state"
  | "accounts"
  | "namespaces";

export interface UninstallChoice {
  /** Treatment of the existing objects. */
  objects: "Refuse" | "Drain" | "Orphan";
  keepCrds: boolean;
}

/** Finalizer that the API server sets to keep dependents; the garbage collector removes it. */
const KEEPS_DEPENDENTS = "orphan";

/** Objects of Meridian's own kinds, whoever created them. */
export function objectsOf({ applications, policies, members, bindings }: Observed): Item[] {
  return [...applications, ...policies, ...members, ...bindings];
}

/** True if the application may have member objects, which only a manager deletes. */
export function hasCopies(application: Application): boolean {
  return application.finalizers.some((one) => isOwnFinalizer("applications", one)) || application.clusters.length > 0;
}

/** State of the request to the hub's garbage collector to keep the objects that the application owns on the hub. */
export function keepsDependents({ owner, finalizers }: Application): "ToBeAsked" | "Asked" | "Done" {
  if (finalizers.includes(KEEPS_DEPENDENTS)) return "Asked";
  return owner ? "ToBeAsked" : "Done";
}

const BASES: Partial<Record<Stage, string>> = {
  applications: OBJECT_FINALIZER,
  bound: OBJECT_FINALIZER,
  bindings: OBJECT_FINALIZER,
  members: CLUSTER_FINALIZER,
};

/** True for a finalizer of Meridian, of any class, on objects of this stage. */
export function isOwnFinalizer(stage: Stage, finalizer: string): boolean {
  const base = BASES[stage];
  return base !== undefined && holdersOf(base, { finalizers: [finalizer] }).length > 0;
}
