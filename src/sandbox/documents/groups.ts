import type { Resource, ResourceVersion } from "../types.ts";

/** A resource in one of its versions. */
export interface ServedResource {
  resource: Resource;
  version: ResourceVersion;
}

export interface ServedVersion {
  name: string;
  /** `v1` or `apps/v1`. */
  groupVersion: string;
  /** Sorted by resource name. */
  resources: readonly ServedResource[];
}

export interface ServedGroup {
  name: string;
  /** The preferred version first. */
  versions: readonly ServedVersion[];
}

/** Built-in groups in the API server's order. Groups of CRDs follow by name. */
const GROUP_ORDER = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

/** The served resources by group and version, without versions that no resource serves. */
export function servedGroups(resources: readonly Resource[]): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of resources) {
    for (const version of resource.versions.filter(({ served }) => served)) {
      const versions = at(groups, resource.group, () => new Map<string, ServedResource[]>());
      at(versions, version.name, () => []).push({ resource, version });
    }
  }
  return [...groups]
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .map(([version, served]) => ({
          name: version,
          groupVersion: groupVersionOf(name, version),
          resources: served.sort((a, b) => compare(a.resource.plural, b.resource.plural)),
        }))
        .sort((a, b) => compareVersions(a.name, b.name)),
    }))
    .sort((a, b) => groupRank(a.name) - groupRank(b.name) || compare(a.name, b.name));
}

export function groupVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

function groupRank(name: string): number {
  const index = GROUP_ORDER.indexOf(name);
  return index < 0 ? GROUP_ORDER.length : index;
}

function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const STABILITY = ["alpha", "beta", ""];

/** Sorts stable versions before beta before alpha, higher numbers first; other names come last, by name. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [VERSION.exec(a), VERSION.exec(b)];
  if (first === null || second === null) {
    if (first === second) return compare(a, b);
    return first === null ? 1 : -1;
  }
  const rank = (match: RegExpExecArray) =>
    [STABILITY.indexOf(match[2] ?? ""), Number(match[1]), Number(match[3] ?? 0)] as const;
  const [left, right] = [rank(first), rank(second)];
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}
