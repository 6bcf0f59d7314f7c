import {
  type Condition,
  defined,
  FEDERATION_API_VERSION,
  type MemberCluster,
  type ObjectRef,
} from "../../apis/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { type Client, type Informer, isNotFound, MEMBERCLUSTERS } from "../../runtime/index.ts";

const TYPE = { apiVersion: FEDERATION_API_VERSION, kind: "MemberCluster" };

export function memberRef(name: string): ObjectRef {
  return { ...TYPE, name };
}

export function regardingMember({ metadata: { name, uid } }: MemberCluster): EventRecord["regarding"] {
  return { ...memberRef(name), ...defined({ uid }) };
}

/** Writes the conditions of this field manager; other writers own the rest. False if the MemberCluster is gone. */
export async function writeConditions(
  { client, clusters }: { client: Client; clusters: Pick<Informer<MemberCluster>, "observe"> },
  name: string,
  fieldManager: string,
  conditions: readonly Condition[],
  signal: AbortSignal,
): Promise<boolean> {
  const object = { ...TYPE, metadata: { name }, status: { conditions } };
  try {
    clusters.observe(await client.applyStatus(MEMBERCLUSTERS, object, { fieldManager, force: true, signal }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  return true;
}
