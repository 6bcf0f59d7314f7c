import { isForbidden, type Client, NODES } from "../runtime/index.ts";
import { type Capacity, nodeResources, type NodeResources, sumCapacity } from "./capacity.ts";
import type { MemberFindings } from "./memberStatus.ts";

/** What a cluster has to offer: version, APIs, capacity. Asked for when contact is made, and seldom after that. */

/** Nodes per page: a large cluster's list is never in memory as a whole. */
const NODE_PAGE = 250;

/**
 * Finds out everything. A refusal to list nodes is an answer; any other error rejects. `nodes`: false where the credentials are for some
 * namespaces only, and nodes are none of Meridian's business.
 */
export async function takeInventory(
  client: Client,
  { nodes }: { nodes: boolean },
  signal: AbortSignal,
): Promise<MemberFindings> {
  const [kubernetesVersion, apis, capacity] = await Promise.all([
    serverVersion(client, signal),
    servedApis(client, signal),
    nodes ? capacityOf(client, signal) : null,
  ]);
  return { ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }), apis, capacity };
}

async function serverVersion(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const answer = (await client.raw("GET", "/version", { signal })) as { gitVersion?: unknown } | undefined;
  return typeof answer?.gitVersion === "string" ? answer.gitVersion : undefined;
}

/** `v1.APIVersions` and `v1.APIGroupList`: small, and served even while an aggregated API behind them is broken. */
async function servedApis(client: Client, signal: AbortSignal): Promise<string[]> {
  const [core, groups] = (await Promise.all([
    client.raw("GET", "/api", { signal, accept: "application/json" }),
    client.raw("GET", "/apis", { signal, accept: "application/json" }),
  ])) as [{ versions?: string[] }, { groups?: { versions: { groupVersion: string }[] }[] }];
  const named = (groups.groups ?? []).flatMap((group) => group.versions.map((version) => version.groupVersion));
  return [...(core.versions ?? []), ...named].sort();
}

async function capacityOf(client: Client, signal: AbortSignal): Promise<Capacity | null> {
  const nodes: NodeResources[] = [];
  try {
    let page: string | undefined;
    do {
      const list = await client.list(NODES, {
        limit: NODE_PAGE,
        signal,
        ...(page === undefined ? {} : { continue: page }),
      });
      for (const node of list.items) nodes.push(nodeResources(node));
      page = list.continue;
    } while (page !== undefined && page !== "");
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
  return sumCapacity(nodes);
}
