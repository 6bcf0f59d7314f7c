import { type Bounds, DEFAULT_BOUNDS, type ResourceType } from "../../runtime/index.ts";

/** Allowance for objects without a row: copies of our objects, and remains of earlier versions. */
const SPARE = { objects: 5_000, bytes: 24 << 20 };
/** Allowance for each object with a row. A Deployment with its `managedFields` and status has some 4 KiB. */
const EACH = { objects: 20, bytes: 64 << 10 };
/** Bytes for each ConfigMap or Secret, which may be as large as etcd accepts. Little of its content is kept. */
const EACH_WITH_CONTENT = 3 << 19;

/**
 * Upper bounds for reading one kind of a member: a multiple of the objects with a row, plus an allowance. A member that
 * shows more is broken or hostile, and would fill the memory that all clusters share.
 *
 * @param asked Number of objects with a row on the member, or with copies by the hub's record. Evaluated at each use.
 */
export function memberBounds({ group, kind }: Pick<ResourceType, "group" | "kind">, asked: () => number): Bounds {
  const hasContent = group === "" && (kind === "ConfigMap" || kind === "Secret");
  const bytesEach = hasContent ? EACH_WITH_CONTENT : EACH.bytes;
  return {
    get objects() {
      return Math.min(DEFAULT_BOUNDS.objects, SPARE.objects + EACH.objects * asked());
    },
    get bytes() {
      return Math.min(DEFAULT_BOUNDS.bytes, SPARE.bytes + bytesEach * asked());
    },
  };
}
