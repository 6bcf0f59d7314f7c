import {
  ALLOW_DELETION_ANNOTATION,
  crdNameOf,
  type Message,
  type MessageParts,
  type ObjectMeta,
} from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";

/** Why objects that are being deleted, or are gone, keep their copies for now. */
export interface KindHeld {
  reason: "KindBeingDeleted";
  message: Message;
}

export type Departing = Pick<ObjectMeta, "creationTimestamp" | "deletionTimestamp" | "annotations">;

export interface KindTerms {
  /** Every deletion is held for this. */
  held: KindHeld | undefined;
  /** Creation time of the CRD, if something depends on it: earlier deletions belong to an earlier CRD. */
  installedAt: string | undefined;
}

const AGREEMENT = `if meant, annotate it ${ALLOW_DELETION_ANNOTATION}=true`;
/** A server may go on deleting objects of a CRD without finalizer for so long after a new CRD of that name. */
const SWEEP_MS = 600_000;
const NOT_HELD: KindTerms = { held: undefined, installedAt: undefined };

/** `crd`: the metadata of the CRD, or the reason why it is missing. */
export function kindTerms(type: ResourceType, crd: ObjectMeta | "Gone" | "Denied"): KindTerms {
  const name = crdNameOf(type);
  if (crd === "Gone") return allHeld({ what: `CRD ${name} is gone` });
  if (crd === "Denied") return allHeld({ what: `Meridian may not get CRD ${name}` });
  if (isAgreed(crd)) return NOT_HELD;
  if (crd.deletionTimestamp === undefined) return { held: undefined, installedAt: crd.creationTimestamp };
  return allHeld({ what: `CRD ${name} is being deleted`, remedy: AGREEMENT });
}

/** The object was deleted with an earlier CRD, and is held although its present CRD is not being deleted. */
export function isOfEarlierCrd({ installedAt }: KindTerms, object: Departing): boolean {
  const { creationTimestamp, deletionTimestamp } = object;
  if (installedAt === undefined || deletionTimestamp === undefined || isAgreed(object)) return false;
  // Times of the API server (RFC 3339 in UTC with whole seconds) sort as text.
  if (deletionTimestamp <= installedAt) return true;
  const isOlder = creationTimestamp !== undefined && creationTimestamp < installedAt;
  return isOlder && Date.parse(deletionTimestamp) - Date.parse(installedAt) < SWEEP_MS;
}

export function heldUnder(
  terms: KindTerms,
  { kind }: Pick<ResourceType, "kind">,
  object: Departing,
): KindHeld | undefined {
  if (isAgreed(object)) return undefined;
  if (terms.held !== undefined || !isOfEarlierCrd(terms, object)) return terms.held;
  return heldBy({ what: `the ${kind} was deleted with an earlier CRD`, remedy: AGREEMENT });
}

function allHeld(message: MessageParts): KindTerms {
  return { held: heldBy(message), installedAt: undefined };
}

function heldBy(message: MessageParts): KindHeld {
  return { reason: "KindBeingDeleted", message };
}

/** A person has agreed, on the CRD or on the object, to the removal of the copies. */
function isAgreed({ annotations }: Pick<ObjectMeta, "annotations">): boolean {
  return annotations?.[ALLOW_DELETION_ANNOTATION] === "true";
}
