import { ALLOW_DELETION_ANNOTATION, crdNameOf, firstFitting, type ObjectMeta } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";

/** Rules of a CRD for deletions of its objects: as values, for the manager and for `plan`. */

/** Reason why objects that are being deleted, or are gone, keep their copies for now. */
export interface KindHeld {
  reason: "KindBeingDeleted";
  message: string;
}

/** Metadata of an object that is being deleted. */
export type Departing = Pick<ObjectMeta, "creationTimestamp" | "deletionTimestamp" | "annotations">;

export interface KindTerms {
  /** Reason why every deletion is held; undefined if not every deletion is held. */
  held: KindHeld | undefined;
  /** Creation time of the CRD: earlier deletions belong to an earlier CRD. Undefined if nothing depends on that. */
  installedAt: string | undefined;
}

const AGREEMENT = `${ALLOW_DELETION_ANNOTATION}=true`;
/**
 * Maximum time for which a server goes on deleting objects of a CRD that lost its finalizer, after a new CRD of that
 * name was created.
 */
const SWEEP_MS = 600_000;
const NOT_HELD: KindTerms = { held: undefined, installedAt: undefined };

/** `crd`: the metadata of the CRD, or the reason why it is missing. */
export function kindTerms(type: ResourceType, crd: ObjectMeta | "Gone" | "Denied"): KindTerms {
  const name = crdNameOf(type);
  if (crd === "Gone") return allHeld(`CRD ${name} is gone`);
  if (crd === "Denied") return allHeld(`Meridian may not get CRD ${name}`);
  if (isAgreed(crd)) return NOT_HELD;
  if (crd.deletionTimestamp === undefined) return { held: undefined, installedAt: crd.creationTimestamp };
  const how = `is being deleted; if meant, annotate it ${AGREEMENT}`;
  return allHeld(`CRD ${name} ${how}`, `the CRD of ${type.kind} ${how}`, `the CRD ${how}`);
}

/** True if the object was deleted with an earlier CRD, and is held although its present CRD is not being deleted. */
export function isOfEarlierCrd({ installedAt }: KindTerms, object: Departing): boolean {
  const { creationTimestamp, deletionTimestamp } = object;
  if (installedAt === undefined || deletionTimestamp === undefined || isAgreed(object)) return false;
  // Times of the API server (RFC 3339 in UTC with whole seconds) sort as text.
  if (deletionTimestamp <= installedAt) return true;
  const isOlder = creationTimestamp !== undefined && creationTimestamp < installedAt;
  return isOlder && Date.parse(deletionTimestamp) - Date.parse(installedAt) < SWEEP_MS;
}

/** Reason why the deletion of the object is held; undefined if it is not held. */
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

/** The message is the first of the texts that is short enough. */
function heldSince(...texts: [string, ...string[]]): KindHeld {
  return { reason: "KindBeingDeleted", message: firstFitting(texts) };
}

/** True if a person has agreed, on the CRD or on the object, to the removal of the copies. */
function isAgreed({ annotations }: Pick<ObjectMeta, "annotations">): boolean {
  return annotations?.[ALLOW_DELETION_ANNOTATION] === "true";
}
