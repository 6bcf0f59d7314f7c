import { defined, type KubeObject, MANAGED_BY_LABEL } from "../../apis/index.ts";
import { isOwn, ownerOf } from "../../clusters/index.ts";
import { policyOf } from "../../desiredstate/index.ts";
import { type Client, CRDS, Discovery, isForbidden, listAll, systemClock } from "../../runtime/index.ts";
import { describeAnswer } from "../shared/index.ts";
import { findMember, memberSecret, reachMember } from "../member/index.ts";
import type { DefinitionInUse } from "./blockers.ts";
import type { Place } from "./observe.ts";
import type { Member } from "./state.ts";

/** For an answer of one member. */
const PATIENCE_MS = 10_000;

/**
 * Meridian's definitions, on members that will be drained, of which somebody else has objects: no manager removes them.
 * Members that could not be read are in `notes`. Writes nothing.
 */
export async function definitionsInUse(
  place: Place,
  members: readonly Member[],
  signal: AbortSignal,
): Promise<{ inUse: DefinitionInUse[]; notes: string[] }> {
  const notes: string[] = [];
  const asked = members.filter(({ notReady, deletionPolicy }) => notReady === undefined && deletionPolicy !== "Orphan");
  const found = await Promise.all(
    asked.map(async (member) => {
      try {
        return await inUseOn(place, member, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
      } catch (error) {
        signal.throwIfAborted();
        notes.push(`${member.name} could not be looked at from here: ${describeAnswer(error)}`);
        return [];
      }
    }),
  );
  return { inUse: found.flat(), notes };
}

async function inUseOn(
  { client: hub, namespace, hubId }: Place,
  { name }: Member,
  signal: AbortSignal,
): Promise<DefinitionInUse[]> {
  const cluster = await findMember(hub, name, signal);
  // Meridian puts no definitions on the hub itself.
  if (cluster === undefined || cluster.spec.connection.local !== undefined) return [];
  const secret = await memberSecret(name, cluster, namespace, hub, signal);
  await using reached = await reachMember(name, cluster, secret, {}, hub, signal);
  if (reached === undefined || reached.namespaces !== undefined) return [];
  const { client } = reached;
  const own = (await definitionsOf(client, hubId, signal)).filter((crd) =>
    isOwn({ ...crd, apiVersion: "apiextensions.k8s.io/v1", kind: CRDS.kind }),
  );
  // A definition with the policy Orphan stays, and so do its objects.
  const going = own.filter((crd) => policyOf(crd) !== "Orphan");
  if (going.length === 0) return [];
  const served = await new Discovery(client, systemClock).list();
  const inUse: DefinitionInUse[] = [];
  for (const crd of going) {
    const type = served.find(({ plural, group }) => `${plural}.${group}` === crd.metadata.name);
    if (type === undefined) continue;
    const labelSelector = `${MANAGED_BY_LABEL}!=${hubId}`;
    const [other] = (await client.list(type, { labelSelector, metadataOnly: true, limit: 1, signal })).items;
    if (other === undefined) continue;
    const { namespace: where, name: what } = other.metadata;
    const object = `${type.kind} ${where === undefined ? what : `${where}/${what}`}`;
    const owner = ownerOf(crd);
    inUse.push({ member: name, definition: crd.metadata.name, object, ...defined({ owner }) });
  }
  return inUse;
}

/**
 * Empty if the account may not list definitions: without the right, which is granted by name, no definition was placed.
 */
async function definitionsOf(client: Client, hubId: string, signal: AbortSignal): Promise<KubeObject[]> {
  const labelSelector = `${MANAGED_BY_LABEL}=${hubId}`;
  try {
    return await listAll({ client, type: CRDS, labelSelector }, { metadataOnly: true, signal });
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}
