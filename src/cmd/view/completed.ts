import { type ClusterStatusEntry, defined, parseApiVersion } from "../../apis/index.ts";
import type { ObjectIdentity, PlacedObjectRow, WaitRow } from "../../query/index.ts";
import { type SaidWait, WAIT_REASONS, type WaitReason } from "../../desiredstate/index.ts";
import { compareText } from "../../scheduler/index.ts";
import type { QueryApi } from "../asking/index.ts";
import type { ObjectReport, StatusReport } from "./statusView.ts";

const KNOWN: ReadonlySet<string> = new Set(WAIT_REASONS);

/** A newer manager may know waits that this program has no words for. */
function knownWaits(rows: readonly WaitRow[] = []): SaidWait[] {
  return rows.filter((row): row is WaitRow & { for: WaitReason } => KNOWN.has(row.for));
}

/** With more objects, one list of all costs less than a question for each. */
const MOST_SINGLE = 10;
/** Of objects whose clusters are asked for. The others keep the summary of their status. */
const MOST_UNSUMMED = 50;

/** Adds the rows that the objects' statuses leave out. */
export async function completed(report: StatusReport, api: QueryApi): Promise<StatusReport> {
  const { objects } = report;
  const waits = await waitsOf(objects, api);
  const whole: ObjectReport[] = [];
  let left = MOST_UNSUMMED;
  for (const object of objects) {
    const isSummed = object.clusterCount > object.clusters.length && left > 0;
    if (isSummed) left -= 1;
    const placed = isSummed ? (await api.list("placedobjects", selecting(object))).rows : [];
    const own = placed.filter((row) => isSameObject(identityOf(object), row));
    whole.push(withRows(object, own, waits.get(keyOf(identityOf(object)))));
  }
  return { ...report, objects: whole };
}

/** By {@link keyOf}. */
async function waitsOf(objects: readonly ObjectReport[], api: QueryApi): Promise<Map<string, SaidWait[]>> {
  const waits = new Map<string, SaidWait[]>();
  const questions = objects.length > MOST_SINGLE ? [{}] : objects.map(selecting);
  for (const question of questions) {
    const { rows } = await api.list("federatedobjects", { ...question, fields: "waits" });
    for (const row of rows) waits.set(keyOf(row), knownWaits(row.waits));
  }
  return waits;
}

function selecting(object: ObjectReport) {
  return selectingObject(identityOf(object));
}

/** Rows with the object's name or a longer one: the parameter is a prefix. */
export function selectingObject({ kind, group, namespace, name }: ObjectIdentity) {
  return { ...defined({ namespace }), kind: group === "" ? kind : `${group}/${kind}`, name };
}

/** What one object waits for. Undefined: it has no row. */
export async function waitsOfObject(object: ObjectIdentity, api: QueryApi): Promise<SaidWait[] | undefined> {
  const { rows } = await api.list("federatedobjects", { ...selectingObject(object), fields: "waits" });
  const row = rows.find((one) => isSameObject(one, object));
  return row && knownWaits(row.waits);
}

function withRows(object: ObjectReport, rows: readonly PlacedObjectRow[], waits: SaidWait[] | undefined): ObjectReport {
  const listed = new Set(object.clusters.map(({ name }) => name));
  const more = rows.filter(({ cluster }) => !listed.has(cluster)).map(entryOf);
  const clusters =
    more.length === 0 ? object.clusters : [...object.clusters, ...more].toSorted((a, b) => compareText(a.name, b.name));
  const known = new Set(clusters.map(({ name }) => name));
  const { waits: shown = [], ...rest } = object;
  const waiting = waits ?? shown;
  return {
    ...rest,
    clusters,
    unlistedClusters: object.unlistedClusters.filter((name) => !known.has(name)),
    ...(waiting.length === 0 ? {} : { waits: waiting }),
  };
}

function entryOf({
  cluster,
  region,
  state,
  reason,
  message,
  ready,
  desired,
  ...row
}: PlacedObjectRow): ClusterStatusEntry {
  return {
    name: cluster,
    ...defined({ region }),
    state: state as ClusterStatusEntry["state"],
    ...defined({ reason, message }),
    replicas: { desired, updated: ready, ready, available: ready },
    ...(state === "Available" ? {} : defined({ since: row.since })),
    observedAt: row.observedAt,
  };
}

export function identityOf({ apiVersion, kind, namespace, name }: ObjectReport): ObjectIdentity {
  return { kind, group: parseApiVersion(apiVersion).group, ...defined({ namespace: namespace || undefined }), name };
}

export function isSameObject(one: ObjectIdentity, other: ObjectIdentity): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ kind, group, namespace = "", name }: ObjectIdentity): string {
  return `${group}/${kind}/${namespace}/${name}`;
}
