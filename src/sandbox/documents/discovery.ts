import { defined, kindKey } from "../../apis/index.ts";
import { createHash } from "node:crypto";
import type { Resource, Subresource } from "../types.ts";
import { groupVersionOf, type ServedGroup, type ServedResource, type ServedVersion } from "./groups.ts";
import { subresourcesOf, verbsOf } from "./verbs.ts";

/** `/api`. `address` is `host:port` of the server. */
export function legacyVersions(core: ServedGroup, address: string) {
  return {
    kind: "APIVersions",
    versions: core.versions.map(({ name }) => name),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis`. */
export function groupList(groups: readonly ServedGroup[]) {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** `/apis/GROUP`. */
export function groupDocument(group: ServedGroup) {
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

function describeGroup({ name, versions }: ServedGroup) {
  const described = versions.map(({ groupVersion, name: version }) => ({ groupVersion, version }));
  return { name, versions: described, preferredVersion: described[0] };
}

/** `/api/v1` and `/apis/GROUP/VERSION`. The core group omits the list's own apiVersion. */
export function resourceList({ groupVersion, resources }: ServedVersion) {
  return {
    kind: "APIResourceList",
    ...(groupVersion.includes("/") ? { apiVersion: "v1" } : {}),
    groupVersion,
    resources: resources.flatMap((served) => [
      describeResource(served),
      ...subresourcesOf(served).map((subresource) => describeSubresource(served, subresource)),
    ]),
  };
}

function describeResource(served: ServedResource) {
  const { plural, singular, namespaced, kind, shortNames, categories } = served.resource;
  const hash = verbsOf(served).includes("list") ? storageVersionHash(served.resource) : undefined;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...defined({ storageVersionHash: hash }),
  };
}

function describeSubresource({ resource }: ServedResource, { name, group, version, kind, verbs }: Subresource) {
  return {
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...defined({ group, version }),
    kind,
    verbs,
  };
}

/** Kinds that the API server does not store under their own group and preferred version. */
const STORED_AS: Readonly<Record<string, string>> = {
  "events.k8s.io/Event": "/v1",
  "apiextensions.k8s.io/CustomResourceDefinition": "apiextensions.k8s.io/v1beta1",
};

/** Hash of the stored version. Two resources with the same hash have the same objects. */
function storageVersionHash({ group, kind, versions }: Resource): string {
  const version = (versions.find(({ storage }) => storage) ?? versions[0])?.name ?? "";
  const stored = STORED_AS[kindKey({ group, kind })] ?? `${group}/${version}`;
  return createHash("sha256").update(`${stored}/${kind}`).digest().subarray(0, 8).toString("base64");
}

/** `/api` and `/apis` in the aggregated form, which holds all groups and resources. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]) {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(({ name: version, resources }) => ({
        version,
        resources: resources.map(aggregateResource),
        freshness: "Current",
      })),
    })),
  };
}

function aggregateResource(served: ServedResource) {
  const { resource, version } = served;
  const { plural, singular, namespaced, kind, shortNames, categories, group, crd } = resource;
  // Built-in kinds omit their own group and version in subresources.
  const own = crd === undefined ? { group: "", version: "" } : { group, version: version.name };
  const subresources = subresourcesOf(served).map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      group: subresource.group ?? own.group,
      version: subresource.version ?? own.version,
      kind: subresource.kind,
    },
    verbs: subresource.verbs,
  }));
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** The path of a group and version without its leading slash: `api/v1`, `apis/apps/v1`. */
export function pathOf(group: string, version: string): string {
  return `${group === "" ? "api" : "apis"}/${groupVersionOf(group, version)}`;
}
