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
 * Patch that gives a new object the finalizer of its class, which the manager would otherwise set in its first write.
 * Of several releases on the hub the one that serves the class answers.
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
