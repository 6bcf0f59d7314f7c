import type { Column, Subresource } from "../../../src/sandbox/types.ts";
import type { Api } from "../../envtest/index.ts";
import { firstSentence, type Schemas } from "./publishedSchemas.ts";

/** A resource as builtin.json holds it: what the sandbox's Resource has, as far as a server publishes it. */
export interface PublishedResource {
  group: string;
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  verbs: readonly string[];
  /** The one that the server prefers stands first. */
  versions: readonly PublishedVersion[];
}

export interface PublishedVersion {
  name: string;
  /** The name of the definition. */
  schema: string;
  subresources: readonly Subresource[];
  columns: readonly Column[];
}

interface Discovered {
  resource: string;
  responseKind: { kind: string };
  scope: "Namespaced" | "Cluster";
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: {
    subresource: string;
    responseKind: { group: string; version: string; kind: string };
    verbs: string[];
  }[];
}

interface DiscoveryList {
  items: { metadata: { name?: string }; versions: { version: string; resources: Discovered[] }[] }[];
}

interface Table {
  columnDefinitions: Column[];
}

const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

export async function publishedResources(
  api: Api,
  served: Readonly<Record<string, readonly string[]>>,
  oldVersions: readonly string[],
  schemas: Schemas,
): Promise<PublishedResource[]> {
  const resources = new Map<string, PublishedResource & { versions: PublishedVersion[] }>();
  for (const path of ["/api", "/apis"]) {
    const { items } = (await api.request<DiscoveryList>("GET", path, undefined, { accept: DISCOVERY })).body;
    for (const { metadata, versions } of items) {
      const group = metadata.name ?? "";
      for (const { version, resources: discovered } of versions) {
        if (oldVersions.includes(`${group}/${version}`)) continue;
        for (const found of discovered) {
          if (served[group]?.includes(found.resource) !== true) continue;
          const key = `${group}/${found.resource}`;
          const known = resources.get(key);
          const published = await publishedVersion(api, group, version, found, schemas);
          if (known === undefined) resources.set(key, { ...describe(group, found), versions: [published] });
          else known.versions.push(published);
        }
      }
    }
  }
  const missing = Object.entries(served)
    .flatMap(([group, plurals]) => plurals.map((plural) => `${group}/${plural}`))
    .filter((key) => !resources.has(key));
  if (missing.length > 0) throw new Error(`the server does not serve ${missing.join(", ")}`);
  return [...resources.keys()].sort().flatMap((key) => resources.get(key) ?? []);
}

function describe(group: string, found: Discovered): Omit<PublishedResource, "versions"> {
  return {
    group,
    plural: found.resource,
    singular: found.singularResource,
    kind: found.responseKind.kind,
    listKind: `${found.responseKind.kind}List`,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    namespaced: found.scope === "Namespaced",
    verbs: found.verbs,
  };
}

async function publishedVersion(
  api: Api,
  group: string,
  version: string,
  found: Discovered,
  schemas: Schemas,
): Promise<PublishedVersion> {
  const kind = found.responseKind.kind;
  const path = `${group === "" ? "/api" : `/apis/${group}`}/${version}/${found.resource}`;
  return {
    name: version,
    schema: schemaOf(schemas, group, version, kind),
    subresources: (found.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      ...(responseKind.group === "" ? {} : { group: responseKind.group }),
      ...(responseKind.version === "" ? {} : { version: responseKind.version }),
      kind: responseKind.kind,
      verbs,
    })),
    columns: found.verbs.includes("list") ? await columnsOf(api, path) : [],
  };
}

function schemaOf(schemas: Schemas, group: string, version: string, kind: string): string {
  for (const [name, schema] of Object.entries(schemas)) {
    const kinds = (
      schema as { "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[] }
    )["x-kubernetes-group-version-kind"];
    if (kinds?.some((one) => one.group === group && one.version === version && one.kind === kind) === true) return name;
  }
  throw new Error(`the server publishes no schema of ${kind} in ${group}/${version}`);
}

async function columnsOf(api: Api, path: string): Promise<Column[]> {
  const { status, body } = await api.request<Table>("GET", path, undefined, { accept: TABLE });
  if (status !== 200) throw new Error(`GET ${path} as a Table: ${status}`);
  return body.columnDefinitions.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? "",
    description: firstSentence(description ?? ""),
    priority,
  }));
}
