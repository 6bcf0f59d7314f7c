import {
  type ClusterStatusEntry,
  type Contact,
  counted,
  DEFAULT_CLASS,
  type FederatedStatus,
} from "../../apis/index.ts";
import type { Target } from "../../desiredstate/types.ts";
import type { Health } from "../../interpreter/types.ts";
import type { ClusterView, RowView, StatusInput } from "../types.ts";

/** Words for the tests of this room. */

export const T0 = Date.parse("2026-11-21T08:00:00Z");

export function row(more: Partial<RowView> = {}): RowView {
  return {
    ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" },
    role: "rendered",
    desiredHash: "h1",
    observedHash: "h1",
    inSync: true,
    health: healthy(2),
    ...more,
  };
}

/** Fields set to undefined are left out, as the table leaves them out. */
export function rowWithout(fields: (keyof RowView)[], more: Partial<RowView> = {}): RowView {
  const made: Partial<RowView> = row(more);
  for (const field of fields) delete made[field];
  return made as RowView;
}

export function healthy(replicas: number): Health {
  return {
    state: "Available",
    replicas: { desired: replicas, updated: replicas, ready: replicas, available: replicas },
  };
}

export function unhealthy(
  state: Health["state"],
  ready: number,
  reason = "RollingOut",
  message = "waiting for pods",
): Health {
  return { state, reason, message, replicas: { desired: 2, updated: 2, ready, available: ready } };
}

export function view(name: string, more: Partial<ClusterView> = {}): ClusterView {
  return { name, region: `region-of-${name}`, contact: { ok: true, lastContact: T0 }, rows: [row()], ...more };
}

export function target(names: readonly string[], more: Partial<Target> = {}): Target {
  return {
    placement: { kind: "Placement", namespace: "default", name: "everywhere" },
    overrides: [],
    decision: {
      clusters: names.map((name) => ({ name })),
      verdicts: names.map((cluster) => ({
        cluster,
        fits: true,
        reason: "Selected",
        message: "in group all",
        steps: [],
      })),
    },
    scheduled: {
      status: "True",
      reason: "ClustersSelected",
      message: `${names.length} of ${counted(names.length, "cluster")} selected`,
    },
    clusters: names.map((name) => ({ name, replicas: 2, frozen: false, objects: [] })),
    owner: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop", uid: "u" },
    missing: new Set(),
    conflictResolution: "Abort",
    suspended: false,
    deletionPolicy: "Delete",
    ...more,
  };
}

/** An object that runs, settled, wherever the views say. */
export function inputOf(clusters: ClusterView[], more: Partial<StatusInput> = {}): StatusInput {
  return {
    generation: 3,
    ownerClass: DEFAULT_CLASS,
    namedClass: DEFAULT_CLASS,
    deleting: false,
    previous: undefined,
    target: target(clusters.map((cluster) => cluster.name)),
    podSelector: "app=shop",
    clusters,
    ...more,
  };
}

export const SECOND = 1000;
export const at = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
export const refused: Contact = {
  ok: false,
  lastContact: T0 - 20 * SECOND,
  reason: "ClusterUnreachable",
  message: "connection refused",
};
export const neverMet: Contact = { ok: false, reason: "SecretNotFound", message: "Secret shanghai-1 does not exist" };
export const untried: Contact = { ok: false };

export const condition = (status: FederatedStatus, type: string): [string, string, string] => {
  const found = status.conditions?.find((c) => c.type === type);
  return [found?.status ?? "-", found?.reason ?? "-", found?.message ?? "-"];
};
export const entry = (status: FederatedStatus, name = "a"): ClusterStatusEntry | undefined =>
  status.clusters?.find((c) => c.name === name);

/** The input with what the API server would return of that status. */
export const after = (input: StatusInput, status: FederatedStatus): StatusInput => ({
  ...input,
  previous: reversed(JSON.parse(JSON.stringify(status))) as FederatedStatus,
});

/** The same JSON with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
