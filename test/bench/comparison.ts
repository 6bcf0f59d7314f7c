import { defined } from "../../src/apis/index.ts";
import type { ManagerStatusFigures } from "./figures.ts";
import { Observers } from "./observers.ts";
import type { BenchOptions } from "./options.ts";
import { cpuSeconds, residentMiB } from "./processUsage.ts";
import { Rollouts } from "./rollouts.ts";
import type { MeasuredDeletion, MeasuredRollout } from "./rounds.ts";
import type { Stage } from "./stage.ts";
import { STATUS5, StatusChanges } from "./statusChanges.ts";
import { measuredPace } from "./statusRate.ts";
import { FIRST_IMAGE, SECOND_IMAGE } from "./workload.ts";

/** A Meridian that takes part. */
export interface Contender {
  title: string;
  /** Node's arguments for it. */
  program: readonly string[];
}

/** One program's turn, from its start to its end. */
export interface Turn {
  create: MeasuredRollout;
  update: MeasuredRollout;
  delete: MeasuredDeletion;
  /** From the first create to the end of the last deletion, without what is told of statuses. */
  cpuSeconds: number;
  /** After the update. */
  rssMiB: number;
  /** Absent where statuses are not compared. */
  status?: { at5: ManagerStatusFigures; atRate: ManagerStatusFigures };
}

export interface Comparison {
  apps: number;
  members: number;
  /** Changes a second of `status.atRate`. Absent where statuses are not compared. */
  perSecond?: number;
  titles: { here: string; there: string };
  /** One after another, in this order or the other in every second pair. */
  pairs: { here: Turn; there: Turn }[];
  loadAverage: Record<string, number>;
}

/** Both programs in turns on the same servers, so that what else the machine does falls on both. Only the manager differs. */
export async function compare(
  options: BenchOptions,
  stage: Stage,
  here: Contender,
  there: Contender,
): Promise<Comparison> {
  const perSecond = await findRate(stage, here, options.status);
  // The servers get faster while their caches and heaps grow to size, so that the first turn of all is slower, whoever has it.
  stage.say("a turn that does not count");
  await takeTurn(stage, there, perSecond);
  const pairs: Comparison["pairs"] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const turnOf = (contender: Contender): Promise<Turn> => {
      stage.say(`round ${round}: ${contender.title}`);
      return takeTurn(stage, contender, perSecond);
    };
    // Whoever is first has fewer objects behind it in the servers' memory: so that is not always the same one.
    if (round % 2 === 1) {
      const first = await turnOf(here);
      pairs.push({ here: first, there: await turnOf(there) });
    } else {
      const first = await turnOf(there);
      pairs.push({ there: first, here: await turnOf(here) });
    }
  }
  const { apps, members } = options;
  const titles = { here: here.title, there: there.title };
  return { apps, members, ...defined({ perSecond }), titles, pairs, loadAverage: stage.load };
}

/** Joins the members, and leaves them without applications and without a manager. */
async function findRate(stage: Stage, { program }: Contender, isWanted: boolean): Promise<number | undefined> {
  await stage.startManager(program);
  await stage.federate();
  if (!isWanted) {
    await stage.stopManager();
    return undefined;
  }
  using observers = new Observers(stage.fleet);
  await stage.warmUp(observers);
  const rollouts = new Rollouts(stage.hub, observers, stage.names);
  await rollouts.create(FIRST_IMAGE);
  await stage.settle();
  await stage.stopManager();
  const changes = new StatusChanges(observers, { clients: stage.clients, names: stage.names });
  const perSecond = await stage.findRate(observers, changes);
  await stage.startManager(program);
  await rollouts.deleteAll();
  await stage.stopManager();
  return perSecond;
}

async function takeTurn(stage: Stage, { program }: Contender, perSecond: number | undefined): Promise<Turn> {
  await stage.startManager(program);
  using observers = new Observers(stage.fleet);
  await stage.warmUp(observers);
  const rollouts = new Rollouts(stage.hub, observers, stage.names);
  const usedBefore = await cpuSeconds(stage.pid);
  const create = await stage.rollout("create", () => rollouts.create(FIRST_IMAGE));
  const update = await stage.rollout("update", () => rollouts.update(SECOND_IMAGE));
  const rssMiB = await residentMiB(stage.pid);
  const usedByRollouts = (await cpuSeconds(stage.pid)) - usedBefore;

  const status = perSecond === undefined ? undefined : await statusTurn(stage, observers, perSecond);
  using observersAfter = new Observers(stage.fleet);
  const later = new Rollouts(stage.hub, observersAfter, stage.names);
  await later.allThere();
  const usedBeforeDeletion = await cpuSeconds(stage.pid);
  const deletion = await stage.deletion("delete", later);
  const usedByDeletion = (await cpuSeconds(stage.pid)) - usedBeforeDeletion;
  await stage.stopManager();
  const used = usedByRollouts + usedByDeletion;
  return { create, update, delete: deletion, cpuSeconds: used, rssMiB, ...defined({ status }) };
}

async function statusTurn(stage: Stage, observers: Observers, perSecond: number): Promise<NonNullable<Turn["status"]>> {
  observers.leaveMembers();
  const changes = new StatusChanges(observers, { clients: stage.clients, names: stage.names });
  await stage.settleStatus(changes);
  const at5 = await stage.status("status5", STATUS5, () => changes.spread(STATUS5));
  const pace = measuredPace(perSecond);
  const atRate = await stage.status(`status at ${perSecond}/s`, pace, () => changes.rolling(pace));
  return { at5, atRate };
}
