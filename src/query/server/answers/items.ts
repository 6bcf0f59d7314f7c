import { defined } from "../../../apis/index.ts";
import type { FederatedObjectRow, ListAnswer, Resource } from "../../types.ts";
import { API_VERSION, KIND_OF } from "./names.ts";
import { namespaceOf, rowName } from "./rowNames.ts";

/** A row as a Kubernetes object. The row is its `status`. */
export interface Item {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    generation?: number;
    resourceVersion?: string;
    creationTimestamp?: string;
    labels?: Readonly<Record<string, string>>;
  };
  status: object;
}

export function itemOf(resource: Resource, row: object, resourceVersion?: string): Item {
  const { uid, generation, createdAt, labels } = row as Partial<FederatedObjectRow>;
  return {
    apiVersion: API_VERSION,
    kind: KIND_OF[resource],
    metadata: {
      name: rowName(resource, row),
      ...defined({
        namespace: namespaceOf(resource, row),
        uid,
        generation,
        resourceVersion,
        creationTimestamp: createdAt,
        labels,
      }),
    },
    status: row,
  };
}

/** `groups` in place of `items` with `groupBy`. */
export function listOf(resource: Resource, { items, groups, totals, partial, ...answer }: ListAnswer): object {
  const { resourceVersion, continue: more } = answer;
  return {
    apiVersion: API_VERSION,
    kind: `${KIND_OF[resource]}List`,
    metadata: { resourceVersion, ...defined({ continue: more }) },
    totals,
    partial,
    ...(groups === undefined ? {} : { groups }),
    items: (items ?? []).map((row) => itemOf(resource, row, resourceVersion)),
  };
}
