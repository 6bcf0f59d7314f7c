import { createHash } from "node:crypto";
import { defined, objectRowName, placedRowName } from "../../../apis/index.ts";
import {
  type CauseRow,
  type FleetClusterRow,
  type ObjectIdentity,
  type PlacedObjectRow,
  QueryError,
  type Resource,
  type RowKey,
  type RowOf,
  type TransitionRow,
} from "../../types.ts";

/**
 * Names of rows in the API. An object is `Kind.group:name`, `Kind:name` for the core group; a placed object has its
 * cluster behind another colon. Rows without a key of their own are named by a hash of their content.
 */
export function rowName(resource: Resource, row: object): string {
  switch (resource) {
    case "federatedobjects":
      return objectRowName(row as ObjectIdentity);
    case "placedobjects":
      return placedRowName(row as ObjectIdentity, (row as PlacedObjectRow).cluster);
    case "fleetclusters":
      return (row as FleetClusterRow).name;
    case "causes": {
      const { reason, shape } = row as Partial<CauseRow>;
      return hashed(reason, [shape]);
    }
    case "transitions": {
      const { reason, at, object, cluster, to } = row as Partial<TransitionRow>;
      return hashed(reason, [at, object, cluster, to]);
    }
  }
}

/** @throws {QueryError} 404 if no row can have the name */
export function rowKeyOf(resource: Resource, namespace: string | undefined, name: string): RowKey {
  if (resource === "fleetclusters") return { cluster: name };
  const [, kind, group = "", rest = ""] = /^([A-Za-z0-9]+)(?:\.([a-z0-9.-]+))?:(.+)$/.exec(name) ?? [];
  const end = resource === "placedobjects" ? rest.lastIndexOf(":") : rest.length;
  if (kind === undefined || end <= 0 || (resource !== "federatedobjects" && resource !== "placedobjects"))
    throw new QueryError(
      404,
      "NotFound",
      `no row of ${resource} can be named so; names look like ${examples(resource)}`,
    );
  const object: ObjectIdentity = { kind, group, name: rest.slice(0, end), ...defined({ namespace }) };
  return resource === "placedobjects" ? { object, cluster: rest.slice(end + 1) } : { object };
}

export function namespaceOf(resource: Resource, row: object): string | undefined {
  if (resource === "transitions") return (row as RowOf["transitions"]).object?.namespace;
  return resource === "federatedobjects" || resource === "placedobjects"
    ? (row as ObjectIdentity).namespace
    : undefined;
}

function examples(resource: Resource): string {
  switch (resource) {
    case "federatedobjects":
      return "DemoApplication.paas.cmft.com:shop";
    case "placedobjects":
      return "DemoApplication.paas.cmft.com:shop:eu-1";
    case "fleetclusters":
      return "eu-1";
    case "causes":
    case "transitions":
      return "those of a list, and only lists have them";
  }
}

function hashed(reason: string | undefined, facts: unknown[]): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([reason, ...facts]))
    .digest("hex");
  const start = (reason ?? "row").toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return `${start || "row"}-${hash.slice(0, 16)}`;
}
