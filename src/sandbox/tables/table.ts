import { defined } from "../../apis/index.ts";
import { badRequest } from "../statusError.ts";
import type { Column, KubeObject, Resource, ResourceVersion } from "../types.ts";
import { type Cell, cellOf } from "./cells.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

/** `metadata` of the list or object that the table shows. */
export interface TableMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface TableColumn {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

export interface TableRow {
  cells: readonly Cell[];
  /** Completed, for a finished Pod. */
  conditions?: readonly { type: "Completed"; status: "True"; reason: string; message: string }[];
  object: KubeObject | { kind: string; apiVersion: string; metadata: KubeObject["metadata"] } | null;
}

/** An object of kind Table. */
export interface Table {
  kind: "Table";
  apiVersion: "meta.k8s.io/v1";
  metadata: TableMeta;
  /** Null if the watch has sent the columns before. */
  columnDefinitions: readonly TableColumn[] | null;
  rows: readonly TableRow[];
}

/**
 * The table of a list or of one object. `objects` are in `version`, and the table contains them unchanged; `now` is in
 * milliseconds since 1970. `meta` is the list's metadata, or the resourceVersion of one object.
 */
export function tableOf(
  _resource: Resource,
  version: ResourceVersion,
  objects: readonly KubeObject[],
  now: number,
  includeObject: IncludeObject,
  meta: TableMeta,
): Table {
  const { columns, definitions } = headerOf(version);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { ...meta },
    columnDefinitions: definitions,
    rows: objects.map((object) => ({
      cells: columns.map((column) => cellOf(column, object, now)),
      ...endOf(object),
      object: shown(object, includeObject),
    })),
  };
}

/** The object of a watch event (bookmarks too) as a table. Only the `first` event of a watch has the columns. */
export function tableOfEvent(
  resource: Resource,
  version: ResourceVersion,
  object: KubeObject,
  now: number,
  includeObject: IncludeObject,
  first: boolean,
): Table {
  const { resourceVersion } = object.metadata;
  const table = tableOf(resource, version, [object], now, includeObject, defined({ resourceVersion }));
  return first ? table : { ...table, columnDefinitions: null };
}

/** Reads the parameter `includeObject`. Throws a StatusError 400 for an unknown value. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const wanted = query.get("includeObject") ?? "";
  if (wanted === "" || wanted === "Metadata") return "Metadata";
  if (wanted === "None" || wanted === "Object") return wanted;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(wanted)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The row of a finished Pod is marked as completed, so that clients can show it differently. */
function endOf({ apiVersion, kind, ...rest }: KubeObject): Pick<TableRow, "conditions"> {
  if (kind !== "Pod" || apiVersion !== "v1") return {};
  const phase = (rest["status"] as { phase?: string } | undefined)?.phase;
  const message = phase === undefined ? undefined : ENDS[phase];
  if (phase === undefined || message === undefined) return {};
  return { conditions: [{ type: "Completed", status: "True", reason: phase, message }] };
}

const ENDS: Readonly<Record<string, string>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

function shown(object: KubeObject, includeObject: IncludeObject): TableRow["object"] {
  switch (includeObject) {
    case "None":
      return null;
    case "Object":
      return object;
    case "Metadata":
      return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
  }
}

interface Header {
  columns: readonly Column[];
  definitions: readonly TableColumn[];
}

const headers = new WeakMap<ResourceVersion, Header>();

function headerOf(version: ResourceVersion): Header {
  let header = headers.get(version);
  if (header === undefined) {
    const columns = withName(version.columns);
    header = { columns, definitions: columns.map(definitionOf) };
    headers.set(version, header);
  }
  return header;
}

const NAME: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
  // A bookmark has no name.
  value: ({ metadata }) => metadata.name ?? "",
};

const AGE: Column = {
  name: "Age",
  type: "date",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  priority: 0,
  jsonPath: ".metadata.creationTimestamp",
};

/** A CRD declares its columns without the name. A CRD without columns gets name and age. */
function withName(columns: readonly Column[]): readonly Column[] {
  if (columns.length === 0) return [NAME, AGE];
  return columns.some(({ format }) => format === "name") ? columns : [NAME, ...columns];
}

function definitionOf({ name, type, format, description, priority, jsonPath }: Column): TableColumn {
  return {
    name,
    type,
    format: format ?? "",
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath ?? ""}`,
    priority,
  };
}
