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

/** The runs that an object asks for: by {@link refKey}, of everything it is made of that can come to an end. */
export type Runs = ReadonlyMap<string, { ref: ObjectRef; hash: string }>;

/** `source`: the object of the hub that is sent as it is; without it each part says itself what work it asks for. */
export function runsIn(rendered: readonly KubeObject[], source: KubeObject | undefined): Runs {
  const runs = new Map<string, { ref: ObjectRef; hash: string }>();
  for (const object of rendered) {
    if (memberKindOf(parseApiVersion(object.apiVersion).group, object.kind).end === undefined) continue;
    const ref = refOf(object);
    runs.set(refKey(ref), { ref, hash: runHash(source ?? object) });
  }
  return runs;
}

/** What the status says of runs that have come to an end; of the runs of now, and of those before. */
export class Finished {
  readonly work: FinishedWork;
  readonly #runs: Runs;
  readonly #parts: number;

  /** `parts`: of how many objects the hub object is made. */
  constructor(work: FinishedWork, runs: Runs, parts: number) {
    this.work = work;
    this.#runs = runs;
    this.#parts = parts;
  }

  static in(previous: FederatedStatus | undefined, runs: Runs, parts: number): Finished {
    return new Finished(readFinished(previous?.finished), runs, parts);
  }

  /** Clusters on which all of the object has come to its end; undefined where there is none. */
  everywhere(): ReadonlySet<string> | undefined {
    if (this.work.runs.size === 0 || this.#parts === 0 || this.#runs.size < this.#parts) return undefined;
    const [first, ...others] = [...this.#runs.values()].map((run) => this.#endsOf(run));
    const names = [...(first?.keys() ?? [])].filter((name) => others.every((ends) => ends.has(name)));
    return names.length === 0 ? undefined : new Set(names);
  }

  /** The objects as they are to be on the cluster: of a run that has ended, which end that was. */
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

  /** Follows a decision: see {@link follow}. */
  after(moves: Moves): Finished {
    return new Finished(follow(this.work, this.#runs, moves), this.#runs, this.#parts);
  }

  #endsOf({ ref, hash }: { ref: ObjectRef; hash: string }): ReadonlyMap<string, End> {
    return this.work.runs.get(runKey(ref, hash))?.ends ?? NOWHERE;
  }
}

const NOWHERE: ReadonlyMap<string, End> = new Map();

/** How an object moves by a decision. */
export interface Moves {
  /** Clusters that are to have the object. */
  chosen: ReadonlySet<string>;
  /** Clusters that have it, by what is known before the decision. */
  current: { has(name: string): boolean };
  /** Clusters of the hub. */
  known: ReadonlySet<string>;
  /** One cluster is as good as another one: the placement takes some of those that fit. */
  isInterchangeable: boolean;
  /** Earlier runs may be asked for again: the placement rolls out in stages, and may go back. */
  mayReturn: boolean;
}

/** Of each object so many earlier runs are kept where the placement may go back to one. */
const KEPT_RUNS = 8;

/**
 * The record after a decision. What has ended on a cluster that the object leaves has ended on the one that takes its place: work that is done is not
 * done twice because the object moves. A cluster that comes without another one leaving is to do the work. Where the placement takes every cluster
 * that fits, only clusters that leave by the same decision have a successor, and clusters that are gone from the hub are forgotten.
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

/** The runs of now of what the object is still made of, and where the placement may go back, the latest of those before. */
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
