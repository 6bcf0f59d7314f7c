import { defined, QUERY_PATH } from "../../apis/index.ts";
import { parseQuery } from "../ask/index.ts";
import { type Query, badRequest, QueryError, type Resource, RESOURCES } from "../types.ts";
import {
  RequestError,
  GROUP_PATH,
  WATCHES_PATH,
  isGettable,
  isNamespaced,
  type Part,
  partsOf,
  rowKeyOf,
  type IncludeObject,
} from "./answers/index.ts";

/** A subresource of a row. */
export interface PartRoute {
  to: "Part";
  part: Part;
  resource: Resource;
  namespace?: string;
  name: string;
}

export type Route =
  | { to: "Document"; path: string }
  | { to: "Resource"; resource: Resource; namespace?: string; name?: string }
  | { to: "Watches" }
  | PartRoute;

const DOCUMENTS: readonly string[] = ["/apis", GROUP_PATH, QUERY_PATH, "/openapi/v3", `/openapi/v3${QUERY_PATH}`];

/** Undefined: the path is not one of the query API. */
export function routeOf(path: string): Route | undefined {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (DOCUMENTS.includes(plain)) return { to: "Document", path: plain };
  if (!plain.startsWith(`${QUERY_PATH}/`)) return undefined;
  if (plain === WATCHES_PATH) return { to: "Watches" };
  const parts = plain
    .slice(QUERY_PATH.length + 1)
    .split("/")
    .map(decoded);
  const namespace = parts[0] === "namespaces" ? parts[1] : undefined;
  const [resource = "", name, subresource, ...more] = parts[0] === "namespaces" ? parts.slice(2) : parts;
  const known = RESOURCES.find((one) => one === resource);
  const isMisplaced = known !== undefined && namespace !== undefined && !isNamespaced(known);
  const part = known === undefined ? undefined : partsOf(known).find((one) => one === subresource);
  const isUnknown = known === undefined || more.length > 0 || (subresource !== undefined && part === undefined);
  if (isUnknown || isMisplaced || namespace === "" || name === "")
    throw new QueryError(404, "NotFound", `there is no such path; resources are ${RESOURCES.join(", ")}`);
  if (name !== undefined && !isGettable(known))
    throw new QueryError(404, "NotFound", `a row of ${known} cannot be read alone; list ${known}`);
  if (name !== undefined && part !== undefined)
    return { to: "Part", part, resource: known, name, ...defined({ namespace }) };
  return { to: "Resource", resource: known, ...defined({ namespace, name }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest("the path is not percent-encoded as it should be");
  }
}

/** What a request asks for, without its query of rows. */
export interface Manner {
  isWatch: boolean;
  since?: string;
  bookmarks: boolean;
  timeoutMs: number;
  include: IncludeObject;
}

export interface Asked {
  query: Query;
  manner: Manner;
}

/** Parameters of every Kubernetes API, which say nothing about rows. */
const OF_KUBERNETES: ReadonlySet<string> = new Set([
  ...["watch", "resourceVersion", "resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents"],
  ...["timeoutSeconds", "timeout", "includeObject", "fieldSelector", "pretty"],
]);
const LONGEST_WATCH_MS = 3_600_000;
const MOST_PARAMETERS = 64;

/** @throws {QueryError} 400 that names the parameter */
export function askedBy(
  { resource, namespace }: { resource: Resource; namespace?: string },
  parameters: URLSearchParams,
  lastEventId: string | undefined,
): Asked {
  if (parameters.size > MOST_PARAMETERS) throw badRequest(`a query has at most ${MOST_PARAMETERS} parameters`);
  const own = [...parameters].filter(([name]) => !OF_KUBERNETES.has(name));
  // Other API servers understand 0 as no limit.
  const rows = own.filter(([name, value]) => !(name === "limit" && value === "0"));
  if (namespace !== undefined) {
    if (parameters.has("namespace"))
      throw badRequest("the path names the namespace; leave out the parameter namespace");
    rows.push(["namespace", namespace]);
  }
  const query = parseQuery(resource, [...rows, ...selected(resource, parameters.get("fieldSelector"), rows)]);
  const seen = lastEventId ?? parameters.get("resourceVersion") ?? "";
  return {
    query,
    manner: {
      isWatch: flag(parameters, "watch"),
      ...(seen === "" || seen === "0" ? {} : { since: seen }),
      bookmarks: flag(parameters, "allowWatchBookmarks"),
      timeoutMs: timeoutOf(parameters.get("timeoutSeconds")),
      include: includeOf(parameters.get("includeObject")),
    },
  };
}

function flag(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name);
  if (value === null || value === "false" || value === "0") return false;
  if (value === "true" || value === "1" || value === "") return true;
  throw badRequest(`${name} takes true or false`);
}

