import { type ClusterState, durationMs } from "../../apis/index.ts";
import { WAIT_REASONS } from "../../desiredstate/index.ts";
import { type Filter, type Grouping, GROUPINGS, type Moment, type Query, badRequest, type Resource } from "../types.ts";
import { FIELDS } from "./fields.ts";
import { parseLabelSelector } from "./labels.ts";
import { sortFields } from "./sort.ts";

const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 500;

const LONGEST = 4_096;
const MOST_VALUES = 256;
const DURATION = /^([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$/;

const OF_OBJECTS = ["namespace", "kind", "name", "labelSelector", "cluster", "region", "state", "reason", "policy"];
const OF_ALL = ["changedSince", "olderThan", "cel", "sort", "fields", "limit", "continue"];

const ALLOWED: Readonly<Record<Resource, readonly string[]>> = {
  federatedobjects: [...OF_OBJECTS, "waitingFor", ...OF_ALL, "groupBy"],
  placedobjects: [...OF_OBJECTS, "waitingFor", ...OF_ALL, "groupBy"],
  fleetclusters: ["name", "labelSelector", "cluster", "region", "state", "reason", ...OF_ALL],
  causes: [...OF_OBJECTS, "waitingFor", ...OF_ALL],
  transitions: ["namespace", "kind", "name", "cluster", "state", "reason", ...OF_ALL],
};

/** Names of the parameters that a query of the resource may have. */
export function allowedParameters(resource: Resource): readonly string[] {
  return ALLOWED[resource];
}

/**
 * The query that parameters ask for.
 *
 * @throws {QueryError} of status 400, naming the parameter and what it may be
 */
export function parseQuery(resource: Resource, parameters: Iterable<readonly [string, string]>): Query {
  const given = new Map<string, string>();
  for (const [name, value] of parameters) {
    const allowed = ALLOWED[resource];
    if (!allowed.includes(name))
      throw badRequest(`unknown parameter ${quoted(name)} of ${resource}; allowed are ${allowed.join(", ")}`);
    if (value.length > LONGEST) throw badRequest(`${name} is longer than ${LONGEST} characters`);
    const before = given.get(name);
    if (before !== undefined && !LISTS.has(name)) throw badRequest(`${name} is there twice; name it once`);
    given.set(name, before === undefined ? value : `${before},${value}`);
  }
  const filter = filterOf(given);
  checkExpression(resource, filter.cel);
  checkKnown("state", filter.state, STATES[resource]);
  checkKnown("waitingFor", filter.waitingFor, WAIT_REASONS);
  const query: Query = { resource, filter, limit: limitOf(given.get("limit")) };
  const groupBy = groupingOf(resource, given.get("groupBy"));
  if (groupBy !== undefined) query.groupBy = groupBy;
  const sort = sortOf(resource, given.get("sort"));
  if (sort !== undefined) query.sort = sort;
  const fields = fieldsOf(resource, given.get("fields"));
  if (fields !== undefined) query.fields = fields;
  const token = given.get("continue");
  if (token !== undefined && token !== "") query.continue = token;
  if (groupBy !== undefined) {
    for (const name of ["sort", "fields", "continue", "limit"])
      if (given.has(name)) throw badRequest(`${name} does not go with groupBy; leave one of them out`);
  }
  return query;
}

const LISTS: ReadonlySet<string> = new Set([
  ...["namespace", "kind", "cluster", "region", "state", "reason", "policy", "waitingFor", "fields"],
  "labelSelector",
]);
const LIST_FILTERS = ["namespace", "kind", "cluster", "region", "state", "reason", "policy", "waitingFor"] as const;

function filterOf(given: ReadonlyMap<string, string>): Filter {
  const filter: Filter = {};
  for (const name of LIST_FILTERS) {
    const text = given.get(name);
    if (text !== undefined && text !== "") filter[name] = listOf(name, text);
  }
  const prefix = given.get("name");
  if (prefix !== undefined && prefix !== "") filter.name = prefix;
  const labels = given.get("labelSelector");
  if (labels !== undefined && labels !== "") {
    const parsed = parseLabelSelector(labels);
    if (typeof parsed === "string") throw badRequest(`labelSelector: ${parsed}`);
    filter.labelSelector = parsed;
  }
  for (const name of ["changedSince", "olderThan"] as const) {
    const text = given.get(name);
    if (text !== undefined && text !== "") filter[name] = momentOf(name, text);
  }
  const cel = given.get("cel");
  if (cel !== undefined && cel !== "") filter.cel = cel;
  return filter;
}

const STATES_OF_OBJECTS = ["Available", "Progressing", "Degraded"];
const STATES_OF_PLACED = Object.keys({
  ...{ Pending: 0, Progressing: 0, Available: 0, Degraded: 0, Failed: 0, Unknown: 0, Removing: 0, Held: 0 },
} satisfies Record<ClusterState, 0>);
const STATES_OF_CLUSTERS = ["Ready", "Pending", "Unreachable"];

const STATES: Readonly<Record<Resource, readonly string[]>> = {
  federatedobjects: STATES_OF_OBJECTS,
  placedobjects: STATES_OF_PLACED,
  fleetclusters: STATES_OF_CLUSTERS,
  causes: STATES_OF_PLACED,
  transitions: [...new Set([...STATES_OF_OBJECTS, ...STATES_OF_PLACED, ...STATES_OF_CLUSTERS])],
};

/** A value that no row can have is a mistake: an empty answer would say that all is well. */
function checkKnown(name: string, values: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = values?.find((value) => !known.includes(value));
  if (unknown !== undefined) throw badRequest(`${name} takes ${known.join(", ")}, not ${quoted(unknown)}`);
}

/** Texts in an expression: what they hold are no names of fields. */
const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;
const NAMED = /(?<![.\w])object\.(\w+)/g;

/** A field that no row has would make the expression false for every row, as if all were well. */
function checkExpression(resource: Resource, cel: string | undefined): void {
  const fields: readonly string[] = FIELDS[resource];
  for (const [, field = ""] of (cel ?? "").replace(TEXTS, '""').matchAll(NAMED))
    if (!fields.includes(field))
      throw badRequest(`cel: ${resource} have no field ${quoted(field)}; the fields are ${fields.join(", ")}`);
}

function listOf(name: string, text: string): string[] {
  const values = [...new Set(text.split(",").map((value) => value.trim()))].filter((value) => value !== "");
  if (values.length === 0) throw badRequest(`${name} has no value`);
  if (values.length > MOST_VALUES) throw badRequest(`${name} has more than ${MOST_VALUES} values`);
  return values;
}

/** Epoch milliseconds of a time with seconds and a zone; undefined for another text. */
export function timeIn(text: string): number | undefined {
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function momentOf(name: string, text: string): Moment {
  if (DURATION.test(text)) return { ago: durationMs(text) };
  const at = timeIn(text);
  if (at === undefined)
    throw badRequest(
      `${name} takes a duration, such as 10m, or a time, such as 2026-01-31T14:02:00Z, not ${quoted(text)}`,
    );
  return { at };
}

function limitOf(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_LIMIT;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_LIMIT)
    throw badRequest(`limit takes a whole number from 1 to ${MOST_LIMIT}, not ${quoted(text)}`);
  return limit;
}

function groupingOf(resource: Resource, text: string | undefined): Grouping | undefined {
  if (text === undefined || text === "") return undefined;
  const grouping = GROUPINGS.find((one) => one === text);
  if (grouping === undefined) throw badRequest(`groupBy takes ${GROUPINGS.join(", ")}, not ${quoted(text)}`);
  if (resource === "federatedobjects" && (grouping === "cluster" || grouping === "region"))
    throw badRequest(`an object has several clusters; ask placedobjects for groupBy=${grouping}`);
  return grouping;
}

function sortOf(resource: Resource, text: string | undefined): Query["sort"] {
  if (text === undefined || text === "") return undefined;
  const descending = text.startsWith("-");
  const field = descending ? text.slice(1) : text;
  const allowed = sortFields(resource);
  if (!allowed.includes(field))
    throw badRequest(`sort takes ${allowed.join(", ")}, with - in front for the reverse, not ${quoted(text)}`);
  return { field, descending };
}

function fieldsOf(resource: Resource, text: string | undefined): string[] | undefined {
  if (text === undefined || text === "") return undefined;
  const fields = listOf("fields", text);
  const allowed: readonly string[] = FIELDS[resource];
  const unknown = fields.find((field) => !allowed.includes(field.split(".", 1)[0] ?? ""));
  if (unknown !== undefined)
    throw badRequest(`unknown field ${quoted(unknown)} of ${resource}; allowed are ${allowed.join(", ")}`);
  return fields;
}

/** A text of a stranger, short enough for a message. */
/** A text of a reader in a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
