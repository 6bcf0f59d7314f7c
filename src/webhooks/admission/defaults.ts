import {
  type Classes,
  classOf,
  CLUSTER_FINALIZER,
  FEDERATION_GROUP,
  finalizerOf,
  holdersOf,
  kindKey,
  OBJECT_FINALIZER,
  PAAS_GROUP,
} from "../../apis/index.ts";
import type { AdmissionRequest } from "./types.ts";

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  op: "add";
  path: string;
  value: unknown;
}

const FINALIZERS: Readonly<Record<string, string>> = {
  [`${PAAS_GROUP}/DemoApplication`]: OBJECT_FINALIZER,
  [`${FEDERATION_GROUP}/ManifestBundle`]: OBJECT_FINALIZER,
  [`${FEDERATION_GROUP}/MemberCluster`]: CLUSTER_FINALIZER,
};

/**
 * Patch for a new object: the finalizer that the manager would otherwise set in its first write. After creation only
 * the manager changes the finalizer, so an update gets no patch. If several releases run on the hub, all are asked, and
 * the release that serves the object's class answers. The defaults of fields are in the schema.
 */
export function defaultsOf(
  { operation, subResource, kind, object }: AdmissionRequest,
  classes: Classes,
): JsonPatchOperation[] {
  if (operation !== "CREATE" || (subResource ?? "") !== "" || !object) return [];
  const base = FINALIZERS[kindKey(kind)];
  const metadata = object.metadata ?? { name: "" };
  const name = classOf(metadata);
  if (base === undefined || !classes.has(name) || holdersOf(base, metadata).length > 0) return [];
  const value = [...(metadata.finalizers ?? []), finalizerOf(base, name)];
  return [{ op: "add", path: "/metadata/finalizers", value }];
}
