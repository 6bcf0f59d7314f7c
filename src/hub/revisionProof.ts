import { createHash } from "node:crypto";
import {
  canonicalJson,
  excess,
  type KeptRevision,
  type KubeObject,
  OBJECT_BOUNDS,
  type Reason,
  shortMessage,
} from "../apis/index.ts";
import type { RevisionContent, Why } from "../desiredstate/index.ts";

/** A revision wraps an object that may itself be as deep as may be. */
const DATA_BOUNDS = { bytes: OBJECT_BOUNDS.bytes, levels: OBJECT_BOUNDS.levels + 8 };

/** A revision as the hub has it now: what Meridian stored, or why nothing of it may be used. */
export type ReadRevision = { kind: "Proven"; content: RevisionContent } | { kind: "Unusable"; why: Why };

/** SHA-256 of a JSON value, whatever the order of its keys. A tenant writes the objects and their revisions, so the hash has to resist forgery. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}

/**
 * Takes a ControllerRevision for the revision that `kept` describes, where its data is what Meridian stored. Tenants may write
 * ControllerRevisions, so the index in the status of the object is believed, and nothing of the ControllerRevision that the index does not
 * prove. `found`: undefined where the hub has none of that name.
 */
export function provenRevision(kept: KeptRevision, found: KubeObject | undefined): ReadRevision {
  const { revision, digest } = kept;
  if (found === undefined) return unusable("RevisionMissing", `revision ${revision} is gone from the hub`);
  const data = found["data"];
  // The digest recurses, and the data may be of any form.
  if (excess(data, DATA_BOUNDS) !== undefined || digestOf(data) !== digest)
    return unusable("RevisionChanged", `somebody has changed revision ${revision}: it is not what Meridian stored`);
  return { kind: "Proven", content: data as RevisionContent };
}

/** Of a revision that the status names and its index does not hold. */
export function unprovenRevision(revision: number): ReadRevision {
  return unusable("RevisionMissing", `nothing in the status of the object proves revision ${revision}`);
}

function unusable(reason: Reason, message: string): ReadRevision {
  return { kind: "Unusable", why: { reason, message: shortMessage(message) } };
}
