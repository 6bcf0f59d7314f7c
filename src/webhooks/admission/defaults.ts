import { CLUSTER_FINALIZER, FEDERATION_GROUP, OBJECT_FINALIZER, PAAS_GROUP } from "../../apis/index.ts";
import type { AdmissionRequest } from "./types.ts";

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  op: "add";
  path: string;
  value: unknown;
}

const FINALIZERS: Readonly<Record<string, string>> = {
  [`${PAAS_GROUP}/DemoApplication`]: OBJECT_FINALIZER,
  [`${FEDERATION_GROUP}/MemberCluster`]: CLUSTER_FINALIZER,
};

/**
 * What an object gets at its creation: the finalizer that the manager would set as its first write. From then on it is the manager's alone;
 * an update is never completed. The defaults of fields stand in the schema.
 */
export function defaultsOf({ operation, subResource, kind, object }: AdmissionRequest): JsonPatchOperation[] {
  if (operation !== "CREATE" || (subResource ?? "") !== "" || !object) return [];
  const finalizer = FINALIZERS[`${kind.group}/${kind.kind}`];
  const finalizers = object.metadata?.finalizers ?? [];
  if (finalizer === undefined || finalizers.includes(finalizer)) return [];
  return [{ op: "add", path: "/metadata/finalizers", value: [...finalizers, finalizer] }];
}
