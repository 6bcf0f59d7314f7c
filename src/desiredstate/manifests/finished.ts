import {
  type End,
  type FederatedStatus,
  type FinishedRun,
  type FinishedWork,
  type KubeObject,
  NOTHING_FINISHED,
  type ObjectRef,
  parseApiVersion,
  readFinished,
  refKey,
  refOf,
  runKey,
} from "../../apis/index.ts";
import { memberKindOf, runHash } from "../../interpreter/index.ts";
import type { DesiredObject } from "../types.ts";

/** The runs that an object asks for, by {@link refKey}: one for each rendered object of a kind that finishes. */
export type Runs = ReadonlyMap<string, { ref: ObjectRef; hash: string }>;

/** `source`: the hub object, if it is sent as it is. Without a source each rendered object has its own run hash. */
export function runsIn(rendered: readonly KubeObject[], source: KubeObject | undefined): Runs {
  const runs = new Map<string, { ref: ObjectRef; hash: string }>();
  for (const object of rendered) {
    if (memberKindOf(parseApiVersion(object.apiVersion).group, object.kind).end === undefined) continue;
    const ref = refOf(object);
    runs.set(refKey(ref), { ref, hash: runHash(source ?? object) });
  }
  return runs;
}

export class Finished {
  readonly work: FinishedWork;
  readonly #runs: Runs;
  readonly #parts: number;

  constructor(work: FinishedWork, runs: Runs, parts: number) {
    this.work = work;
    this.#runs = runs;
    this.#parts = parts;
  }

  static in(previous: FederatedStatus | undefined, runs: Runs, parts: number): Finished {
    return new Finished(readFinished(previous?.finished), runs, parts);
  }

  /** Clusters on which all rendered objects have finished; undefined if there are none. */
  everywhere(): ReadonlySet<string> | undefined {
    if (this.work.runs.size === 0 || this.#parts === 0 || this.#runs.size < this.#parts) return undefined;
    const [first, ...others] = [...this.#runs.values()].map((run) => this.#endsOf(run));
    const names = [...(first?.keys() ?? [])].filter((name) => others.every((ends) => ends.has(name)));
    return names.length === 0 ? undefined : new Set(names);
  }

  /** The objects for the cluster, with the end of each run that finished there. */
  on(cluster: string, objects: readonly DesiredObject[]): readonly DesiredObject[] {
    if (this.work.runs.size === 0) return objects;
    const done = new Map<string, End>();
    for (const [key, run] of this.#runs) {
      const end = this.#endsOf(run).get(cluster);
      if (end !== undefined) done.set(key, end);
    }
    if (done.size === 0) return objects;
    return objects.map((object) => {
      const end = object.run === undefined ? undefined : done.get(refKey(object.ref));
      return end === undefined ? object : { ...object, done: end };
    });
  }

  /** The record after a decision; see {@link follow}. */
  after(moves: Moves): Finished {
    return new Finished(follow(this.work, this.#runs, moves), this.#runs, this.#parts);
  }

  #endsOf({ ref, hash }: { ref: ObjectRef; hash: string }): ReadonlyMap<string, End> {
    return this.work.runs.get(runKey(ref, hash))?.ends ?? NOWHERE;
  }
}

const NOWHERE: ReadonlyMap<string, End> = new Map();

export interface Moves {
  chosen: ReadonlySet<string>;
  current: { has(name: string): boolean };
  known: ReadonlySet<string>;
  /** Clusters are interchangeable: the placement takes only some of the fitting clusters. */
  isInterchangeable: boolean;
  /** The placement rolls out in stages and may roll back, so earlier runs may be wanted again. */
  mayReturn: boolean;
}

const KEPT_RUNS = 8;

/**
 * The record after a decision. If the object leaves a cluster with a finished run, the run counts as finished on the
 * cluster that replaces it, so that a move repeats no work. An added cluster that replaces no other cluster does the
 * work. If the placement takes every fitting cluster, only clusters that leave by the same decision are replaced, and
 * clusters that left the hub are forgotten.
 */
function follow(work: FinishedWork, runs: Runs, moves: Moves): FinishedWork {
  if (work.runs.size === 0) return NOTHING_FINISHED;
  const { chosen, current, known, isInterchangeable } = moves;
  const present = new Set(Array.from(runs.values(), ({ ref, hash }) => runKey(ref, hash)));
  const kept = new Map<string, FinishedRun>();
  for (const [key, run] of keptRuns(work, runs, present, moves)) {
    const ends = new Map([...run.ends].filter(([name]) => isInterchangeable || known.has(name)));
    if (present.has(key)) {
      const gone = [...ends.keys()].filter((name) => !chosen.has(name) && (isInterchangeable || current.has(name)));
      const come = [...chosen].filter((name) => !ends.has(name) && !current.has(name)).toSorted();
      for (const [index, from] of gone.toSorted().entries()) {
        const to = come[index];
        const end = ends.get(from);
        if (to === undefined || end === undefined) break;
        ends.delete(from);
        ends.set(to, end);
      }
    }
    if (ends.size > 0) kept.set(key, { ...run, ends });
  }
  return { runs: kept, everything: work.everything };
}

/** The present runs of the rendered objects, and the latest earlier ones if the placement may roll back. */
function keptRuns(
  { runs: all }: FinishedWork,
  runs: Runs,
  present: ReadonlySet<string>,
  { mayReturn }: Moves,
): [string, FinishedRun][] {
  const earlier = new Map<string, number>();
  const kept = [...all].toReversed().filter(([key, { ref }]) => {
    if (present.has(key)) return true;
    const object = `${ref.group}/${ref.kind}/${ref.namespace ?? ""}/${ref.name}`;
    if (!mayReturn || !runs.has(object)) return false;
    const count = (earlier.get(object) ?? 0) + 1;
    earlier.set(object, count);
    return count <= KEPT_RUNS;
  });
  return kept.toReversed();
}
