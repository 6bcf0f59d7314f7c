import { defined } from "../../../apis/index.ts";
import type { ListAnswer, Resource, WatchEvent } from "../../types.ts";
import { RequestError, type StatusBody } from "./failures.ts";
import { itemOf, listOf } from "./items.ts";
import { API_VERSION, KIND_OF } from "./names.ts";
import { type IncludeObject, tableOf, tableOfList } from "./tables.ts";

/** How an answer is written. */
export type Format = "Object" | "Table" | "EventStream";

/**
 * The first format of the Accept header that there is.
 *
 * @throws {RequestError} 406 if there is none
 */
export function formatOf(accept: string | undefined): Format {
  if (accept === undefined || accept.trim() === "") return "Object";
  for (const range of accept.split(",").slice(0, 32)) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (type === "text/event-stream") return "EventStream";
    if (type !== "application/json" && type !== "application/*" && type !== "*/*") continue;
    const as = parameters.find((one) => one.startsWith("as="))?.slice(3);
    if (as === undefined) return "Object";
    if (as === "table" && parameters.includes("g=meta.k8s.io") && parameters.includes("v=v1")) return "Table";
  }
  throw new RequestError(
    406,
    "answers are application/json, application/json;as=Table;v=v1;g=meta.k8s.io or text/event-stream; accept one of them",
  );
}

export interface Representation {
  resource: Resource;
  format: Format;
  include: IncludeObject;
  /** Epoch milliseconds, for ages in tables. */
  now: () => number;
  /** Name of the watch, where one stream has several. */
  watch?: string;
}

/** How an event is framed. */
export type Framing = Pick<Representation, "format" | "watch">;

export function listBody({ resource, format, include, now }: Representation, answer: ListAnswer): object {
  return format === "Table" ? tableOfList(resource, answer, include, now()) : listOf(resource, answer);
}

export function rowBody({ resource, format, include, now }: Representation, row: object): object {
  return format === "Table" ? tableOf(resource, [row], include, now()) : itemOf(resource, row);
}

/** Text of one event of a watch. */
export function eventText(how: Representation, event: WatchEvent, isInitialEnd: boolean): string {
  const { type, resourceVersion } = event;
  const json = type === "BOOKMARK" ? JSON.stringify(bookmark(how, resourceVersion, isInitialEnd)) : changed(how, event);
  return framed(how, type, json, resourceVersion);
}

/** Text of the event that ends a watch. */
export function errorText(how: Framing, status: StatusBody): string {
  return framed(how, "ERROR", JSON.stringify(status));
}

/** Both readers skip it. */
export function heartbeatText({ format }: Framing): string {
  return format === "EventStream" ? ": heartbeat\n\n" : "\n";
}

/** The last id of a stream of several watches would be of one of them: their versions are in the objects. */
function framed({ format, watch }: Framing, type: string, object: string, id?: string): string {
  const head = JSON.stringify({ ...defined({ watch }), type }).slice(0, -1);
  const json = `${head},"object":${object}}`;
  if (format !== "EventStream") return `${json}\n`;
  return `${id === undefined || watch !== undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`;
}

/** By the row: watches share rows, so the text of a change is made once for all of them. */
const texts = new WeakMap<object, { resource: Resource; version: string; text: string }>();

function changed({ resource, format, include, now }: Representation, event: WatchEvent & { object: object }): string {
  const { object, resourceVersion: version } = event;
  if (format === "Table") return JSON.stringify(tableOf(resource, [object], include, now(), version));
  const known = texts.get(object);
  if (known?.resource === resource && known.version === version) return known.text;
  const text = JSON.stringify(itemOf(resource, object, version));
  texts.set(object, { resource, version, text });
  return text;
}

function bookmark({ resource, format }: Representation, resourceVersion: string, isInitialEnd: boolean): object {
  const annotations = isInitialEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
  const metadata = { resourceVersion, ...defined({ annotations }) };
  if (format === "Table")
    return { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions: [], rows: [] };
  return { kind: KIND_OF[resource], apiVersion: API_VERSION, metadata };
}
