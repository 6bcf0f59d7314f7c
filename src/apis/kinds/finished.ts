import { defined } from "../values/index.ts";
import { z } from "zod";
import { type ObjectRef, parseApiVersion, refKey } from "../metadata/index.ts";

/** End of work that ends by itself, such as a Job. */
export type End = "Complete" | "Failed";

/** Indexes in ascending order: `0`, `0-2,5`. */
const INDEXES = /^[0-9]{1,7}(-[0-9]{1,7})?(,[0-9]{1,7}(-[0-9]{1,7})?)*$/;
const indexes = z.string().max(65536).regex(INDEXES);

/**
 * A bundle may hold thousands of objects on a thousand clusters, so each object and each cluster is named once, and
 * each cluster lists its finished objects as numbers.
 */
export const finishedRecord = z.object({
  objects: z
    .array(
      z.object({
        group: z.string().max(253).exactOptional(),
        kind: z.string().max(63),
        namespace: z.string().max(63).exactOptional(),
        name: z.string().max(253),
        hash: z.string().max(64).describe("Of the work that was asked for: other work is a new run."),
      }),
    )
    .meta({ "x-kubernetes-list-type": "atomic" })
    .describe("Objects that came to an end somewhere."),
  clusters: z
    .array(
      z.object({
        name: z.string().min(1).max(253),
        complete: indexes.exactOptional().describe("Which of `objects` are complete there, counted from 0: 0-2,5."),
        failed: indexes.exactOptional().describe("Which of `objects` have failed there for good."),
        everything: z
          .literal(true)
          .exactOptional()
          .describe(
            "All that the object is on the cluster has come to its end, so that nothing of it moves elsewhere.",
          ),
      }),
    )
    .meta({ "x-kubernetes-list-type": "atomic" })
    .describe("In the order of their names."),
});

export type FinishedRecord = z.infer<typeof finishedRecord>;

export interface FinishedRun {
  ref: { group: string; kind: string; namespace?: string; name: string };
  hash: string;
  ends: ReadonlyMap<string, End>;
}

/** {@link FinishedRecord} in memory, by run. Treat as frozen. */
export interface FinishedWork {
  /** By {@link runKey}, the oldest first. */
  runs: ReadonlyMap<string, FinishedRun>;
  /** Clusters on which all of the object has finished. */
  everything: ReadonlySet<string>;
}

export const NOTHING_FINISHED: FinishedWork = { runs: new Map(), everything: new Set() };

/** Independent of the version in which the object is read. */
export function runKey(ref: ObjectRef, hash: string): string {
  return `${refKey(ref)} ${hash}`;
}

export function readFinished(record: FinishedRecord | undefined): FinishedWork {
  if (record === undefined) return NOTHING_FINISHED;
  const runs = record.objects.map(({ group = "", kind, namespace, name, hash }) => ({
    ref: { group, kind, ...defined({ namespace }), name },
    hash,
    ends: new Map<string, End>(),
  }));
  for (const { name, complete, failed } of record.clusters) {
    for (const index of indexesIn(complete, runs.length)) runs[index]?.ends.set(name, "Complete");
    for (const index of indexesIn(failed, runs.length)) runs[index]?.ends.set(name, "Failed");
  }
  return {
    runs: new Map(runs.map((run) => [keyOf(run), run])),
    everything: new Set(record.clusters.flatMap(({ name, everything }) => (everything === true ? [name] : []))),
  };
}

/** Undefined when nothing has finished. */
export function writeFinished({ runs, everything }: FinishedWork): FinishedRecord | undefined {
  const kept = [...runs.values()].filter(({ ends }) => ends.size > 0);
  if (kept.length === 0) return undefined;
  const clusters = new Map<string, Record<End, number[]>>();
  for (const [index, { ends }] of kept.entries())
    for (const [name, end] of ends) {
      let of = clusters.get(name);
      if (of === undefined) clusters.set(name, (of = { Complete: [], Failed: [] }));
      of[end].push(index);
    }
  return {
    objects: kept.map(({ ref: { group, ...ref }, hash }) => ({ ...(group === "" ? {} : { group }), ...ref, hash })),
    clusters: [...clusters]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { Complete, Failed }]) => ({
        name,
        ...(Complete.length === 0 ? {} : { complete: textOf(Complete) }),
        ...(Failed.length === 0 ? {} : { failed: textOf(Failed) }),
        ...(everything.has(name) ? { everything: true as const } : {}),
      })),
  };
}

/** Returns `work` itself when all outcomes are known. */
export function withEnds(
  work: FinishedWork,
  ended: Iterable<{ cluster: string; ref: ObjectRef; hash: string; end: End }>,
): FinishedWork {
  // Each changed run is copied once: an object may have ended on a thousand clusters.
  const changed = new Map<string, FinishedRun & { ends: Map<string, End> }>();
  for (const { cluster, ref, hash, end } of ended) {
    const key = runKey(ref, hash);
    const before = changed.get(key) ?? work.runs.get(key);
    // The first outcome counts. A later run, of an object that somebody recreated on the member, does not change it.
    if (before?.ends.has(cluster) === true) continue;
    let run = changed.get(key);
    if (run === undefined) {
      const { apiVersion, kind, namespace, name } = ref;
      const { group } = parseApiVersion(apiVersion);
      const made = { group, kind, ...defined({ namespace }), name };
      run = { ref: before?.ref ?? made, hash, ends: new Map(before?.ends) };
      changed.set(key, run);
    }
    run.ends.set(cluster, end);
  }
  return changed.size === 0 ? work : { ...work, runs: new Map([...work.runs, ...changed]) };
}

function keyOf({ ref: { group, kind, namespace = "", name }, hash }: Omit<FinishedRun, "ends">): string {
  return `${group}/${kind}/${namespace}/${name} ${hash}`;
}

function textOf(ascending: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const index of ascending) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

/** Indexes from `count` on are dropped. */
function indexesIn(text: string | undefined, count: number): number[] {
  if (text === undefined || !INDEXES.test(text)) return [];
  return text.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    const end = Math.min(last, count - 1);
    return Array.from({ length: Math.max(0, end - first + 1) }, (_, index) => first + index);
  });
}
