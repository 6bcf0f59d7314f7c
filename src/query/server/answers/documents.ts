import { defined, QUERY_GROUP, QUERY_PATH, QUERY_VERSION } from "../../../apis/index.ts";
import { allowedParameters } from "../../ask/index.ts";
import { type Resource, RESOURCES } from "../../types.ts";
import {
  API_VERSION,
  GROUP_PATH,
  isGettable,
  isNamespaced,
  KIND_OF,
  type Part,
  PART_KINDS,
  partsOf,
  SHORT_NAMES,
  WATCHES_PATH,
} from "./names.ts";

const GROUP_VERSION = { groupVersion: API_VERSION, version: QUERY_VERSION };
const GROUP = { name: QUERY_GROUP, versions: [GROUP_VERSION], preferredVersion: GROUP_VERSION };

/** The discovery document or description at the path. */
export function documentAt(path: string): object {
  switch (path) {
    case "/apis":
      return { kind: "APIGroupList", apiVersion: "v1", groups: [GROUP] };
    case GROUP_PATH:
      return { kind: "APIGroup", apiVersion: "v1", ...GROUP };
    case QUERY_PATH:
      return { kind: "APIResourceList", apiVersion: "v1", groupVersion: API_VERSION, resources: resources() };
    case "/openapi/v3":
      return { paths: { [QUERY_PATH.slice(1)]: { serverRelativeURL: `/openapi/v3${QUERY_PATH}` } } };
    default:
      return description();
  }
}

function resources(): object[] {
  return RESOURCES.flatMap((resource) => [
    {
      name: resource,
      singularName: KIND_OF[resource].toLowerCase(),
      namespaced: isNamespaced(resource),
      kind: KIND_OF[resource],
      verbs: isGettable(resource) ? ["get", "list", "watch"] : ["list", "watch"],
      ...(SHORT_NAMES[resource].length === 0 ? {} : { shortNames: SHORT_NAMES[resource] }),
    },
    ...partsOf(resource).map((part) => ({
      name: `${resource}/${part}`,
      singularName: "",
      namespaced: isNamespaced(resource),
      kind: PART_KINDS[part],
      verbs: ["get"],
    })),
  ]);
}

const SUMMARIES: Readonly<Record<Resource, string>> = {
  federatedobjects: "A row for each federated object.",
  placedobjects: "A row for each federated object and cluster.",
  fleetclusters: "A row for each member cluster.",
  causes: "Trouble, grouped by reason and shape of the message.",
  transitions: "Changes of states, newest first.",
};

const PARAMETERS: Readonly<Record<string, string>> = {
  namespace: "Namespaces, separated by commas.",
  kind: "Kinds, as Kind or group/Kind, separated by commas.",
  name: "First characters of the name.",
  labelSelector: "Labels, as of kubectl -l.",
  cluster: "Names of clusters, separated by commas.",
  region: "Regions, separated by commas.",
  state: "States, separated by commas.",
  reason: "Reasons, separated by commas.",
  policy: "Placements, as Kind/name or name, separated by commas.",
  waitingFor: "What objects wait for, separated by commas.",
  changedSince: "Only rows whose state is younger: a duration, such as 10m, or a time.",
  olderThan: "Only rows whose state is older: a duration, such as 10m, or a time.",
  cel: "An expression of CEL about the row, which is `object`.",
  groupBy: "Counts rows by region, cluster, reason, kind, namespace or policy.",
  sort: "Field to sort by, with - in front for the reverse.",
  fields: "Fields of the rows, separated by commas.",
  limit: "Most rows of a page, up to 500; 100 by default.",
  continue: "Token of the page before.",
};

