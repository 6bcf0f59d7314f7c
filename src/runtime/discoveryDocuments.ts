import { parseApiVersion } from "../apis/index.ts";
import { isApiError, TransportError } from "./errors.ts";
import { apiVersionOf } from "./resources.ts";
import type { Client, ResourceType } from "./types.ts";

export interface DiscoveredResources {
  /** Versions of a group stand together, the preferred one first. */
  resources: ResourceType[];
  /** apiVersions whose resources the server does not know now (an aggregated API that is away). */
  unavailable: ReadonlySet<string>;
}

const AGGREGATED = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

interface GroupDiscoveryList {
  kind: "APIGroupDiscoveryList";
  items?: {
    metadata?: { name?: string };
    versions?: { version: string; freshness?: string; resources?: GroupDiscoveryResource[] }[];
  }[];
}

interface GroupDiscoveryResource {
  resource: string;
  responseKind?: { group?: string; version?: string; kind?: string };
  scope: string;
  verbs?: string[];
  shortNames?: string[];
  subresources?: { subresource: string }[];
}

interface GroupList {
  kind: "APIGroupList";
  groups?: { name: string; preferredVersion?: { groupVersion: string }; versions?: { groupVersion: string }[] }[];
}

interface CoreVersions {
  kind: "APIVersions";
  versions?: string[];
}

interface ResourceList {
  resources?: { name: string; kind: string; namespaced?: boolean; verbs?: string[]; shortNames?: string[] }[] | null;
}

/** Reads everything that a server says it serves: two requests where it knows aggregated discovery, else one for each version. */
export async function loadResources(client: Client): Promise<DiscoveredResources> {
  const [core, named] = (await Promise.all([
    client.raw("GET", "/api", { accept: AGGREGATED }),
    client.raw("GET", "/apis", { accept: AGGREGATED }),
  ])) as [GroupDiscoveryList | CoreVersions, GroupDiscoveryList | GroupList];
  const resources: ResourceType[] = [];
  const unavailable = new Set<string>();
  const legacy: string[] = [];
  for (const answer of [core, named]) {
    if (answer.kind === "APIGroupDiscoveryList") readAggregated(answer, resources, unavailable);
    else if (answer.kind === "APIVersions") legacy.push(...(answer.versions ?? []));
    else if (answer.kind === "APIGroupList") legacy.push(...(answer.groups ?? []).flatMap(versionsByPreference));
    else throw new TransportError("Protocol", `cluster ${client.cluster} sent something that is not what it serves`);
  }
  const lists = await Promise.all(legacy.map((apiVersion) => loadVersion(client, apiVersion)));
  for (const [at, apiVersion] of legacy.entries()) {
    const list = lists[at];
    if (list === undefined) unavailable.add(apiVersion);
    else resources.push(...readResourceList(apiVersion, list));
  }
  return { resources, unavailable };
}

function readAggregated(list: GroupDiscoveryList, resources: ResourceType[], unavailable: Set<string>): void {
  for (const item of list.items ?? []) {
    const group = item.metadata?.name ?? "";
    for (const { version, freshness, resources: served = [] } of item.versions ?? []) {
      if (freshness === "Stale") unavailable.add(apiVersionOf({ group, version }));
      for (const { resource, responseKind, scope, verbs, shortNames, subresources = [] } of served) {
        if (responseKind?.kind === undefined || responseKind.kind === "") continue;
        resources.push({
          group,
          version,
          kind: responseKind.kind,
          plural: resource,
          namespaced: scope === "Namespaced",
          subresources: subresources.map(({ subresource }) => subresource),
          verbs: verbs ?? [],
          ...(shortNames === undefined ? {} : { shortNames }),
        });
      }
    }
  }
}

function versionsByPreference(group: NonNullable<GroupList["groups"]>[number]): string[] {
  const versions = (group.versions ?? []).map(({ groupVersion }) => groupVersion);
  const preferred = group.preferredVersion?.groupVersion;
  if (preferred === undefined) return versions;
  return [preferred, ...versions.filter((version) => version !== preferred)];
}

/** Undefined when the server does not know them now: one part of the API that is away must not hide the rest. */
async function loadVersion(client: Client, apiVersion: string): Promise<ResourceList | undefined> {
  try {
    return (await client.raw(
      "GET",
      apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    )) as ResourceList;
  } catch (error) {
    if (isApiError(error) && (error.status === 404 || error.status >= 500)) return undefined;
    throw error;
  }
}

function readResourceList(apiVersion: string, list: ResourceList): ResourceType[] {
  const { group, version } = parseApiVersion(apiVersion);
  const resources: ResourceType[] = [];
  const byPlural = new Map<string, string[]>();
  for (const { name, kind, namespaced, verbs, shortNames } of list.resources ?? []) {
    const [plural = name, subresource] = name.split("/", 2);
    const subresources = byPlural.get(plural) ?? [];
    byPlural.set(plural, subresources);
    if (subresource !== undefined) subresources.push(subresource);
    else
      resources.push({
        group,
        version,
        kind,
        plural,
        namespaced: namespaced === true,
        subresources,
        verbs: verbs ?? [],
        ...(shortNames === undefined ? {} : { shortNames }),
      });
  }
  return resources;
}
