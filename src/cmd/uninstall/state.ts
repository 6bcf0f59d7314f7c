import { CLUSTER_FINALIZER, holdersOf, OBJECT_FINALIZER } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import { type HelmRelease } from "../shared/index.ts";

/** All that uninstall decides on. No state is kept between two snapshots. */

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

/** A copy that stays, according to the status of its object. */
export interface HeldCopy {
  cluster: string;
  reason: string;
  message?: string | undefined;
}

export interface Application extends Item {
  clusters: readonly string[];
  /** The policy has `deletionPolicy: Orphan`: member objects stay when the object is deleted. */
  keepsCopies: boolean;
  held?: readonly HeldCopy[];
  /** The object owns objects on the hub, as the hub is a member: the garbage collector would delete these too. */
  owner: boolean;
}

export interface Member extends Item {
  deletionPolicy?: "Drain" | "Orphan";
  /** Why the manager cannot use the cluster; undefined if it can. */
  notReady?: string;
}

export interface Binding extends Item {
  /** `configmap shop/settings` */
  resource: string;
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
  /** Objects of bindings that a finalizer of Meridian holds. They stay. */
  bound: readonly Item[];
  /** On the hub itself, still with Meridian's marks. */
  marked: readonly Item[];
  /** Secrets with the credentials that join made. */
  joined: readonly Item[];
  /** MemberClusters whose members keep what join made. They stay, so that the next run knows. */
  unclean: readonly Item[];
  /** Webhook configurations that a manager made. */
  admission: readonly Item[];
  /** The hub calls a webhook to convert objects of Meridian's kinds. */
  converts: boolean;
  /** Kinds that may be stored in another version than the present one. */
  storedElsewhere: readonly string[];
  /**
   * CRDs that are being deleted, and objects that were deleted with an earlier CRD: nobody has agreed yet that the
   * copies go too.
   */
  crdsBeingDeleted: readonly Item[];
  /** Made by install. */
  crds: readonly Item[];
  /** Managers that install runs, and what belongs to them. */
  workload: readonly Item[];
  /** Roles and bindings. */
  access: readonly Item[];
  /** What managers write for themselves: the Lease, the webhooks' certificates. */
  state: readonly Item[];
  accounts: readonly Item[];
  /** Made by install, with Meridian's objects only. */
  namespaces: readonly Item[];
  /** Made by install, with objects of somebody else. */
  occupied: readonly Item[];
  releases: readonly HelmRelease[];
  managerAlive: boolean;
}

/** Objects that are deleted together. */
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
  objects: "Refuse" | "Drain" | "Orphan";
  keepCrds: boolean;
}

/** The API server sets it to keep dependents; the garbage collector removes it. */
const KEEPS_DEPENDENTS = "orphan";

export function objectsOf({ applications, policies, members, bindings }: Observed): Item[] {
  return [...applications, ...policies, ...members, ...bindings];
}

/** Only a manager deletes member objects. */
export function hasCopies(application: Application): boolean {
  return application.finalizers.some((one) => isOwnFinalizer("applications", one)) || application.clusters.length > 0;
}

/** Says if the hub's garbage collector was asked to keep what the application owns on the hub. */
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

/** For finalizers of any class. */
export function isOwnFinalizer(stage: Stage, finalizer: string): boolean {
  const base = BASES[stage];
  return base !== undefined && holdersOf(base, { finalizers: [finalizer] }).length > 0;
}
