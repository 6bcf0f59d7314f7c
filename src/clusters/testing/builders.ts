import { FIELD_MANAGER, type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import type { DesiredRow } from "../../desiredstate/index.ts";
import { DesiredStateTable, type Entry, type TableListener } from "../table.ts";
import type { ObservedObject } from "../observed.ts";

/** Values for the unit tests of this module. */

export const OWNER: OwnerRef = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name: "shop",
  uid: "app-1",
};
export const OWNER_KEY = refKey(OWNER);
export const CONFIG_REF: ObjectRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop" };

export function row(overrides: Partial<DesiredRow> = {}): DesiredRow {
  const ref = overrides.ref ?? CONFIG_REF;
  return {
    cluster: "shanghai-1",
    ref,
    owner: OWNER,
    role: "rendered",
    mode: "Apply",
    object: {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: ref.name, namespace: "default" },
      data: { key: "value" },
    },
    hash: "h1",
    conflictResolution: "Abort",
    deletionPolicy: "Delete",
    ...overrides,
  };
}

/** As the member's watch would report the object of {@link row}; `owns` tells whether its data is still ours. */
export function seen(overrides: Partial<ObservedObject> & { owns?: boolean } = {}): ObservedObject {
  const { owns = true, ...rest } = overrides;
  return {
    ref: CONFIG_REF,
    uid: "member-1",
    resourceVersion: "7",
    hash: "h1",
    owner: OWNER,
    managedBy: "hub",
    deleting: false,
    health: { state: "Available" },
    evidence: {
      managedFields: [
        {
          manager: FIELD_MANAGER,
          operation: "Apply",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: owns ? { "f:data": { "f:key": {} } } : {},
        },
      ],
    },
    ...rest,
  };
}

/** A table with a listener that remembers what it was told. */
export function tableWithLog(): { table: DesiredStateTable; entries: Entry[]; owners: string[] } {
  const entries: Entry[] = [];
  const owners: string[] = [];
  const listener: TableListener = {
    entryChanged: (entry) => void entries.push(entry),
    ownerChanged: (owner) => void owners.push(owner),
  };
  return { table: new DesiredStateTable(listener), entries, owners };
}
