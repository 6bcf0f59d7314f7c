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

/** A revision wraps an object that may already have the maximum depth. */
const DATA_BOUNDS = { bytes: OBJECT_BOUNDS.bytes, levels: OBJECT_BOUNDS.levels + 8 };

/** The content that Meridian stored, or the reason why it must not be used. */
export type ReadRevision = { kind: "Proven"; content: RevisionContent } | { kind: "Unusable"; why: Why };

/** SHA-256 of a JSON value, whatever the order of keys. Tenants write objects, so it must resist forgery. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}

/** Tenants may write ControllerRevisions, so only content with the digest of the status is used. */
export function provenRevision(kept: KeptRevision, found: KubeObject | undefined): ReadRevision {
  const { revision, digest } = kept;
  if (found === undefined) return unusable("RevisionMissing", `revision ${revision} is gone from the hub`);
  const data = found["data"];
  // The digest recurses, and the data may be of any form.
  if (excess(data, DATA_BOUNDS) !== undefined || digestOf(data) !== digest)
    return unusable("RevisionChanged", `somebody has changed revision ${revision}: it is not what Meridian stored`);
  return { kind: "Proven", content: data as RevisionContent };
}

/** For a revision that is missing in the status's index. */
export function unprovenRevision(revision: number): ReadRevision {
  return unusable("RevisionMissing", `nothing in the status of the object proves revision ${revision}`);
}

function unusable(reason: Reason, message: string): ReadRevision {
  return { kind: "Unusable", why: { reason, message: shortMessage(message) } };
}
