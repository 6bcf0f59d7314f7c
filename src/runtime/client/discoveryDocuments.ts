import { isRecord, parseApiVersion } from "../../apis/index.ts";
import { isApiError, TransportError } from "../core/index.ts";
import { apiVersionOf } from "./resources.ts";
import type { Client, ResourceType } from "../types.ts";

export interface DiscoveredResources {
  /** Versions of a group are adjacent, the preferred version first. */
  resources: ResourceType[];
  /** apiVersions of an aggregated API that is unavailable. */
  unavailable: ReadonlySet<string>;
}

const AGGREGATED = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** No name in Kubernetes is longer. */
const LONGEST_NAME = 253;
/** A large cluster serves a few hundred groups and a few thousand resources. */
const MOST_GROUP_VERSIONS = 5_000;
const MOST_RESOURCES = 50_000;
/** Verbs, short names or subresources of one resource. */
const MOST_NAMES = 100;

/** Two requests with aggregated discovery; else one more for each version. */
export async function loadResources(client: Client): Promise<DiscoveredResources> {
  const answers = await Promise.all(
    ["/api", "/apis"].map(async (path) => checked(path, await client.raw("GET", path, { accept: AGGREGATED }))),
  );
  const found: DiscoveredResources & { unavailable: Set<string> } = { resources: [], unavailable: new Set<string>() };
  const legacy: string[] = [];
  for (const { path, document } of answers) {
    if (document["kind"] === "APIGroupDiscoveryList") readAggregated(path, document, found);
    else legacy.push(...groupVersionsIn(document));
  }
  const lists = await Promise.all(legacy.map((apiVersion) => loadVersion(client, apiVersion)));
  for (const [at, apiVersion] of legacy.entries()) {
    const list = lists[at];
    if (list === undefined) found.unavailable.add(apiVersion);
    else readResourceList(apiVersion, list, found.resources);
  }
  return found;
}

function checked(path: string, answer: unknown): { path: string; document: Fields } {
  if (isRecord(answer)) return { path, document: answer };
  throw malformed(path);
}

function readAggregated(
  path: string,
  document: Fields,
  { resources, unavailable }: DiscoveredResources & { unavailable: Set<string> },
): void {
  const served = resources.length;
  let versions = 0;
  for (const item of recordsIn(document["items"], path)) {
    const group = nameIn(fieldsIn(item["metadata"], path)["name"] ?? "", path);
    for (const version of recordsIn(item["versions"], path)) {
      const apiVersion = { group, version: nameIn(version["version"], path) };
      if (version["freshness"] === "Stale") unavailable.add(apiVersionOf(apiVersion));
      for (const resource of recordsIn(version["resources"], path)) {
        const kind = nameIn(fieldsIn(resource["responseKind"], path)["kind"] ?? "", path);
        if (kind === "") continue;
        const { shortNames } = resource;
        resources.push({
          ...apiVersion,
          kind,
          plural: nameIn(resource["resource"], path),
          namespaced: resource["scope"] === "Namespaced",
          subresources: recordsIn(resource["subresources"], path, MOST_NAMES).map((one) =>
            nameIn(one["subresource"], path),
          ),
          verbs: namesIn(resource["verbs"], path),
          ...(shortNames === undefined || shortNames === null ? {} : { shortNames: namesIn(shortNames, path) }),
        });
      }
      if (++versions > MOST_GROUP_VERSIONS || resources.length - served > MOST_RESOURCES) throw tooMany(path);
    }
  }
}

/** In an `APIVersions` or `APIGroupList`, the preferred version of each group first. Throws for another document. */
export function groupVersionsIn(document: unknown): string[] {
  const path = isRecord(document) && document["kind"] === "APIVersions" ? "/api" : "/apis";
  const { kind, versions, groups } = fieldsIn(document, path);
  if (kind === "APIVersions") return namesIn(versions, path, MOST_GROUP_VERSIONS);
  if (kind !== "APIGroupList") throw malformed(path);
  const found: string[] = [];
  for (const group of recordsIn(groups, path)) {
    const preferred = fieldsIn(group["preferredVersion"], path)["groupVersion"];
    const named = recordsIn(group["versions"], path).map((one) => nameIn(one["groupVersion"], path));
    const ordered = new Set(preferred === undefined ? named : [nameIn(preferred, path), ...named]);
    found.push(...ordered);
    if (found.length > MOST_GROUP_VERSIONS) throw tooMany(path);
  }
  return found;
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined and null are an empty map, as in Go. */
function fieldsIn(value: unknown, path: string): Fields {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw malformed(path);
}

function recordsIn(value: unknown, path: string, most = MOST_RESOURCES): Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isRecord)) throw malformed(path);
  if (value.length > most) throw tooMany(path);
  return value;
}

function namesIn(value: unknown, path: string, most = MOST_NAMES): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed(path);
  if (value.length > most) throw tooMany(path);
  return value.map((name) => nameIn(name, path));
}

function nameIn(value: unknown, path: string): string {
  if (typeof value === "string" && value.length <= LONGEST_NAME) return value;
  throw malformed(path);
}

function malformed(path: string): TransportError {
  const endpoint = `GET ${path}`;
  return new TransportError("Protocol", `${endpoint}: what the server sent is not what it serves`, undefined, endpoint);
}

function tooMany(path: string): TransportError {
  const endpoint = `GET ${path}`;
  return new TransportError("TooLarge", `${endpoint}: the server serves more than is read`, undefined, endpoint);
}

/** Undefined if the server cannot answer now: one unavailable part of the API must not hide the others. */
async function loadVersion(client: Client, apiVersion: string): Promise<unknown> {
  try {
    return await client.raw("GET", pathOf(apiVersion));
  } catch (error) {
    if (isApiError(error) && (error.status === 404 || error.status >= 500)) return undefined;
    throw error;
  }
}

function pathOf(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function readResourceList(apiVersion: string, list: unknown, resources: ResourceType[]): void {
  const path = pathOf(apiVersion);
  const { group, version } = parseApiVersion(apiVersion);
  const byPlural = new Map<string, string[]>();
  for (const { name: given, kind, namespaced, verbs, shortNames } of recordsIn(
    checked(path, list).document["resources"],
    path,
  )) {
    const name = nameIn(given, path);
    const [plural = name, subresource] = name.split("/", 2);
    const subresources = byPlural.get(plural) ?? [];
    byPlural.set(plural, subresources);
    if (subresource !== undefined) subresources.push(subresource);
    else
      resources.push({
        group,
        version,
        kind: nameIn(kind, path),
        plural,
        namespaced: namespaced === true,
        subresources,
        verbs: namesIn(verbs, path),
        ...(shortNames === undefined || shortNames === null ? {} : { shortNames: namesIn(shortNames, path) }),
      });
  }
  if (resources.length > MOST_RESOURCES) throw tooMany(path);
}