const OF_KUBERNETES: Readonly<Record<string, string>> = {
  watch: "Answers with events, as JSON lines. With `Accept: text/event-stream`, as server-sent events.",
  resourceVersion: "Version of an answer, after which events begin.",
  allowWatchBookmarks: "Sends bookmarks among the events.",
  timeoutSeconds: "Time after which the watch ends.",
  fieldSelector: "metadata.name=NAME or metadata.namespace=NAME, or both with a comma, where rows have them.",
  includeObject: "What a Table has of each object: None, Metadata or Object.",
};

function description(): object {
  const paths: Record<string, object> = { [WATCHES_PATH]: { get: watchesOperation() } };
  for (const resource of RESOURCES) {
    const list = listOperation(resource);
    paths[`${QUERY_PATH}/${resource}`] = { get: list };
    if (isNamespaced(resource))
      paths[`${QUERY_PATH}/namespaces/{namespace}/${resource}`] = {
        get: withinNamespace(list),
        parameters: [inPath("namespace")],
      };
    if (!isGettable(resource)) continue;
    const operations = new Map<string, Operation>([["", getOperation(resource)]]);
    for (const part of partsOf(resource)) operations.set(`/${part}`, partOperation(resource, part));
    for (const [part, get] of operations) {
      paths[`${QUERY_PATH}/${resource}/{name}${part}`] = { get, parameters: [inPath("name")] };
      if (!isNamespaced(resource)) continue;
      const parameters = [inPath("namespace"), inPath("name")];
      paths[`${QUERY_PATH}/namespaces/{namespace}/${resource}/{name}${part}`] = {
        get: withinNamespace(get),
        parameters,
      };
    }
  }
  return {
    openapi: "3.0.0",
    info: { title: "Meridian queries", version: QUERY_VERSION, description: "The status of the fleet. Read only." },
    paths,
    components: { schemas: schemas(), securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }],
  };
}

interface Operation {
  summary: string;
  description?: string;
  operationId: string;
  parameters?: ({ name: string } & Record<string, unknown>)[];
  responses: object;
}

/** Ids of operations are unique in a description. The path names the namespace, so the parameter does not. */
function withinNamespace({ operationId, parameters, ...rest }: Operation): Operation {
  const others = parameters?.filter(({ name }) => name !== "namespace");
  return { ...rest, operationId: operationId.replace(/^[a-z]+/, "$&Namespaced"), ...defined({ parameters: others }) };
}

function watchesOperation(): Operation {
  return {
    summary: "Several watches in one stream of server-sent events.",
    description:
      "Each parameter is a watch: its name, and its address after the path of the API, percent-encoded. Each event has " +
      "the name as `watch`. To resume, give each address the resourceVersion of the last event of its watch.",
    operationId: "watchMany",
    parameters: [
      {
        name: "watches",
        in: "query",
        style: "form",
        explode: true,
        schema: { type: "object", additionalProperties: { type: "string" }, minProperties: 1, maxProperties: 8 },
        example: { trouble: "causes", held: "namespaces/shop/placedobjects?reason=DeletionsHeld" },
      },
    ],
    responses: {
      200: { description: "OK", content: { "text/event-stream": { schema: { type: "string" } } } },
      ...FAILURES,
    },
  };
}

