import { CLUSTER_FINALIZER, holdersOf, OBJECT_FINALIZER } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import { type HelmRelease } from "../shared/index.ts";

/** All that uninstall decides on: the objects on the hub, and the options of the person. Nothing is kept between two snapshots. */

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

/** A copy that stays on its cluster, by the status of its object. */
export interface HeldCopy {
  cluster: string;
  reason: string;
  message?: string | undefined;
}

export interface Application extends Item {
  /** Clusters of the object by its status. */
  clusters: readonly string[];
  /** The object's policy says `deletionPolicy: Orphan`: its member objects stay when the object is deleted. */
  keepsCopies: boolean;
  held?: readonly HeldCopy[];
  /** The object owns objects on the hub, which the garbage collector would delete too: the hub is a member itself. */
  owner: boolean;
}

export interface Member extends Item {
  deletionPolicy?: "Drain" | "Orphan";
  /** Why the manager does not reach the cluster, or cannot use it; undefined while it does. */
  notReady?: string;
}

/** The binding of an object that is sent to members as it is. */
export interface Binding extends Item {
  /** `configmap shop/settings` */
  resource: string;
  /** Clusters that it names. */
  clusters: readonly string[];
  /** As those of an {@link Application}. */
  keepsCopies: boolean;
  held?: readonly HeldCopy[];
}

export interface Observed {
  applications: readonly Application[];
  policies: readonly Item[];
  members: readonly Member[];
  bindings: readonly Binding[];
  /** The objects of which there are bindings, as far as a finalizer of Meridian holds them. They themselves stay. */
  bound: readonly Item[];
  /** Objects that Meridian put on the hub itself, and that have its marks still. */
  marked: readonly Item[];
  /** Secrets of the hub with the credentials that join made. */
  joined: readonly Item[];
  /** Those of which this run has found that their members keep something of join's. They stay, so that the next run knows of it. */
  unclean: readonly Item[];
  /** Webhook configurations that a manager made. */
  admission: readonly Item[];
  /** The hub asks a webhook to convert objects of Meridian's kinds. */
  converts: boolean;
  /** Kinds whose objects may be stored in another version than the present one. */
  storedElsewhere: readonly string[];
  /** CRDs that are being deleted, and objects that were deleted with an earlier CRD: nobody has agreed yet that the copies go too. */
  crdsBeingDeleted: readonly Item[];
  /** CRDs that install made. */
  crds: readonly Item[];
  /** The managers that install runs, and what belongs to them. */
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
  /** A manager holds its Lease. */
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
  /** What happens to the objects that exist. */
  objects: "Refuse" | "Drain" | "Orphan";
  keepCrds: boolean;
}

/** Finalizer that the API server sets when dependents are to be kept; the garbage collector removes it. */
const KEEPS_DEPENDENTS = "orphan";

/** Objects of Meridian's own kinds, whoever made them. */
export function objectsOf({ applications, policies, members, bindings }: Observed): Item[] {
  return [...applications, ...policies, ...members, ...bindings];
}

/** Whether the application may have member objects, which only a manager deletes. */
export function hasCopies(application: Application): boolean {
  return application.finalizers.some((one) => isOwnFinalizer("applications", one)) || application.clusters.length > 0;
}

/** Whether the hub's garbage collector still has to be asked to keep the objects that the application owns on the hub, or is doing so, or has. */
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

/** Whether a finalizer is one of Meridian's, of whatever class, on objects of this stage. */
export function isOwnFinalizer(stage: Stage, finalizer: string): boolean {
  const base = BASES[stage];
  return base !== undefined && holdersOf(base, { finalizers: [finalizer] }).length > 0;
}
