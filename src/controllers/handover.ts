import {
  classOf,
  type ClusterStatusEntry,
  type FederatedStatus,
  holdersOf,
  type KubeObject,
  OBJECT_FINALIZER,
  type ObjectRef,
  refKey,
} from "../apis/index.ts";
import type { Entry } from "../clusters/index.ts";
import type { DesiredRow } from "../desiredstate/index.ts";

export interface HandoverInput {
  object: KubeObject;
  /** What this manager would have there. */
  rows: readonly DesiredRow[];
  /** Clusters that it would use. */
  clusters: readonly string[];
  /** What is on the members in the name of the object. */
  present: Iterable<Pick<Entry, "cluster" | "key" | "ref" | "observed">>;
  /** The member object that a row is about, as far as it is seen, in whoever's name. */
  find: (row: DesiredRow) => Pick<Entry, "observed"> | undefined;
  /** Everything of the hub on that member is known. */
  isKnown: (cluster: string) => boolean;
  /** There is a MemberCluster of that name. */
  exists: (cluster: string) => boolean;
}

/**
 * Why this manager does not take an object over yet; undefined when it may. Pure. It must know everything that runs, wherever whoever
 * carries the object hears from the members itself; nothing that runs may be missing in its own plan, since a handover removes
 * nothing; and what it would change must be its own difference, not a change that the other has yet to carry out.
 */
export function whyNotYet(input: HandoverInput): string | undefined {
  const { object, rows, clusters, present, find, isKnown, exists } = input;
  const reported = new Map(statusOf(object)?.clusters?.map((entry) => [entry.name, entry]));
  const seen = [...present].filter(({ observed }) => observed !== undefined);
  const concerned = new Set([...clusters, ...reported.keys(), ...seen.map(({ cluster }) => cluster)]);
  const blind = new Set<string>();
  for (const cluster of [...concerned].sort()) {
    if (!exists(cluster) || isKnown(cluster)) continue;
    // Nobody hears from that one; to wait for it would hold up all the others.
    if (reported.get(cluster)?.state !== "Unknown") return `what runs on ${cluster} is not known yet`;
    blind.add(cluster);
  }
  const wanted = new Set(rows.map(placeOf));
  for (const { cluster, key, ref } of seen) {
    if (wanted.has(`${cluster}/${key}`) || blind.has(cluster) || !exists(cluster)) continue;
    return reported.get(cluster)?.state === "Removing"
      ? `${ref.kind} ${ref.name} is being removed from ${cluster}`
      : `it would take ${ref.kind} ${ref.name} off ${cluster}`;
  }
  for (const row of rows) {
    if (row.mode !== "Apply" || blind.has(row.cluster) || !exists(row.cluster)) continue;
    const observed = find(row)?.observed;
    const isRight = observed?.hash === row.hash && !observed.deleting;
    if (isRight || isSettled(object, reported.get(row.cluster))) continue;
    return `${row.ref.kind} ${row.ref.name} on ${row.cluster} is not as it is to be yet`;
  }
  return undefined;
}

/** The class that carries the object, and the one that is to. */
export function handsOf({ metadata }: KubeObject): { carrier: string; wanted: string } {
  const wanted = classOf(metadata);
  return { carrier: holdersOf(OBJECT_FINALIZER, metadata)[0] ?? wanted, wanted };
}

/** Whoever carries the object has nothing left to do on that cluster, or cannot do it. */
function isSettled(object: KubeObject, entry: ClusterStatusEntry | undefined): boolean {
  if (statusOf(object)?.observedGeneration !== object.metadata.generation) return false;
  // It does not mean to have it there, or it is one of many healthy ones.
  if (entry === undefined || entry.state === "Failed" || entry.state === "Unknown" || entry.state === "Held")
    return true;
  return entry.reason !== "Applying" && entry.reason !== "Removing" && entry.desiredHash === entry.observedHash;
}

function statusOf(object: KubeObject): FederatedStatus | undefined {
  return object["status"] as FederatedStatus | undefined;
}

function placeOf({ cluster, ref }: { cluster: string; ref: ObjectRef }): string {
  return `${cluster}/${refKey(ref)}`;
}