function inPath(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function listOperation(resource: Resource): Operation {
  const names = allowedParameters(resource);
  const of = { ...Object.fromEntries(names.map((name) => [name, PARAMETERS[name] ?? ""])), ...OF_KUBERNETES };
  return {
    summary: SUMMARIES[resource],
    operationId: `list${KIND_OF[resource]}`,
    parameters: Object.entries(of).map(([name, text]) => ({
      name,
      in: "query",
      description: text,
      schema: { type: name === "limit" || name === "timeoutSeconds" ? "integer" : "string" },
    })),
    responses: { 200: answered(`${KIND_OF[resource]}List`), ...FAILURES },
    ...gvk(resource, "list"),
  };
}

function getOperation(resource: Resource): Operation {
  return {
    summary: SUMMARIES[resource],
    operationId: `read${KIND_OF[resource]}`,
    responses: { 200: answered(KIND_OF[resource]), ...FAILURES },
    ...gvk(resource, "get"),
  };
}

/** What a subresource answers, and its parameters. */
const PART_SUMMARIES: Readonly<Record<Part, { summary: string; parameters: Readonly<Record<string, string>> }>> = {
  full: {
    summary:
      "The object with every cluster, its waits, its rollout, the explanation and the differences to what was last observed.",
    parameters: { cluster: "Names of clusters, separated by commas: only these are in the answer." },
  },
  log: {
    summary: "The log of a container of the placed object, as text. Read on the member.",
    parameters: {
      pod: "Name of the pod. May be left out if there is one.",
      container: "Name of the container. May be left out if there is one.",
      tailLines: "Number of lines from the end: 100 by default, 10000 at most.",
      sinceSeconds: "Only lines that are younger.",
      sinceTime: "Only lines of this second and later. Without tailLines, all of them.",
      timestamps: "Each line begins with its time. Lines without one are the manager's own.",
      follow: "Goes on with new lines.",
      previous: "The log before the last restart.",
      timeoutSeconds: "Time after which the log ends: 900 at most. A followed log ends after 900 anyway, and says so.",
    },
  },
  events: { summary: "Events of the placed object and its pods, the last first. Read on the member.", parameters: {} },
  pods: { summary: "The pods of the placed object. Read on the member.", parameters: {} },
};

function partOperation(resource: Resource, part: Part): Operation {
  const { summary, parameters } = PART_SUMMARIES[part];
  return {
    summary,
    operationId: `read${KIND_OF[resource]}${part[0]?.toUpperCase() ?? ""}${part.slice(1)}`,
    parameters: Object.entries(parameters).map(([name, description]) => ({
      ...{ name, in: "query", description, schema: { type: "string" } },
    })),
    responses: { 200: part === "log" ? TEXT_ANSWER : answered(KIND_OF[resource]), ...FAILURES },
    ...gvk(resource, "get"),
  };
}

const TEXT_ANSWER = { description: "OK", content: { "text/plain": { schema: { type: "string" } } } };

function gvk(resource: Resource, action: string): object {
  return {
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: QUERY_GROUP, version: QUERY_VERSION, kind: KIND_OF[resource] },
  };
}

function answered(schema: string): object {
  return { description: "OK", content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

const FAILURES = Object.fromEntries(
  Object.entries({
    400: "A parameter is wrong.",
    401: "Nobody is named.",
    403: "The right is missing.",
    404: "There is no such row.",
    410: "The page or version is too old.",
    429: "Too many requests.",
  }).map(([code, text]) => [code, { description: text, content: statusContent() }]),
);

function statusContent(): object {
  return { "application/json": { schema: { $ref: "#/components/schemas/Status" } } };
}

function schemas(): object {
  const text = { type: "string" };
  const count = { type: "integer" };
  const object = { type: "object", additionalProperties: true };
  const totals = { type: "object", properties: { count, ready: count, desired: count } };
  const stale = { type: "object", properties: { cluster: text, lastContact: text, reason: text } };
  const head = { apiVersion: text, kind: text, metadata: object };
  const all: Record<string, object> = {
    Status: { type: "object", properties: { ...head, status: text, message: text, reason: text, code: count } },
  };
  for (const resource of RESOURCES) {
    const kind = KIND_OF[resource];
    const version = [{ group: QUERY_GROUP, version: QUERY_VERSION, kind }];
    all[kind] = {
      type: "object",
      description: SUMMARIES[resource],
      properties: { ...head, status: object },
      "x-kubernetes-group-version-kind": version,
    };
    const items = { type: "array", items: { $ref: `#/components/schemas/${kind}` } };
    const partial = { type: "array", items: stale };
    const properties = { ...head, items, totals, partial, groups: { type: "array", items: object } };
    all[`${kind}List`] = { type: "object", properties };
  }
  return all;
}