function timeoutOf(text: string | null): number {
  if (text === null || text === "" || text === "0") return LONGEST_WATCH_MS;
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw badRequest("timeoutSeconds takes a whole number");
  return Math.min(Number(text) * 1000, LONGEST_WATCH_MS);
}

function includeOf(text: string | null): IncludeObject {
  if (text === null || text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest("includeObject takes None, Metadata or Object");
}

/**
 * The rows that a field selector adds to the given ones: `kubectl get NAME -w` selects by metadata.name. A second value
 * of a list would widen the query, so what is said twice is refused.
 */
function selected(
  resource: Resource,
  selector: string | null,
  given: readonly (readonly [string, string])[],
): [string, string][] {
  if (selector === null || selector === "") return [];
  const rows = selector.split(",").flatMap((term) => selectedBy(resource, term));
  return rows.filter(([name, value], at) => {
    const other = [...given, ...rows.slice(0, at)].find(([one, text]) => one === name && text !== "");
    if (other === undefined) return true;
    // A client may say in the selector what its path says already.
    if (name === "namespace" && other[1] === value) return false;
    throw badRequest(`fieldSelector and another parameter both select by ${name}; leave out one of them`);
  });
}

function selectedBy(resource: Resource, term: string): [string, string][] {
  const [field, value = "", ...more] = term.split(/==?/);
  if (field === "metadata.namespace" && more.length === 0 && value !== "" && isNamespaced(resource))
    return [["namespace", value]];
  if (field !== "metadata.name" || more.length > 0 || !isGettable(resource)) {
    const fields = [isGettable(resource) && "metadata.name=NAME", isNamespaced(resource) && "metadata.namespace=NAME"];
    const allowed = fields.filter((one) => one !== false);
    throw badRequest(`fieldSelector of ${resource} takes ${allowed.join(" and ")}; use the other parameters`);
  }
  const key = rowKeyOf(resource, undefined, value);
  if (!("object" in key)) return [["cel", `object.name == ${JSON.stringify(value)}`]];
  const { kind, group, name } = key.object;
  const rows: [string, string][] = [
    ["kind", `${group}/${kind}`],
    ["name", name],
    ["cel", `object.name == ${JSON.stringify(name)}`],
  ];
  return key.cluster === undefined ? rows : [...rows, ["cluster", key.cluster]];
}

/** The parameters of an address. Each `?` after the first one is part of a value, as in an expression of CEL. */
export function parametersOf(url = ""): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at + 1));
}

const MOST_BYTES_OF_URL = 8_192;

/** Checks the size and the method of a request. */
export function checkRequest({ url = "/", method, headers }: RequestHead): void {
  if (url.length > MOST_BYTES_OF_URL)
    throw new RequestError(414, `the address is longer than ${MOST_BYTES_OF_URL} characters; ask for less at once`);
  if (method !== "GET") throw new RequestError(405, "the query API is read only; use GET");
  const length = headers["content-length"] ?? "0";
  if (length !== "0" || headers["transfer-encoding"] !== undefined)
    throw new RequestError(413, "a query has no body; put the parameters into the address");
}

/**
 * Refuses a caller whose token crosses a network in the clear. `kubectl port-forward` and a proxy in the pod come from
 * loopback.
 */
export function checkWay({ isEncrypted, remoteAddress = "" }: { isEncrypted: boolean; remoteAddress?: string }): void {
  if (isEncrypted || remoteAddress === "::1" || /^(::ffff:)?127\./.test(remoteAddress)) return;
  throw new RequestError(
    403,
    "tokens do not go over the network in the clear; use the port with TLS (--query-port), or kubectl port-forward",
  );
}

export interface RequestHead {
  url?: string | undefined;
  method?: string | undefined;
  headers: { readonly [name: string]: string | string[] | undefined };
}
