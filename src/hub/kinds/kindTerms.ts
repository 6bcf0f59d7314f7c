import { ALLOW_DELETION_ANNOTATION, crdNameOf, firstFitting, type ObjectMeta } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";

/** What the CRD of a kind says of deletions of its objects: as values, for the manager and for `plan`. */

/** Why objects of a kind that are being deleted, or are gone, leave their copies for now. */
export interface KindHeld {
  reason: "KindBeingDeleted";
  message: string;
}

/** What is asked about: the metadata of an object that is being deleted. */
export type Departing = Pick<ObjectMeta, "creationTimestamp" | "deletionTimestamp" | "annotations">;

export interface KindTerms {
  /** Why every deletion is held. */
  held: KindHeld | undefined;
  /** When the CRD was created: older deletions came with an earlier CRD. Undefined when nothing depends on that. */
  installedAt: string | undefined;
}

const AGREEMENT = `${ALLOW_DELETION_ANNOTATION}=true`;
/** So long a server may go on deleting the objects of a CRD that has lost its finalizer, when another CRD of that name is there already. */
const SWEEP_MS = 600_000;
const NOT_HELD: KindTerms = { held: undefined, installedAt: undefined };

/** `crd`: the metadata of the CRD, or why there is none. */
export function kindTerms(type: ResourceType, crd: ObjectMeta | "Gone" | "Denied"): KindTerms {
  const name = crdNameOf(type);
  if (crd === "Gone") return allHeld(`CRD ${name} is gone`);
  if (crd === "Denied") return allHeld(`Meridian may not get CRD ${name}`);
  if (isAgreed(crd)) return NOT_HELD;
  if (crd.deletionTimestamp === undefined) return { held: undefined, installedAt: crd.creationTimestamp };
  const how = `is being deleted; if meant, annotate it ${AGREEMENT}`;
  return allHeld(`CRD ${name} ${how}`, `the CRD of ${type.kind} ${how}`, `the CRD ${how}`);
}

/** Whether the object is held though its CRD is not being deleted: the object was deleted with an earlier one. */
export function isOfEarlierCrd({ installedAt }: KindTerms, object: Departing): boolean {
  const { creationTimestamp, deletionTimestamp } = object;
  if (installedAt === undefined || deletionTimestamp === undefined || isAgreed(object)) return false;
  // RFC 3339 in UTC with whole seconds, as the API server writes it, sorts as text.
  if (deletionTimestamp <= installedAt) return true;
  const isOlder = creationTimestamp !== undefined && creationTimestamp < installedAt;
  return isOlder && Date.parse(deletionTimestamp) - Date.parse(installedAt) < SWEEP_MS;
}

/** Why the deletion of the object is held; undefined when it is not. */
export function heldUnder(
  terms: KindTerms,
  { kind }: Pick<ResourceType, "kind">,
  object: Departing,
): KindHeld | undefined {
  if (isAgreed(object)) return undefined;
  if (terms.held !== undefined || !isOfEarlierCrd(terms, object)) return terms.held;
  const how = `was deleted with an earlier CRD; if meant, annotate it ${AGREEMENT}`;
  return heldSince(`the ${kind} ${how}`, `the object ${how}`);
}

function allHeld(...texts: [string, ...string[]]): KindTerms {
  return { held: heldSince(...texts), installedAt: undefined };
}

/** The first of the texts that fits says why. */
function heldSince(...texts: [string, ...string[]]): KindHeld {
  return { reason: "KindBeingDeleted", message: firstFitting(texts) };
}

/** A person has agreed, on the CRD or on the object, that the copies go. */
function isAgreed({ annotations }: Pick<ObjectMeta, "annotations">): boolean {
  return annotations?.[ALLOW_DELETION_ANNOTATION] === "true";
}
