import { type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import type { ClusterContact } from "../tables/clusterContact.ts";
import type { ApplyRow, DeleteRow, HoldRow, Observation } from "../../desiredstate/index.ts";
import { CONFIGMAPS, Emitter } from "../../runtime/index.ts";
import { WorkStreams, type WorkStreamsOptions } from "../tables/workStreams.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Assignments } from "../tables/assignments.ts";
import { Observations } from "../tables/observations.ts";

/** Values for the unit tests of this module. */

export const CLUSTER = "shanghai-1";
export const SHOP: OwnerRef = owner("shop");
export const CONFIG_REF: ObjectRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop" };
export const CONFIG_KEY = refKey(CONFIG_REF);

export function owner(name: string, uid = `${name}-uid`): OwnerRef {
  return { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name, uid };
}

const base = { cluster: CLUSTER, ref: CONFIG_REF, owner: SHOP, role: "rendered" } as const;

export function applyRow(overrides: Partial<ApplyRow> = {}): ApplyRow {
  const ref = overrides.ref ?? CONFIG_REF;
  return {
    ...base,
    verb: "Apply",
    ref,
    object: { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name, namespace: "default" } },
    hash: "h1",
    conflictResolution: "Abort",
    ...overrides,
  };
}

export function deleteRow(overrides: Partial<DeleteRow> = {}): DeleteRow {
  const why = { reason: "NotSelected", message: "not there any more" };
  return { ...base, verb: "Delete", uid: "member-1", why, ...overrides };
}

export function holdRow(overrides: Partial<HoldRow> = {}): HoldRow {
  const why = { reason: "Suspended", message: "suspended" };
  return { ...base, verb: "Hold", why, wanted: true, ...overrides };
}

/** Observation of the object of {@link applyRow} as a worker reports it if the object is in sync and healthy. */
export function observation(
  overrides: Partial<Omit<Observation, "present">> & { present?: Partial<NonNullable<Observation["present"]>> } = {},
): Observation {
  const { present, ...rest } = overrides;
  const health = { state: "Available" as const };
  const seen = { uid: "member-1", hash: "h1", owner: SHOP, proven: true, deleting: false, health };
  return {
    cluster: CLUSTER,
    ref: CONFIG_REF,
    present: { ...seen, ...present },
    inSyncWith: "h1",
    writing: false,
    revision: 1,
    ...rest,
  };
}

export function absent(overrides: Partial<Omit<Observation, "present">> = {}): Observation {
  return { cluster: CLUSTER, ref: CONFIG_REF, writing: false, revision: 1, ...overrides };
}

export const inContact: ClusterContact = { ok: true, synced: true, pending: false, unreadable: new Map() };

/** The assignments of one cluster that is in contact, with everything that they depend on. */
export function workTables(more: Partial<WorkStreamsOptions> = {}) {
  const observations = new Observations();
  const needs = new Emitter<ObjectRef>();
  const kindChanges = new Emitter<void>();
  const state = { now: 0, kinds: [CONFIGMAPS], needing: [] as OwnerRef[], measured: new Set<string>() };
  const capacities = { isWanted: (cluster: string) => state.measured.has(cluster), wanted: new Emitter<string>() };
  const assignments = new Assignments({
    observations,
    others: { needing: () => state.needing, needs },
    monotonic: () => state.now,
  });
  const clock = new FakeClock();
  const streams = new WorkStreams({
    assignments,
    epoch: 1,
    kinds: { memberKinds: () => state.kinds, onChange: (handler) => kindChanges.subscribe(handler) },
    expected: () => [],
    recordedKinds: () => [],
    capacities,
    progress: { hasBegun: true, isComplete: true, stages: new Emitter<void>() },
    clock,
    heartbeatMs: undefined,
    ...more,
  });
  observations.contact(CLUSTER, inContact);
  return { clock, observations, assignments, streams, needs, kindChanges, capacities, state };
}
