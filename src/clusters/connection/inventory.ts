import { defined, isRecord, type KubeObject } from "../../apis/index.ts";
import type { ClusterFindings } from "../../ports/index.ts";
import { type Client, groupVersionsIn, isForbidden, listPages, NODES, TransportError } from "../../runtime/index.ts";
import { type Capacity, InvalidQuantityError, nodeResources, type NodeResources, sumCapacity } from "./capacity.ts";

/** Inventory of a cluster: version, APIs, capacity. Read when contact is made, and seldom after that. */

/** Nodes per page, so that the list of a large cluster is never in memory as a whole. */
const NODE_PAGE = 250;
/** Some of the largest clusters have 50,000 nodes. A node with its images has some 30 KiB. */
const NODE_BOUNDS = { objects: 100_000, bytes: 4 * 2 ** 30 };
const NODE_LIST_MS = 120_000;
const LONGEST_VERSION = 128;

/** Reads version, APIs and capacity, which is null if `nodes` is false or nodes may not be listed. */
export async function takeInventory(
  client: Client,
  { nodes }: { nodes: boolean },
  signal: AbortSignal,
): Promise<ClusterFindings> {
  const [kubernetesVersion, apis, capacity] = await Promise.all([
    serverVersion(client, signal),
    servedApis(client, signal),
    nodes ? capacityOf(client, signal) : null,
  ]);
  return { ...defined({ kubernetesVersion }), apis, capacity };
}

async function serverVersion(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const answer = await client.raw("GET", "/version", { signal });
  const version = isRecord(answer) ? answer["gitVersion"] : answer;
  if (version === undefined) return undefined;
  if (isRecord(answer) && typeof version === "string" && version.length <= LONGEST_VERSION) return version;
  throw new TransportError("Protocol", "GET /version: what the server sent is no version of Kubernetes");
}

/** From two documents that are served even while an aggregated API is broken. */
async function servedApis(client: Client, signal: AbortSignal): Promise<string[]> {
  const answers = await Promise.all([
    client.raw("GET", "/api", { signal, accept: "application/json" }),
    client.raw("GET", "/apis", { signal, accept: "application/json" }),
  ]);
  return answers.flatMap((answer) => groupVersionsIn(answer)).sort();
}

async function capacityOf(client: Client, signal: AbortSignal): Promise<Capacity | null> {
  const nodes: NodeResources[] = [];
  const selection = { client, type: NODES, bounds: NODE_BOUNDS };
  try {
    for await (const { items } of listPages(selection, { limit: NODE_PAGE, longestMs: NODE_LIST_MS, signal }))
      for (const node of items) nodes.push(resourcesOf(node));
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
  return sumCapacity(nodes);
}

function resourcesOf(node: KubeObject): NodeResources {
  try {
    return nodeResources(node);
  } catch (error) {
    if (!(error instanceof InvalidQuantityError)) throw error;
    throw new TransportError("Protocol", `GET /api/v1/nodes: ${error.message}`, error);
  }
}
