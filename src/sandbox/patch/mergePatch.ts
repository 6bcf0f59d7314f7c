import { setMember } from "../../apis/index.ts";
import { jsonType } from "../jsonType.ts";
import { badRequest } from "../statusError.ts";
import type { Json } from "../types.ts";

type JsonObject = { readonly [key: string]: Json };

/**
 * Applies a merge patch to a document; null removes a member. Throws the server's Status 400 for a patch that is no
 * object.
 */
export function mergePatch(document: Json, patch: Json): JsonObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch)) {
    throw badRequest(`error decoding patch: it must be an object, not ${jsonType(patch)}`);
  }
  return merged(isObject(document) ? document : {}, patch);
}

function merged(document: JsonObject, patch: JsonObject): JsonObject {
  const out: Record<string, Json> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    const current = Object.hasOwn(document, key) ? document[key] : undefined;
    if (value === null) delete out[key];
    else if (current === undefined || current === null) setMember(out, key, withoutNulls(value));
    else if (!isObject(current)) setMember(out, key, withoutNulls(value));
    // A list that replaces an object keeps its nulls: the server removes nulls only from new values.
    else setMember(out, key, isObject(value) ? merged(current, value) : value);
  }
  return out;
}

/** Removes null members from a new object. Null items of a list stay. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]));
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
