import { FIELD_MANAGER, type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import type { ApplyRow, DeleteRow, HoldRow, Observation, ReleaseRow, Row } from "../../desiredstate/index.ts";
import { Handlers } from "../model/handlers.ts";
import { type MemberObject, newMemberObject } from "../model/memberObject.ts";
import { MemberObjects } from "../model/memberObjects.ts";
import { PendingReport } from "../model/pendingReport.ts";
import type { ObservedObject } from "../model/observed.ts";
import type { RowDelta } from "../../ports/index.ts";

export const OWNER: OwnerRef = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name: "shop",
  uid: "app-1",
};
export const CLUSTER = "shanghai-1";
export const CONFIG_REF: ObjectRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop" };

/** Row that applies a ConfigMap. */
export function row(overrides: Partial<ApplyRow> = {}): ApplyRow {
  const ref = overrides.ref ?? CONFIG_REF;
  return {
    verb: "Apply",
    cluster: CLUSTER,
    ref,
    owner: OWNER,
    role: "rendered",
    object: {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: ref.name, namespace: "default" },
      data: { key: "value" },
    },
    hash: "h1",
    conflictResolution: "Abort",
    ...overrides,
  };
}

const base = { cluster: CLUSTER, ref: CONFIG_REF, owner: OWNER, role: "rendered" } as const;
const why = { reason: "ObjectDeleted", message: "the object is being deleted" };

export function holdRow(overrides: Partial<HoldRow> = {}): HoldRow {
  return { ...base, verb: "Hold", why, wanted: true, ...overrides };
}

export function deleteRow(overrides: Partial<DeleteRow> = {}): DeleteRow {
  return { ...base, verb: "Delete", uid: "member-1", why, ...overrides };
}

export function releaseRow(overrides: Partial<ReleaseRow> = {}): ReleaseRow {
  return { ...base, verb: "Release", uid: "member-1", why, ...overrides };
}

/** Row deltas with growing revisions. */
export class Revisions {
  #revision = 0;

  get last(): number {
    return this.#revision;
  }

  set(row: Row): RowDelta {
    return { ref: row.ref, row, revision: ++this.#revision };
  }

  withdraw(ref: ObjectRef = CONFIG_REF): RowDelta {
    return { ref, row: undefined, revision: ++this.#revision };
  }
}

/** Observation of the object of {@link row}. `owns`: Meridian owns its data; `value`: the live value of `data.key`. */
export function seen(
  overrides: Partial<ObservedObject> & { owns?: boolean; value?: string; appliedAt?: string } = {},
): ObservedObject {
  const { owns = true, value = "value", appliedAt, ...rest } = overrides;
  const applied = {
    manager: FIELD_MANAGER,
    operation: "Apply" as const,
    apiVersion: "v1",
    ...(appliedAt === undefined ? {} : { time: appliedAt }),
    fieldsType: "FieldsV1" as const,
    fieldsV1: owns ? { "f:data": { "f:key": {} } } : {},
  };
  return {
    ref: CONFIG_REF,
    uid: "member-1",
    resourceVersion: "7",
    hash: "h1",
    owner: OWNER,
    isOurs: true,
    createdAt: undefined,
    proven: true,
    policy: undefined,
    hubVersion: undefined,
    deleting: false,
    podSelector: undefined,
    health: { state: "Available" },
    visible: true,
    immutable: false,
    secretType: undefined,
    evidence: {
      live: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "shop", namespace: "default", uid: "member-1", managedFields: [applied] },
        data: { key: value },
      },
    },
    ...rest,
  };
}

/** Member object without a row and without an observation, except for the overrides. */
export function memberObject(overrides: Partial<MemberObject> = {}): MemberObject {
  return { ...newMemberObject(overrides.ref ?? CONFIG_REF), ...overrides };
}

/** Store whose changes are made by the test: `change(object)`. */
export function changeFeed() {
  const changes = new Handlers<MemberObject>();
  const state = { subscribed: 0 };
  const onChange = (handler: (object: MemberObject) => void): Disposable => {
    const subscription = changes.add(handler);
    state.subscribed += 1;
    return {
      [Symbol.dispose]: () => {
        subscription[Symbol.dispose]();
        state.subscribed -= 1;
      },
    };
  };
  return { onChange, change: (object: MemberObject) => changes.call(object), state };
}

export type ObjectsWithLog = ReturnType<typeof objectsWithLog>;

/** Member objects whose reports are kept. */
export function objectsWithLog(
  changed: (object: MemberObject) => void = () => undefined,
  namespaceEmptied: (namespace: string) => void = () => undefined,
) {
  const reports: Observation[][] = [];
  const emptied: string[] = [];
  const revisions = new Revisions();
  const objects = new MemberObjects();
  objects.onChange(changed);
  objects.onNamespaceEmptied((namespace) => {
    emptied.push(namespace);
    namespaceEmptied(namespace);
  });
  const pending = new PendingReport(CLUSTER, objects, (observations) => void reports.push([...observations]));
  const see = (overrides?: Parameters<typeof seen>[0]): void => objects.observe(CONFIG_REF, seen(overrides));
  const gone = (): void => objects.observe(CONFIG_REF, undefined);
  const take = (given: Row): void => objects.takeRow(revisions.set(given));
  const withdraw = (ref: ObjectRef = CONFIG_REF): void => objects.takeRow(revisions.withdraw(ref));
  const find = (ref: ObjectRef = CONFIG_REF): MemberObject => {
    const object = objects.get(refKey(ref));
    if (object === undefined) throw new Error(`no ${refKey(ref)}`);
    return object;
  };
  return { objects, pending, reports, emptied, revisions, take, withdraw, see, gone, find };
}

/** Member objects. `changes` and `reported`: numbers since the previous call. */
export function counted() {
  let count = 0;
  const parts = objectsWithLog(() => void (count += 1));
  const changes = (): number => {
    const before = count;
    count = 0;
    return before;
  };
  const reported = (): number => {
    parts.pending.flush();
    return parts.reports.splice(0).length;
  };
  return { ...parts, changes, reported };
}

/** Member objects that took the Apply row. */
export function taken() {
  const parts = counted();
  parts.take(row());
  parts.changes();
  return parts;
}
