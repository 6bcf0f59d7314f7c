import { HUB_VERSION_ANNOTATION, type KubeObject } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";

/**
 * The row as it is sent: with the state of the hub that it comes from, so that a hub which is restored from an earlier backup shows. That
 * alone is no reason to write, so it is neither in the hash nor among the fields that are judged.
 */
export function withHubVersion(row: ApplyRow): ApplyRow {
  const { hubVersion, object } = row;
  if (hubVersion === undefined) return row;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [HUB_VERSION_ANNOTATION]: hubVersion };
  return { ...row, object: { ...object, metadata: { ...metadata, annotations } } };
}

/** The state of the hub from which a member object was written last; what is no resourceVersion says nothing. */
export function hubVersionOf({ metadata }: KubeObject): string | undefined {
  const version = metadata.annotations?.[HUB_VERSION_ANNOTATION] ?? "";
  return /^[1-9][0-9]{0,19}$/.test(version) ? version : undefined;
}
