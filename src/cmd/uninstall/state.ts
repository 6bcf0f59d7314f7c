import { CLUSTER_FINALIZER, holdersOf, OBJECT_FINALIZER } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import type { HelmRelease } from "../helmRelease.ts";

/** What uninstall knows: what was just seen on the hub, and what the person wants. Nothing is remembered between two looks. */

/** One object of the hub, in one life. */
export interface Item {
  type: ResourceType;
  namespace?: string;
  name: string;
  uid: string;
  deleting: boolean;
  finalizers: readonly string[];
  /** A label says that it is not to be deleted. */
  guarded: boolean;
}

export interface Application extends Item {
  /** Where it is placed or was last seen, as its status tells. */
  clusters: readonly string[];
  /** Its policy says that deleting it leaves running what is on the members. */
  keepsCopies: boolean;
  /** Objects of the hub itself would go with it: the hub is a member, and its garbage collector cascades. */
  owner: boolean;
}

export interface Member extends Item {
  deletionPolicy?: "Drain" | "Orphan";
}

export interface Observed {
  applications: readonly Application[];
  policies: readonly Item[];
  members: readonly Member[];
  /** Secrets of the hub with the credentials that join made. */
  joined: readonly Item[];
  /** Webhook configurations that a manager brought. */
  admission: readonly Item[];
  /** The hub asks a webhook to convert DemoApplications. */
  converts: boolean;
  /** DemoApplications may be stored in another version than the present one. */
  storedElsewhere: boolean;
  /** CRDs that install brought. */
  crds: readonly Item[];
  /** Roles and bindings. */
  access: readonly Item[];
  /** What managers write for themselves: the Lease, the webhooks' certificates. */
  state: readonly Item[];
  accounts: readonly Item[];
  /** Namespaces that install made and that hold nothing of anybody else. */
  namespaces: readonly Item[];
  /** Those in which somebody else keeps something. */
  occupied: readonly Item[];
  /** Helm releases of Meridian that are installed. */
  releases: readonly HelmRelease[];
  /** A manager holds its Lease. */
  managerAlive: boolean;
}

/** What can be deleted, in groups that go together. */
export type Stage = "applications" | "policies" | "members" | "crds" | "access" | "state" | "accounts" | "namespaces";

export interface Wish {
  /** What becomes of the objects that there are. */
  objects: "Refuse" | "Drain" | "Orphan";
  keepCrds: boolean;
}

/** Set by the API server when dependents are to be kept; its garbage collector takes it off. */
const KEEPS_DEPENDENTS = "orphan";

/** Objects that Meridian itself is about, whoever made them. */
export function objectsOf({ applications, policies, members }: Observed): Item[] {
  return [...applications, ...policies, ...members];
}

/** Whether something may be on a member that goes only while somebody works on it. */
export function hasCopies(application: Application): boolean {
  return application.finalizers.some((one) => isOwnFinalizer("applications", one)) || application.clusters.length > 0;
}

/** Whether the garbage collector of the hub still has to be told, or to do, that what the hub itself runs is left. */
export function keepsDependents({ owner, finalizers }: Application): "ToBeAsked" | "Asked" | "Done" {
  if (finalizers.includes(KEEPS_DEPENDENTS)) return "Asked";
  return owner ? "ToBeAsked" : "Done";
}

/** Whether a finalizer is one that only a manager takes off an object of this stage, of whatever class. */
export function isOwnFinalizer(stage: Stage, finalizer: string): boolean {
  const base = stage === "applications" ? OBJECT_FINALIZER : stage === "members" ? CLUSTER_FINALIZER : undefined;
  return base !== undefined && holdersOf(base, { finalizers: [finalizer] }).length > 0;
}
