import {
  byImpact,
  type ClusterStatusEntry,
  defined,
  type FederatedStatus,
  isOutOfContact,
  isUnderWay,
  type KubeObject,
  parseApiVersion,
  timestamp,
} from "../../apis/index.ts";
import { phaseOf } from "../../controllers/index.ts";
import { saidWait, type Wait, waitsInStatus } from "../../desiredstate/index.ts";
import { shapeOf } from "../ask/index.ts";
import { type ObjectFacts, type ObjectValue, type PlacedFacts, type PlacedValue } from "../table/index.ts";
import { compareText, type ObjectIdentity } from "../types.ts";

export interface ObjectInput {
  object: KubeObject;
  /** Undefined: the object has no status yet. */
  status: FederatedStatus | undefined;
  /** Of every cluster. */
  entries: readonly ClusterStatusEntry[];
  rollout: FederatedStatus["rollout"];
  waits: readonly Wait[];
  /** The row as it is in the table. */
  before: ObjectValue | undefined;
}

export function identityOf({ apiVersion, kind, metadata }: KubeObject): ObjectIdentity {
  const { namespace, name } = metadata;
  return { kind, group: parseApiVersion(apiVersion).group, ...defined({ namespace }), name };
}

/** The row of an object and of its clusters. `now` in epoch milliseconds: start of a state that is new. */
export function objectFacts(input: ObjectInput, now: number): ObjectFacts {
  const { object, status, entries, before } = input;
  const { metadata } = object;
  const identity = before?.identity ?? identityOf(object);
  const known = new Map(before?.placed.map((row) => [row.cluster, row]));
  const placed = entries
    .map((entry) => placedFacts(entry, identity, known.get(entry.name), now))
    .toSorted((a, b) => compareText(a.cluster, b.cluster));
  const head = headOf(status);
  const isSame = before !== undefined && before.state === head.state && before.reason === head.reason;
  const firstSince = before === undefined ? parsed(conditionOf(status, "Ready")?.lastTransitionTime) : undefined;
  const observed = placed.flatMap(({ observedAt }) => observedAt ?? []);
  const { desired = 0, ready = 0 } = status?.replicas ?? {};
  return {
    identity,
    ...defined({ uid: metadata.uid, generation: metadata.generation, policy: policyOf(status) }),
    ...head,
    ready,
    desired,
    clusters: clustersOf(status, entries),
    ...defined({ worst: head.state === "Available" ? undefined : worstOf(placed) }),
    ...defined({
      shape: placed.some(({ shape }) => shape !== undefined) ? undefined : ownShapeOf(status, head, identity),
    }),
    ...defined({ since: isSame ? before.since : (firstSince ?? now) }),
    ...defined({ change: changeOf(input) }),
    waits: waitsOf(input).map((wait) => ({ ...saidWait(wait), since: timestamp(wait.since) })),
    ...(observed.length === 0 ? {} : { observedAt: Math.min(...observed) }),
    stale: placed.some(({ stale }) => stale),
    labels: metadata.labels ?? NO_LABELS,
    ...defined({ createdAt: metadata.creationTimestamp, changed: changedOf(input, now) }),
    placed,
  };
}

/**
 * The planner wakes a removal for news of the hub whatever holds it. Only a removal that the hub holds waits for the hub:
 * a reader would look for the trouble in the wrong place.
 */
function waitsOf({ object, entries, waits }: ObjectInput): readonly Wait[] {
  const shown = waitsInStatus(object, { clusters: [...entries] });
  return shown.some((wait) => wait.for === "hubSync") ? waits : waits.filter((wait) => wait.for !== "hubSync");
}

const NO_LABELS = Object.freeze({});

const NAMED_BY_STATE: ReadonlySet<string> = new Set(["Degraded", "Failed"]);

function placedFacts(
  { name, region, state, message, replicas, since, observedAt, ...entry }: ClusterStatusEntry,
  identity: ObjectIdentity,
  before: PlacedValue | undefined,
  now: number,
): PlacedFacts {
  // Trouble without a code has the state as its reason, so that every cause has a name.
  const reason = entry.reason ?? (NAMED_BY_STATE.has(state) ? state : undefined);
  const stale = isOutOfContact({ state, ...defined({ reason }) });
  const isSame = before?.state === state && before.reason === reason;
  // At the first sight, the entry tells when it last changed.
  const start = isSame ? before.since : before === undefined ? parsed(since ?? observedAt) : (parsed(since) ?? now);
  const names = [identity.name, identity.namespace ?? "", name, region ?? ""];
  const isTrouble = state !== "Available" && reason !== undefined && !isUnderWay(reason);
  return {
    cluster: name,
    ...defined({ region }),
    state,
    ...defined({ reason, message }),
    ready: replicas.ready,
    desired: replicas.desired,
    ...defined({ since: start }),
    ...defined({ observedAt: stale ? parsed(observedAt) : undefined }),
    stale,
    ...(isTrouble ? { shape: shapeOf(message ?? reason, names) } : {}),
  };
}

