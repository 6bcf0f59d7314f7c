import { counted, defined, namesText, shortMessage } from "../../apis/index.ts";
import type { Score } from "../score/staticWeight.ts";
import type { Answer, ClusterHeadroom, ClusterSnapshot, PlacementRules, Step, Subject } from "../types.ts";
import type { Bounds } from "./divide.ts";
import { type Candidate, divideAggregated, divideAvailable } from "./divideByHeadroom.ts";
import { type ReplicaShare, type Shares, unplacedText } from "./shareReplicas.ts";

type Scheduling = PlacementRules["replicaScheduling"];

export function goesByHeadroom({ mode, strategy }: Scheduling): boolean {
  return mode === "Divided" && (strategy === "Available" || strategy === "Aggregated");
}

/** As in a decision from files. */
const NOT_MEASURED: ClusterHeadroom = {
  reason: "RoomUnknown",
  message: "nobody measures its room here",
};

/** A cluster that is not ready cannot be measured, so nobody waits for its measurement. */
const NOT_REACHED: ClusterHeadroom = { reason: "RoomUnknown", message: "the cluster is not ready to be measured" };

/** Undefined while the room is being measured. */
export function headroomOf({ room }: Subject, { name, ready }: ClusterSnapshot): ClusterHeadroom | undefined {
  if (room === undefined) return NOT_MEASURED;
  return room.get(name) ?? (ready === undefined || ready.status === "True" ? undefined : NOT_REACHED);
}

export interface SharesByHeadroom extends Shares {
  scores: Score[];
  /** The division waits for a measurement. */
  awaited: boolean;
  /** Replicas without room or without a cluster. */
  unhoused: number;
  /** Replicas beyond those given last, by cluster. */
  added: ReadonlyMap<string, number>;
  /** The division waits for the replica count of some cluster. */
  uncounted?: boolean;
}

/**
 * Divides the replicas by room. Nothing is decided while clusters that could take some are being measured: replicas
 * placed by a guess would stay. `everyone`: each cluster gets some. Adds to `notes` what could not be done.
 */
export function shareByHeadroom(
  total: number,
  clusters: readonly ClusterSnapshot[],
  subject: Subject,
  scheduling: Scheduling,
  everyone: boolean,
  notes: string[],
): SharesByHeadroom {
  const capacities = clusters.map((cluster) => headroomOf(subject, cluster));
  const scores = capacities.map(shared(scoreOf));
  const { minReplicasPerCluster: min, maxReplicasPerCluster: max, replicaStep: step, strategy } = scheduling;
  const candidates = clusters.map(({ name }, i): Candidate => {
    const room = capacities[i];
    const most = subject.leaving?.get(name);
    return {
      name,
      current: heldOn(subject, name) ?? 0,
      room: room !== undefined && "fits" in room ? room.fits : undefined,
      ...(most === undefined ? {} : { most, room: 0 }),
    };
  });
  const bounds: Bounds = { min, max, step };
  const divide = strategy === "Aggregated" ? divideAggregated : divideAvailable;
  const ties = { object: subject.key };
  const division = divide(total, candidates, everyone ? { ...bounds, everyone } : bounds, ties);
  const isUncounted = clusters.map((cluster) => hasNoCount(subject, cluster));
  const isSettled = candidates.every(({ name, current }) => (division.replicas[name] ?? 0) <= current);
  const uncounted = isUncounted.includes(true);
  if (uncounted || (capacities.includes(undefined) && !isSettled)) {
    const names = clusters.flatMap(({ name }, i) =>
      isUncounted[i] === true || capacities[i] === undefined ? [name] : [],
    );
    const step = waiting(names);
    const shares = clusters.map(() => ({ replicas: 0, step }));
    return { scores, shares, awaited: true, unhoused: 0, unplaced: 0, added: new Map(), uncounted };
  }

  const unplaced = clusters.length === 0 ? 0 : division.unplaced;
  if (unplaced > 0) notes.push(unplacedText(unplaced, total));
  if (division.withoutHeadroom > 0)
    notes.push(`${division.withoutHeadroom} of ${counted(total, "replica")} find no room on any cluster`);
  const unknown = clusters.filter((_, i) => "reason" in (capacities[i] ?? {})).map(({ name }) => name);
  if (unknown.length > 0) notes.push(`the room is not known of ${namesText(unknown)}`);
  const name = strategy === "Aggregated" ? "Aggregated" : "Available";
  const refusal = shared((room): Step => ({ stage: "divide", name, ...whyNone(total, room) }));
  const shares = candidates.map(({ name: cluster, current }, i): ReplicaShare => {
    const replicas = division.replicas[cluster] ?? 0;
    const room = capacities[i];
    if (replicas === 0 && total > 0) return { replicas, step: refusal(room) };
    const more = room !== undefined && "fits" in room ? replicas - current - room.fits : 0;
    const beyond = more > 0 ? `; ${more} of them ${more === 1 ? "finds" : "find"} no room there` : "";
    const gone = subject.leaving?.has(cluster) === true && replicas < current ? current - replicas : 0;
    const left = gone === 0 ? "" : `; ${gone} ${gone === 1 ? "leaves" : "leave"} it, since pods find no node there`;
    const message = `gets ${replicas} of ${counted(total, "replica")}${beyond}${left}`;
    return { replicas, step: { stage: "divide", name, fits: true, reason: "Selected", message } };
  });
  const added = new Map<string, number>();
  for (const { name: cluster, current } of candidates) {
    const more = (division.replicas[cluster] ?? 0) - current;
    if (more > 0) added.set(cluster, more);
  }
  return { scores, shares, awaited: false, unhoused: division.withoutHeadroom + division.unplaced, unplaced, added };
}

