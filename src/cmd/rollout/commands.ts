import type { RolloutApprovals, RolloutCommand, RolloutStatus } from "../../apis/index.ts";
import { CommandError } from "../shared/index.ts";

/** Result of pause, resume or abort: the command to write, or only an answer that says why nothing is written. */
export type Said = { command: RolloutCommand; answer: string } | { command?: undefined; answer: string };

interface Subject {
  object: string;
  status: RolloutStatus | undefined;
}

export interface Steer extends Subject {
  verb: "pause" | "resume" | "abort";
  before: RolloutCommand | undefined;
  /** RFC 3339. */
  now: string;
}

export interface Approve extends Subject {
  before: RolloutApprovals | undefined;
  stage: string | undefined;
  user: string;
}

/** As {@link Said}, with all approvals of the run. */
export type Approved = { approvals: RolloutApprovals; answer: string } | { approvals?: undefined; answer: string };

const OVER: ReadonlySet<string> = new Set(["Succeeded", "RolledBack", "Superseded"]);

type Run = { kind: "Open"; status: RolloutStatus; revision: number } | { kind: "None"; state: string };

/** The run that is under way, or a text about its absence. */
function runOf(status: RolloutStatus | undefined): Run {
  if (status?.revision !== undefined && !OVER.has(status.state))
    return { kind: "Open", status, revision: status.revision };
  return {
    kind: "None",
    state: status === undefined ? "no rollout" : `no rollout under way: it is ${status.state}`,
  };
}

/** Pure. A command counts for the present revision; repeating the command changes nothing. */
export function said({ verb, object, status, before, now }: Steer): Said {
  const run = runOf(status);
  if (run.kind === "None") return { answer: `${object} has ${run.state}; nothing to ${verb}` };
  const { revision } = run;
  const { startedAt, state } = run.status;
  const ofRun = startedAt === undefined ? {} : { run: startedAt };
  const isOfThisRun = before?.revision === revision && (before.run === undefined || before.run === startedAt);
  const base: RolloutCommand = { ...(isOfThisRun ? before : { revision }), ...ofRun };
  switch (verb) {
    case "pause":
      if (base.paused === true) return { answer: `${object} already paused` };
      return { command: { ...base, paused: true }, answer: `${object} paused at revision ${revision}` };
    case "resume": {
      const { paused: _, ...rest } = base;
      if (base.paused !== true && state !== "Paused") return { answer: `${object} is not paused` };
      return { command: { ...rest, resumedAt: now }, answer: `${object} resumed at revision ${revision}` };
    }
    case "abort":
      if (base.abort === true) return { answer: `${object} already aborted` };
      return { command: { ...base, abort: true }, answer: `${object} aborted: revision ${revision} is taken back` };
  }
}

/** Pure. Approvals of the run's other stages are kept. Throws {@link CommandError} if the run or stage does not fit. */
export function approved({ object, status, before, stage, user }: Approve): Approved {
  const run = runOf(status);
  if (run.kind === "None") throw new CommandError(`${object} has ${run.state}; there is nothing to approve`);
  const { revision } = run;
  const { startedAt, stages = [] } = run.status;
  if (startedAt === undefined)
    throw new CommandError(`the rollout of ${object} has not begun; approve a stage when it has`);
  const waiting = stage ?? stageThatWaits(object, run.status);
  if (!stages.some(({ name }) => name === waiting))
    throw new CommandError(
      `${object} has no stage ${waiting}; its stages are ${stages.map(({ name }) => name).join(", ")}`,
    );
  const isOfThisRun = before?.revision === revision && before.run === startedAt;
  const known = new Map(isOfThisRun ? Object.entries(before.approvals) : []);
  const by = known.get(waiting);
  if (by !== undefined) return { answer: `${object}: stage ${waiting} already approved by ${by}` };
  return {
    approvals: { revision, run: startedAt, approvals: Object.fromEntries([...known, [waiting, user]]) },
    answer: `${object}: stage ${waiting} approved by ${user}`,
  };
}

function stageThatWaits(object: string, { stages = [] }: RolloutStatus): string {
  const waiting = stages.find(({ state, approvedBy }) => state === "Paused" && approvedBy === undefined);
  if (waiting === undefined)
    throw new CommandError(
      `no stage of ${object} waits for approval; give --stage NAME to approve a stage before its turn`,
    );
  return waiting.name;
}
