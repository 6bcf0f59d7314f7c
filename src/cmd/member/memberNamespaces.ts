import { counted, defined, isProtectedNamespace, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import { namespaceTerms } from "../../desiredstate/index.ts";
import { type Client, isAlreadyExists, NAMESPACES } from "../../runtime/index.ts";
import { CommandError, EVERYTHING, find, tolerating } from "../shared/index.ts";
import type { JoinOptions } from "./verb.ts";
import type { MemberAccess } from "./memberAccess.ts";
import { markedBy } from "./memberMarks.ts";

/** The namespaces to which a member's account is limited. */

/** The requested namespaces, else the earlier ones. Undefined: the whole cluster. Throws {@link CommandError}. */
export function namespacesToGrant(
  options: Pick<JoinOptions, "namespaces" | "namespace" | "protectedNamespaces">,
  before: KubeObject | undefined,
): readonly string[] | undefined {
  const { namespaces: asked, namespace: own, protectedNamespaces } = options;
  if (asked === undefined) return (before as unknown as MemberCluster | undefined)?.spec.namespaces;
  if (asked[0] === EVERYTHING) return undefined;
  const kept = asked.find((name) => name === own || isProtectedNamespace(name, protectedNamespaces));
  if (kept !== undefined)
    throw new CommandError(`nothing is written into the namespace ${kept} of members; leave it out of --namespaces`);
  return asked.toSorted();
}

/** True if an account with the rights `before` loses some of them. */
export function isNarrower(next: readonly string[] | undefined, before: readonly string[] | undefined): boolean {
  if (next === undefined) return false;
  return before === undefined || before.some((name) => !next.includes(name));
}

/** The namespaces that the member lacks, with the Pod Security labels of the hub's namespaces. */
export async function missingNamespaces(
  { namespaces = [] }: MemberAccess,
  hub: Client,
  member: Client,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const missing: KubeObject[] = [];
  for (const name of namespaces) {
    const found = await find(member, NAMESPACES, undefined, name, signal);
    if (found?.metadata.deletionTimestamp !== undefined)
      throw new CommandError(
        `the namespace ${name} of member ${member.cluster} is being deleted; try again when it is gone`,
      );
    if (found !== undefined) continue;
    const onHub = await find(hub, NAMESPACES, undefined, name, signal);
    const labels = onHub === undefined ? undefined : namespaceTerms(onHub.metadata, false).labels;
    missing.push({ apiVersion: "v1", kind: "Namespace", metadata: { name, ...defined({ labels }) } });
  }
  return missing;
}

/** With the rights of the person who joins the cluster. They stay when the cluster leaves. */
export async function makeNamespaces(
  namespaces: readonly KubeObject[],
  member: Client,
  signal: AbortSignal,
): Promise<void> {
  for (const namespace of namespaces)
    await tolerating(isAlreadyExists, () => member.create(NAMESPACES, namespace, { signal }));
}

/** A sentence on the hub's objects outside the account's rights; undefined if there are none. */
export async function outOfReach(
  { hubId, namespaces = [] }: MemberAccess,
  member: Client,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { marked, unread } = await markedBy(hubId, { client: member }, signal);
  if (unread[0] !== undefined) throw unread[0].error;
  const places = new Map<string, number>();
  for (const { type, namespace } of marked) {
    if (namespace !== undefined && namespaces.includes(namespace)) continue;
    // Namespaces that Meridian made stay, as they do when a cluster leaves.
    if (type.group === "" && type.kind === "Namespace") continue;
    const place = namespace === undefined ? "cluster-scoped" : `in namespace ${namespace}`;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  if (places.size === 0) return undefined;
  const list = Array.from(places, ([place, count]) => `${counted(count, "object")} ${place}`).join(", ");
  return `${list} stay as they are, out of Meridian's reach: delete them there, or grant the namespace again`;
}