/** Undefined if the object does not run there or nobody knows how many run. */
function heldOn({ held, current }: Subject, cluster: string): number | undefined {
  return held?.get(cluster) ?? current.get(cluster);
}

/** The object runs on the cluster with an unknown number of replicas. */
function hasNoCount(subject: Subject, { name }: ClusterSnapshot): boolean {
  return subject.room !== undefined && subject.current.has(name) && heldOn(subject, name) === undefined;
}

function waiting(clusters: readonly string[]): Step {
  return {
    stage: "divide",
    name: "Room",
    fits: false,
    reason: "RoomNotMeasured",
    message: `waits until the room is measured of ${namesText(clusters)}`,
  };
}

/** Clusters with equal room share their answer. */
function shared<T>(answer: (room: ClusterHeadroom | undefined) => T): (room: ClusterHeadroom | undefined) => T {
  const answers = new Map<unknown, T>();
  return (room) => {
    const key = room !== undefined && "fits" in room ? room.fits : room;
    let same = answers.get(key);
    if (same === undefined) answers.set(key, (same = answer(room)));
    return same;
  };
}

const EVEN = 1;

function scoreOf(room: ClusterHeadroom | undefined): Score {
  const step = { stage: "score", name: "Room", fits: true } as const;
  if (room === undefined)
    return { weight: EVEN, step: { ...step, reason: "RoomNotMeasured", message: "its room is being measured" } };
  if ("fits" in room) {
    const message = room.fits === 0 ? "no room for another replica" : `room for ${room.fits} more`;
    return { weight: room.fits, step: { ...step, reason: "RoomMeasured", message, score: room.fits } };
  }
  return { weight: EVEN, step: { ...step, reason: "RoomUnknown", message: room.message } };
}

function whyNone(total: number, room: ClusterHeadroom | undefined): Answer {
  const replicas = counted(total, "replica");
  if (room !== undefined && "fits" in room && room.fits === 0)
    return {
      fits: false,
      reason: "NoReplicas",
      message: "it has no room for a replica",
      remedy: "add nodes there, or let the pods ask for less",
    };
  if (room !== undefined && "reason" in room)
    return {
      fits: false,
      reason: "NoReplicas",
      message: shortMessage(`its room is not known, so other clusters go before it: ${room.message}`),
      ...defined({ remedy: room.remedy }),
    };
  return {
    fits: false,
    reason: "NoReplicas",
    message: `the ${replicas} ${total === 1 ? "is" : "are"} on other clusters`,
  };
}
