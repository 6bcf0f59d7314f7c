import { type Bounds, DEFAULT_BOUNDS, type ResourceType } from "../../runtime/index.ts";

/** For objects without a row: copies of ours, and remains of earlier versions. */
const SPARE = { objects: 5_000, bytes: 24 << 20 };
/** For each object with a row. A Deployment with its `managedFields` and status has some 4 KiB. */
const EACH = { objects: 20, bytes: 64 << 10 };
/** For each ConfigMap or Secret, which may be as large as etcd accepts. */
const EACH_WITH_CONTENT = 3 << 19;

/**
 * Upper bounds for reading one kind of a member that is broken or hostile. `asked`: number of objects with a row, or with
 * copies by the hub's record.
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
