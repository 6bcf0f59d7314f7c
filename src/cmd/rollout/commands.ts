import type { RolloutCommand, RolloutStatus } from "../../apis/index.ts";
import { CommandError } from "../outcome.ts";

/** What a verb makes of what was said of the rollout; undefined: there is nothing to say, and why. */
export type Said = { command: RolloutCommand; answer: string } | { command?: undefined; answer: string };

type Steering = "pause" | "resume" | "approve" | "abort";

export interface Steer {
  verb: Steering;
  /** As messages name the object. */
  object: string;
  status: RolloutStatus | undefined;
  /** What was said before. */
  before: RolloutCommand | undefined;
  stage?: string | undefined;
  /** Who approves. */
  user: string;
  /** RFC 3339. */
  now: string;
}

const OVER: ReadonlySet<string> = new Set(["Succeeded", "RolledBack", "Superseded"]);

/** Pure. What is said counts for the present revision; said twice, it is said once. Throws {@link CommandError} for what cannot be meant. */
export function said({ verb, object, status, before, stage, user, now }: Steer): Said {
  if (status?.revision === undefined || OVER.has(status.state)) {
    const state = status === undefined ? "no rollout" : `no rollout under way: it is ${status.state}`;
    if (verb === "approve") throw new CommandError(`${object} has ${state}; there is nothing to approve`);
    return { answer: `${object} has ${state}; nothing to ${verb}` };
  }
  const { revision, startedAt } = status;
  const ofRun = startedAt === undefined ? {} : { run: startedAt };
  const isOfThisRun = before?.revision === revision && (before.run === undefined || before.run === startedAt);
  const base: RolloutCommand = { ...(isOfThisRun ? before : { revision }), ...ofRun };
  switch (verb) {
    case "pause":
      if (base.paused === true) return { answer: `${object} already paused` };
      return { command: { ...base, paused: true }, answer: `${object} paused at revision ${revision}` };
    case "resume": {
      const { paused: _, ...rest } = base;
      if (base.paused !== true && status.state !== "Paused") return { answer: `${object} is not paused` };
      return { command: { ...rest, resumedAt: now }, answer: `${object} resumed at revision ${revision}` };
    }
    case "abort":
      if (base.abort === true) return { answer: `${object} already aborted` };
      return { command: { ...base, abort: true }, answer: `${object} aborted: revision ${revision} is taken back` };
    case "approve": {
      const waiting = stage ?? stageThatWaits(object, status);
      if (status.stages?.some(({ name }) => name === waiting) !== true)
        throw new CommandError(
          `${object} has no stage ${waiting}; its stages are ${(status.stages ?? []).map(({ name }) => name).join(", ")}`,
        );
      const by = base.approvals?.[waiting];
      if (by !== undefined) return { answer: `${object}: stage ${waiting} already approved by ${by}` };
      return {
        command: { ...base, approvals: { ...base.approvals, [waiting]: user } },
        answer: `${object}: stage ${waiting} approved by ${user}`,
      };
    }
  }
}

function stageThatWaits(object: string, { stages = [] }: RolloutStatus): string {
  const waiting = stages.find(({ state, approvedBy }) => state === "Paused" && approvedBy === undefined);
  if (waiting === undefined)
    throw new CommandError(
      `no stage of ${object} waits for approval; name one with --stage to approve it before its time`,
    );
  return waiting.name;
}