/** Of an object in trouble as a whole, such as an object that no policy places. */
function ownShapeOf(
  status: FederatedStatus | undefined,
  { state, reason, message }: ReturnType<typeof headOf>,
  { name, namespace = "" }: ObjectIdentity,
): string | undefined {
  // A new object has no status yet.
  if (status === undefined || state === "Available" || reason === undefined || isUnderWay(reason)) return undefined;
  return shapeOf(message ?? reason, [name, namespace]);
}

/** The state of the object as a whole, with the reason why it is not ready. */
function headOf(status: FederatedStatus | undefined): Pick<ObjectFacts, "state" | "reason" | "message"> {
  if (status === undefined) return { state: "Progressing", reason: "NotPlanned" };
  const state = phaseOf(status);
  const ready = conditionOf(status, "Ready");
  if (state === "Available" || ready === undefined || ready.status === "True") return { state };
  return { state, ...defined({ reason: ready.reason, message: ready.message }) };
}

function conditionOf(status: FederatedStatus | undefined, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function policyOf(status: FederatedStatus | undefined): string | undefined {
  const placement = status?.placement;
  if (placement === undefined) return undefined;
  const { kind, namespace, name } = placement;
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

function clustersOf(
  status: FederatedStatus | undefined,
  entries: readonly ClusterStatusEntry[],
): ObjectFacts["clusters"] {
  const [ready, total] = status?.availableClusters?.split("/").map(Number) ?? [];
  if (ready !== undefined && total !== undefined) return { ready, total };
  return { ready: entries.filter(({ state }) => state === "Available").length, total: entries.length };
}

function worstOf(placed: readonly PlacedFacts[]): ObjectFacts["worst"] {
  const troubled = placed.flatMap(({ cluster, region, state, reason }) =>
    state === "Available" || reason === undefined ? [] : [{ cluster, ...defined({ region }), reason }],
  );
  return troubled.toSorted((a, b) => byImpact(a, b) || compareText(a.cluster, b.cluster))[0];
}

const STAGES_DONE: ReadonlySet<string> = new Set(["Succeeded", "RolledBack"]);
const ROLLOUTS_OVER: ReadonlySet<string> = new Set(["Succeeded", "RolledBack", "Superseded"]);

function changeOf({ object, rollout }: ObjectInput): ObjectFacts["change"] {
  const { generation } = object.metadata;
  if (generation === undefined) return undefined;
  const stages = rollout?.stages ?? [];
  if (rollout === undefined || ROLLOUTS_OVER.has(rollout.state) || stages.length === 0) return { generation };
  const done = stages.filter(({ state }) => STAGES_DONE.has(state)).length;
  return { generation, stage: Math.min(done + 1, stages.length), stages: stages.length };
}

/** The last change of the generation. That of an object that was there from the start is not known. */
function changedOf({ object, before }: ObjectInput, now: number): ObjectFacts["changed"] {
  const { generation, creationTimestamp } = object.metadata;
  if (generation === undefined) return before?.changed;
  if (before !== undefined && before.uid === object.metadata.uid)
    return before.generation === generation ? before.changed : { generation, at: now };
  const createdAt = parsed(creationTimestamp);
  return generation === 1 && createdAt !== undefined ? { generation, at: createdAt } : undefined;
}

function parsed(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Entries of clusters that the written status leaves out, as far as rows know them. */
export function entriesOf(
  rows: readonly PlacedValue[],
  listed: FederatedStatus["clusters"] = [],
): ClusterStatusEntry[] {
  if (rows.length <= listed.length) return [];
  const names = new Set(listed.map(({ name }) => name));
  return rows
    .filter(({ cluster }) => !names.has(cluster))
    .map(({ cluster, region, state, reason, message, ready, desired, since, observedAt }) => ({
      name: cluster,
      ...defined({ region }),
      state: state as ClusterStatusEntry["state"],
      ...defined({ reason, message }),
      replicas: { desired, updated: ready, ready, available: ready },
      ...(since === undefined || state === "Available" ? {} : { since: timestamp(since) }),
      ...(observedAt === undefined ? {} : { observedAt: timestamp(observedAt) }),
    }));
}
