import { HUB_VERSION_ANNOTATION, type KubeObject } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";

/**
 * The row with the resourceVersion of its hub object as an annotation, which shows when a hub was restored from an
 * earlier backup. The annotation is neither hashed nor compared, so it causes no write by itself.
 */
export function withHubVersion(row: ApplyRow): ApplyRow {
  const { hubVersion, object } = row;
  if (hubVersion === undefined) return row;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [HUB_VERSION_ANNOTATION]: hubVersion };
  return { ...row, object: { ...object, metadata: { ...metadata, annotations } } };
}

/** resourceVersion of the hub object at the last write of the member object; undefined when the annotation holds none. */
export function hubVersionOf({ metadata }: KubeObject): string | undefined {
  const version = metadata.annotations?.[HUB_VERSION_ANNOTATION] ?? "";
  return /^[1-9][0-9]{0,19}$/.test(version) ? version : undefined;
}
