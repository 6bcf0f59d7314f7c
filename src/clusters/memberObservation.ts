import type { Observation } from "../desiredstate/index.ts";
import type { MemberObject } from "./memberObjects.ts";
import type { ObservedObject } from "./observed.ts";

/** What the hub side is told of a member object. `hash`: of the row that the member object is in sync with. */
export function observationOf(cluster: string, object: MemberObject, hash: string | undefined): Observation {
  const { ref, row, observed, writing, isAbsent, failure, healed, revision } = object;
  return {
    cluster,
    ref,
    ...(observed === undefined ? {} : { present: presenceOf(observed, object) }),
    ...(hash === undefined ? {} : { inSyncWith: hash }),
    writing,
    ...(isAbsent && row !== undefined ? { absent: true as const } : {}),
    ...(failure === undefined ? {} : { failure }),
    ...(healed === undefined ? {} : { healed }),
    revision,
  };
}

function presenceOf(
  observed: ObservedObject,
  { refused, trouble }: Pick<MemberObject, "refused" | "trouble">,
): NonNullable<Observation["present"]> {
  const { immutable, secretType, uid, hash, owner, createdAt, proven, policy, hubVersion, deleting } = observed;
  const health = trouble === undefined ? observed.health : { ...observed.health, ...trouble };
  return {
    uid,
    ...(hash === undefined ? {} : { hash }),
    ...(owner === undefined ? {} : { owner }),
    ...(createdAt === undefined ? {} : { createdAt }),
    proven,
    ...(policy === undefined ? {} : { policy }),
    ...(hubVersion === undefined ? {} : { hubVersion }),
    deleting,
    health,
    ...(immutable ? { immutable } : {}),
    ...(secretType === undefined ? {} : { secretType }),
    ...(refused?.uid === uid ? { refused: refused.hashes } : {}),
  };
}
