import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, type KubeObject, REGION_LABEL, ZONE_LABEL } from "../../../apis/index.ts";
import { type Client, isForbidden, NODES } from "../../../runtime/index.ts";
import { CommandError, connectGiven } from "../../shared/index.ts";
import { type FleetCluster, HUB, type QuickstartFleet } from "./fleet.ts";
import type { GivenClusters, GivenMember } from "../verb.ts";

/** The person's clusters, each with a region. Starts and stops nothing. */
export async function givenFleet(
  { hub, members }: GivenClusters,
  sampleRegions: readonly string[],
  signal: AbortSignal,
): Promise<QuickstartFleet> {
  for (const { name, kubeconfig } of [{ name: HUB, kubeconfig: hub }, ...members]) {
    await access(kubeconfig, constants.R_OK).catch((cause: unknown) => {
      throw new CommandError(`the file of ${name} in --kubeconfig cannot be read, correct ${name}=FILE there`, {
        cause,
      });
    });
  }
  const located = await Promise.all(members.map((member) => locate(member, signal)));
  return {
    kind: "given",
    hub: { name: HUB, kubeconfigFile: resolve(hub) },
    members: withRegions(located, sampleRegions),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Region and zone of the command line, else of the node labels. */
async function locate({ name, kubeconfig, region }: GivenMember, signal: AbortSignal): Promise<FleetCluster> {
  await using connection = connectGiven(name, kubeconfig);
  const items = await nodes(connection.client, signal);
  const label = (key: string): string | undefined =>
    items.map(({ metadata }) => metadata.labels?.[key]).find((value) => value !== undefined && value !== "");
  const where = region ?? label(REGION_LABEL);
  const zone = label(ZONE_LABEL);
  return {
    name,
    kubeconfigFile: resolve(kubeconfig),
    ...defined({ region: where, zone }),
  };
}

/** Empty when the user may not list nodes: missing rights are reported together later. */
async function nodes(client: Client, signal: AbortSignal): Promise<KubeObject[]> {
  try {
    return (await client.list(NODES, { limit: 100, metadataOnly: true, signal })).items;
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** Members without a region get the free regions of the sample, and then all of them in turn. */
export function withRegions(members: readonly FleetCluster[], sampleRegions: readonly string[]): FleetCluster[] {
  const taken = new Set(members.map(({ region }) => region));
  const free = sampleRegions.filter((region) => !taken.has(region));
  let next = 0;
  return members.map((member) => {
    if (member.region !== undefined) return member;
    const region = free[next] ?? sampleRegions[next % sampleRegions.length];
    next += 1;
    if (region === undefined)
      throw new CommandError(`no region is known for ${member.name}: give ${member.name}@REGION=FILE`);
    return { ...member, region };
  });
}
