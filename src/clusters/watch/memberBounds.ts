import { type Bounds, DEFAULT_BOUNDS, type ResourceType } from "../../runtime/index.ts";

/** For what was never asked for: copies of our objects, and what is left of earlier times. */
const SPARE = { objects: 5_000, bytes: 24 << 20 };
/** A Deployment with its `managedFields` and status is some 4 KiB. */
const EACH = { objects: 20, bytes: 64 << 10 };
/** A ConfigMap or Secret may be as large as etcd takes; of its content little is kept. */
const EACH_WITH_CONTENT = 3 << 19;

/**
 * The most that is read of one kind of a member: what is asked for there many times over, and something beside. A member that shows more is
 * broken or hostile, and would fill the memory that all clusters share.
 *
 * @param asked How many objects are asked for on the member, or were, by the hub's record. Read anew at each use.
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
