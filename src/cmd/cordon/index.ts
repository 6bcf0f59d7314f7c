import { counted, type Placement } from "../../apis/index.ts";
import { CLUSTERPLACEMENTS, PLACEMENTS, systemClock } from "../../runtime/index.ts";
import {
  allOf,
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  type Connection,
  EXIT,
  Progress,
  HubReader,
} from "../shared/index.ts";
import type { CordonOptions, DrainOptions } from "./verb.ts";
import { HubView } from "../live/index.ts";
import {
  type Change,
  changeTaints,
  cordoned,
  drained,
  DRAINING,
  drainText,
  memberOf,
  uncordoned,
} from "../plan/index.ts";
import { hiddenNote, readOthers } from "../view/index.ts";
import { endOf, isLeftThere, placementKey, type Remaining, remainingOn } from "./remaining.ts";
import { isLess, type Moved, movedFrom, movedText } from "./moved.ts";

/** Takes a cluster out of service and back, by a taint on its MemberCluster. Each command can be repeated. */

/** `meridian cordon`: keeps new copies off the cluster. */
export function cordon(name: string, options: CordonOptions, context: CommandContext): Promise<number> {
  return change(name, cordoned, { did: "cordoned", already: "already cordoned" }, options, context);
}

/** `meridian uncordon`: ends cordon and drain. */
export function uncordon(name: string, options: CordonOptions, context: CommandContext): Promise<number> {
  return change(name, uncordoned, { did: "uncordoned", already: "not cordoned" }, options, context);
}

async function change(
  name: string,
  by: Change,
  { did, already }: { did: string; already: string },
  options: CordonOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const { dryRun } = options;
  const changed = await changeTaints(hub, name, by, { dryRun, now: systemClock.now(), signal });
  terminal.out(`membercluster/${name} ${changed ? did : already}${dryRun ? " (dry run)" : ""}\n`);
  return EXIT.ok;
}

/**
 * `meridian drain`: asks, cordons the cluster, moves its objects away, waits, and reports on each object. A copy that
 * serves stays until the object is available elsewhere. Exits with 1 when something stays for a reason, with 3 on
 * timeout.
 */
export async function drain(name: string, options: DrainOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const { dryRun, timeout } = options;
  const change = { dryRun, now: systemClock.now(), signal };
  if (dryRun) {
    const changed = await changeTaints(hub, name, drained, change);
    terminal.out(`membercluster/${name} ${changed ? "drained" : "already drained"} (dry run)\n`);
    terminal.err(`\`meridian plan --drain ${name}\` shows where each object would go, and which would stay.\n`);
    return EXIT.ok;
  }
  await memberOf(hub, name, signal);
  await confirm(name, options, context);
  const end = await untilEmpty(hub, name, options, context, async () => {
    const changed = await changeTaints(hub, name, drained, change);
    terminal.err(
      `Draining ${name}: ${changed ? "its objects move to other clusters" : "the drain had begun before"}.\n`,
    );
  });
  if (end === undefined)
    throw new CommandError(
      `the copies on ${name} could not be read within ${timeout / 1_000} s, so nothing was changed; \`meridian cordon ${name}\` keeps new objects away meanwhile`,
      { exitCode: EXIT.timeout },
    );
  const { left, moved } = end;
  terminal.err(movedText(moved));
  for (const { object, why } of left.staying) terminal.err(`${object} stays: ${why}\n`);
  if (left.held !== undefined) terminal.err(`copies without an object on the hub stay on ${name}: ${left.held}\n`);
  if (left.leaving.length > 0) {
    const [first] = left.leaving;
    const { length } = left.leaving;
    throw new CommandError(
      `${counted(length, "object")} on ${name} ${length === 1 ? "has" : "have"} not left in time (${first?.object}: ${first?.why}); ${goOn(name, options)}`,
      { exitCode: EXIT.timeout },
    );
  }
  terminal.out(`membercluster/${name} ${endOf(left)}${lossText(moved.filter(isLess).length)}\n`);
  return isLeftThere(left) ? EXIT.found : EXIT.ok;
}

function lossText(objects: number): string {
  return objects === 0
    ? ""
    : `; ${counted(objects, "object")} ${objects === 1 ? "has" : "have"} fewer replicas or clusters now`;
}

/** Throws {@link CommandError} unless the person agrees. */
async function confirm(name: string, options: DrainOptions, context: CommandContext): Promise<void> {
  const { terminal, signal } = context;
  if (options.yes) return;
  if (terminal.ask === undefined) {
    throw new CommandError(
      `drain asks before objects move, and there is no terminal to ask on: give --yes, or see what would move with \`meridian plan --drain ${name}\``,
    );
  }
  terminal.err(await drainText(name, options, context));
  const answer = await terminal.ask(`Drain ${name}? Type yes to go on: `, signal);
  if (answer.trim().toLowerCase() !== "yes") throw new CommandError("nothing was done");
}

function goOn(name: string, { yes }: DrainOptions): string {
  return `run \`meridian drain ${name}${yes ? " --yes" : ""}\` again to go on waiting, or \`meridian uncordon ${name}\` to stop`;
}

interface DrainEnd {
  left: Remaining;
  moved: Moved[];
}

/**
 * Calls `begin` when the copies are known, and waits until nothing leaves the cluster any more. Undefined, and `begin`
 * not called, if the hub did not say in time what runs there: unknown is not empty.
 */
async function untilEmpty(
  hub: Connection,
  name: string,
  { logLevel, timeout }: DrainOptions,
  { terminal, signal }: CommandContext,
  begin: () => Promise<void>,
): Promise<DrainEnd | undefined> {
  const reader = new HubReader(hub, signal);
  const placements = await placementsOf(reader);
  const logger = commandLogger(logLevel, terminal);
  const { types, hidden } = await readOthers(reader, { mostPages: 1, limit: 1 });
  if (hidden.length > 0) terminal.err(`${hiddenNote(hidden)}\n`);
  const view = new HubView({ client: hub.client, logger, name: "drain", others: types });
  const over = new AbortController();
  using resources = new DisposableStack();
  resources.defer(() => over.abort());
  resources.use(systemClock.after(timeout, () => over.abort()));
  const progress = resources.use(new Progress(terminal));
  const ended = AbortSignal.any([signal, over.signal]);
  const remaining = (): Remaining => remainingOn(name, view.report(), placements, DRAINING);
  const running = view.run(ended);
  const check = (): void => {
    const { leaving } = remaining();
    progress.show(`${name}: ${leaving.length} to leave`);
    if (leaving.length === 0) over.abort();
  };
  const synced = await view.waitForSync(ended).then(
    () => true,
    () => false,
  );
  if (!synced) {
    await running;
    signal.throwIfAborted();
    return undefined;
  }
  const before = view.report();
  await begin();
  using _subscription = view.onChange(check);
  check();
  await running;
  signal.throwIfAborted();
  return { left: remaining(), moved: movedFrom(name, before, view.report()) };
}

async function placementsOf(reader: HubReader): Promise<Map<string, Placement>> {
  const lists = await allOf([PLACEMENTS, CLUSTERPLACEMENTS].map((type) => reader.listRequired(type)));
  return new Map((lists.flat() as unknown as Placement[]).map((policy) => [placementKey(policy), policy]));
}
