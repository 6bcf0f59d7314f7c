import { printYaml } from "../../apis/index.ts";
import { failure, type StatusError } from "../statusError.ts";
import type { Resource } from "../types.ts";
import { type Form, negotiate } from "./accept.ts";
import { aggregatedDiscovery, groupDocument, groupList, legacyVersions, resourceList } from "./discovery.ts";
import { type Document, documentOf, Documents } from "./documents.ts";

/** A complete answer. */
export interface DocumentAnswer {
  /** 200, 304 for an unchanged document, 301 for an OpenAPI document with an outdated hash. */
  status: number;
  /** Names in lower case: content-type, etag, location, cache-control, vary. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface DocumentRequest {
  /** The path without the query: `/apis/apps/v1`. */
  path: string;
  /** The query, for the hash of an OpenAPI document. */
  query?: URLSearchParams;
  accept: string;
  /** The If-None-Match header. */
  ifNoneMatch?: string | undefined;
}

export interface DocumentOptions {
  /** Such as `v1.35.4`. */
  version: string;
  /** `host:port` of the server. */
  address: string;
}

const EMPTY = Buffer.alloc(0);
const documents = new WeakMap<readonly Resource[], Documents>();

/**
 * Answers discovery and OpenAPI requests: `/api`, `/apis`, `/api/v1`, `/apis/G`, `/apis/G/V`, `/openapi/v2`,
 * `/openapi/v3` and `/openapi/v3/…`. Undefined for any other path and for unserved groups (a 404). Throws a StatusError
 * 406 when the client accepts no available form. Pass the same array until the resources change.
 */
export function answerDocument(
  resources: readonly Resource[],
  request: DocumentRequest,
  options: DocumentOptions,
): DocumentAnswer | undefined {
  const [root, ...rest] = request.path.replace(/\/$/, "").slice(1).split("/");
  if (root !== "api" && root !== "apis" && root !== "openapi") return undefined;
  let known = documents.get(resources);
  if (known === undefined) {
    // OpenAPI names the version without its patch number: 1.35.
    known = new Documents(resources, options.version.replace(/^v(\d+\.\d+).*$/, "$1"));
    documents.set(resources, known);
  }
  if (root === "openapi") return openApi(known, rest, request);
  return discovery(known, root === "api", rest, request, options);
}

const AGGREGATED = { g: "apidiscovery.k8s.io", v: "v2", as: "APIGroupDiscoveryList" } as const;
const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const JSON_TYPES = ["application/json"];
const JSON_FORM: Form<"json"> = { name: "json", types: JSON_TYPES };
const PLAIN_FORMS: readonly Form<"json" | "yaml">[] = [JSON_FORM, { name: "yaml", types: ["application/yaml"] }];
const ROOT_FORMS: readonly Form<"aggregated" | "json" | "yaml">[] = [
  { name: "aggregated", types: JSON_TYPES, conversion: AGGREGATED },
  ...PLAIN_FORMS,
];
/** In the API server's order. The last type is for typed clients, which accept JSON as well. */
const DISCOVERY_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

function discovery(
  known: Documents,
  core: boolean,
  path: readonly string[],
  request: DocumentRequest,
  options: DocumentOptions,
): DocumentAnswer | undefined {
  if (path.length > 0) {
    const document = ofGroup(known, core ? ["", ...path] : path);
    return document === undefined ? undefined : plain(document, accepted(request, PLAIN_FORMS, DISCOVERY_TYPES));
  }
  const groups = known.family(core);
  const [first] = groups;
  if (core && first === undefined) return undefined;
  const form = accepted(request, ROOT_FORMS, DISCOVERY_TYPES);
  if (form === "aggregated") {
    const document = known.get(`aggregated ${core}`, () => aggregatedDiscovery(groups));
    return cacheable(document, request, { "content-type": AGGREGATED_TYPE, "cache-control": "public", vary: "Accept" });
  }
  if (!core || first === undefined)
    return plain(
      known.get("groups", () => groupList(groups)),
      form,
    );
  return plain(documentOf(legacyVersions(first, options.address)), form);
}

/** The document of a group or of one of its versions. */
function ofGroup(known: Documents, [name = "", version, ...more]: readonly string[]): Document | undefined {
  const group = known.group(name);
  if (group === undefined || more.length > 0) return undefined;
  if (version === undefined) return known.get(`group ${name}`, () => groupDocument(group));
  const served = group.versions.find((candidate) => candidate.name === version);
  return served === undefined ? undefined : known.get(`resources ${name}/${version}`, () => resourceList(served));
}

const V2_PROTOBUF = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
];
const V2_FORMS: readonly Form<"json" | "protobuf">[] = [JSON_FORM, { name: "protobuf", types: V2_PROTOBUF }];

function openApi(known: Documents, path: readonly string[], request: DocumentRequest): DocumentAnswer | undefined {
  const [version, ...rest] = path;
  if (version === "v2" && rest.length === 0) {
    const form = accepted(request, V2_FORMS, [...JSON_TYPES, ...V2_PROTOBUF]);
    return cacheable(known.openApiV2(form), request, {
      "content-type": form === "json" ? "application/json" : (V2_PROTOBUF[1] as string),
      "cache-control": "no-cache, private",
      vary: "Accept-Encoding, Accept",
    });
  }
  if (version !== "v3") return undefined;
  if (rest.length === 0) {
    const { body } = known.openApiV3Index();
    const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache, private" };
    return { status: 200, headers, body };
  }
  const document = known.openApiV3(rest.join("/"));
  return document === undefined ? undefined : openApiV3(document, request);
}

function openApiV3(document: Document, request: DocumentRequest): DocumentAnswer {
  accepted(request, [JSON_FORM], JSON_TYPES);
  const headers = { "content-type": "application/json", vary: "Accept" };
  const wanted = request.query?.get("hash") ?? "";
  if (wanted === "") return cacheable(document, request, { ...headers, "cache-control": "no-cache, private" });
  if (wanted === document.hash)
    return cacheable(document, request, { ...headers, "cache-control": "public, immutable" });
  const location = `${request.path}?hash=${document.hash}`;
  return { status: 301, headers: { ...headers, "cache-control": "no-cache, private", location }, body: EMPTY };
}

function accepted<Name extends string>(
  { accept }: DocumentRequest,
  forms: readonly Form<Name>[],
  types: readonly string[],
): Name {
  const form = negotiate(accept, forms);
  if (form === undefined) throw notAcceptable(types);
  return form;
}

function notAcceptable(types: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return failure(406, "NotAcceptable", message, {});
}

function plain({ body }: Document, form: "json" | "yaml"): DocumentAnswer {
  const headers = { "content-type": `application/${form}`, "cache-control": "no-cache, private" };
  return { status: 200, headers, body: form === "json" ? body : Buffer.from(printYaml(JSON.parse(body.toString()))) };
}

function cacheable(
  { body, hash }: Document,
  { ifNoneMatch }: DocumentRequest,
  headers: Record<string, string>,
): DocumentAnswer {
  const etag = `"${hash}"`;
  const known = ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  if (known.includes(etag)) return { status: 304, headers: { ...headers, etag }, body: EMPTY };
  return { status: 200, headers: { ...headers, etag }, body };
}
