/** The attributes of a request, read from its method, path and query only. */

export interface ResourceRequest {
  kind: "Resource";
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  verb: string;
  group: string;
  version: string;
  /** The plural name. */
  resource: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}

export interface NonResourceRequest {
  kind: "NonResource";
  /** The method in lower case. */
  verb: string;
  path: string;
}

export type RequestInfo = ResourceRequest | NonResourceRequest;

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/**
 * Below a namespace these segments are subresources of the namespace; every other segment is a resource in the
 * namespace.
 */
const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/**
 * Decodes `path` segment by segment. A path that names no resource (`/api`, `/version`, a group's list) is a
 * NonResource.
 */
export function requestInfoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = path.split("/").filter((segment) => segment !== "");
  const nonResource: NonResourceRequest = { kind: "NonResource", verb: method.toLowerCase(), path };
  const decoded = decodeAll(segments);
  if (decoded === undefined) return nonResource;
  const placed = place(decoded);
  if (placed === undefined) return nonResource;
  const info: ResourceRequest = { kind: "Resource", verb: VERBS[method] ?? method.toLowerCase(), ...placed };
  if (info.name !== undefined) return info;
  if (info.verb === "get") {
    info.verb = isTrue(query.get("watch")) ? "watch" : "list";
    const name = /^metadata\.name==?([^,]+)$/.exec(query.get("fieldSelector") ?? "")?.[1];
    if (name !== undefined) info.name = name;
  }
  if (info.verb === "delete") info.verb = "deletecollection";
  return info;
}

/** A query parameter is true with any value except `false` and `0`, also with none. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "false" && value !== "0";
}

function place(segments: readonly string[]): Omit<ResourceRequest, "kind" | "verb"> | undefined {
  const [root, ...rest] = segments;
  const group = root === "api" ? "" : root === "apis" ? rest.shift() : undefined;
  const version = rest.shift();
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const [first = "", second, third, ...deeper] = rest;
  if (first !== "namespaces" || second === undefined) {
    return { group, version, resource: first, ...named(second, third === undefined ? [] : [third, ...deeper]) };
  }
  if (third === undefined || (NAMESPACE_SUBRESOURCES.has(third) && deeper.length === 0)) {
    return { group, version, resource: first, namespace: second, ...named(second, third === undefined ? [] : [third]) };
  }
  const [name, ...subresource] = deeper;
  return { group, version, resource: third, namespace: second, ...named(name, subresource) };
}

function named(name: string | undefined, subresource: readonly string[]): { name?: string; subresource?: string } {
  if (name === undefined) return {};
  return subresource.length === 0 ? { name } : { name, subresource: subresource.join("/") };
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
