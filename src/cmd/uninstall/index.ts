/**
 * Removes Meridian from a hub. Promises: the next step follows from the objects on the hub alone, so the command can be
 * interrupted, repeated, and run twice at once. No application is deleted without `--drain` or `--orphan`. What install
 * did not make, and what Helm made, stays and is named. Only the manager deletes member objects.
 */
import { CRDS, systemClock } from "../../runtime/index.ts";
import { DELETION_PROTECTION_LABEL } from "../../webhooks/index.ts";
import {
  clusterUid,
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  EXIT,
  Progress,
} from "../shared/index.ts";
import type { UninstallOptions } from "./verb.ts";
import { blockersOf } from "./blockers.ts";
import { confirm, printWhatStays } from "./confirm.ts";
import { definitionsInUse } from "./definitionsInUse.ts";
import { announce, execute, type Run, type Work } from "./execute.ts";
import { observe, type Place, type Snapshot } from "./observe.ts";
import { type Item, objectsOf, type Observed, type UninstallChoice } from "./state.ts";
import { after, type Ending, ENDINGS, nextStep, type Step } from "./steps.ts";
import {
  count,
  describeGuarded,
  describeHandOver,
  describeStep,
  describeUnclean,
  nameOf,
  some,
  WAYS_ON,
} from "./words.ts";

/** Attempts without a change after which the command gives up. */
const FUTILE = 5;

export async function uninstall(options: UninstallOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const { client, where } = hub;
  const place: Place = { ...options, client, where, hubId: await clusterUid(client, signal) };
  const choice: UninstallChoice = { objects: options.objects, keepCrds: options.keepCrds };
  const deadline = systemClock.monotonic() + options.timeout;
  const first = await observe(place, signal);
  const held = await printBlockers(first.seen, place, choice, context);
  if (options.dryRun) return printSteps(first, choice, held, context);
  if (isWork(nextStep(first.seen, choice))) await confirm(first.seen, options, context);

  using progress = new Progress(terminal);
  const logger = commandLogger(options.logLevel, terminal);
  const run: Run = { place, choice, context, progress, deadline, logger, unclean: new Set() };
  return await walk(first, run);
}

/** Returns true if there are any. */
async function printBlockers(
  seen: Observed,
  place: Place,
  choice: UninstallChoice,
  { terminal, signal }: CommandContext,
): Promise<boolean> {
  const drains = choice.objects === "Drain" && seen.members.length > 0;
  const { inUse, notes } = drains ? await definitionsInUse(place, seen.members, signal) : { inUse: [], notes: [] };
  for (const note of notes) terminal.err(`${note}\n`);
  const blockers = blockersOf(seen, inUse, choice);
  for (const { what, way } of blockers) terminal.err(`held back: ${what}\n  ${way}\n`);
  return blockers.length > 0;
}

async function walk(first: Snapshot, run: Run): Promise<number> {
  const { place, choice, context, progress, deadline } = run;
  const { terminal, signal } = context;
  let clean = true;
  let snapshot = first;
  let tries = 0;
  for (;;) {
    const step = nextStep(snapshot.seen, choice);
    if (!isWork(step)) return finish(step, snapshot, { clean, choice }, context);
    if (systemClock.monotonic() > deadline) {
      throw new CommandError(
        `the time is up before it could ${describeStep(step, choice)}; run uninstall again to go on`,
        { exitCode: EXIT.timeout },
      );
    }
    if (tries === 0) announce(step, run);
    clean = (await execute(step, run)) && clean;
    progress.show("");
    const before = snapshot;
    snapshot = setAside(await observe(place, signal), run.unclean);
    checkNobodyInstalls(first.seen, snapshot.seen);
    for (const item of gone(before.seen, snapshot.seen)) terminal.out(`${nameOf(item)} removed\n`);
    tries = isSame(step, nextStep(snapshot.seen, choice)) ? tries + 1 : 0;
    if (tries >= FUTILE) {
      throw new CommandError(
        `somebody undoes it each time: ${describeStep(step, choice)}. Is a manager running that holds no Lease ${place.leaseName} in ${place.namespace}? Stop it first`,
      );
    }
  }
}

/** A member is cleaned once in a run. Its leftovers are for a person, or for the next run. */
function setAside({ seen, stays }: Snapshot, uids: ReadonlySet<string>): Snapshot {
  const [joined, unclean] = [false, true].map((aside) => seen.joined.filter(({ uid }) => uids.has(uid) === aside));
  return { seen: { ...seen, joined: joined ?? [], unclean: unclean ?? [] }, stays };
}

function isWork(step: Step): step is Work {
  return !(ENDINGS as readonly string[]).includes(step.do);
}

function isSame(step: Step, next: Step): boolean {
  const words = (one: Step): string =>
    JSON.stringify([one.do, "stage" in one ? one.stage : "", "items" in one ? one.items.map(({ uid }) => uid) : []]);
  return words(step) === words(next);
}

function finish(
  step: Extract<Step, { do: Ending }>,
  { seen, stays }: Snapshot,
  { clean, choice }: { clean: boolean; choice: UninstallChoice },
  { terminal }: CommandContext,
): number {
  switch (step.do) {
    case "Refuse":
      terminal.err(`${count(step.items)} are on the hub; nothing was done. Choose what happens to them:\n${WAYS_ON}`);
      return EXIT.found;
    case "RefuseGuarded":
      terminal.err(`${describeGuarded(step.items, DELETION_PROTECTION_LABEL)}\n`);
      return EXIT.found;
    case "StartManager":
      throw new CommandError(
        step.why === "Finalizers"
          ? `only a manager can take ${some(step.items)} off the members, and none is alive: start one (\`meridian manager\`, or find out why its Lease is not held), or leave the member objects running with --orphan`
          : `${some(step.items)} may be stored in an earlier version, which only a manager with --webhooks can convert: start one`,
      );
    case "HandOver":
      for (const what of stays) terminal.err(`${what}\n`);
      if (seen.unclean.length > 0) terminal.err(`${describeUnclean(seen.unclean)}\n`);
      terminal.err(`${describeHandOver(step.releases)}\n`);
      // With a choice for the objects the command's work is done, and the person continues with `helm uninstall`.
      return choice.objects !== "Refuse" && clean && stays.length === 0 && seen.unclean.length === 0
        ? EXIT.ok
        : EXIT.found;
    case "Done":
      for (const what of stays) terminal.err(`left: ${what}\n`);
      if (seen.crds.length > 0) terminal.err(`${count(seen.crds)} kept, because of --keep-crds\n`);
      if (seen.unclean.length > 0) {
        terminal.err(`${describeUnclean(seen.unclean)}\n`);
        return EXIT.found;
      }
      terminal.out("Meridian was removed from this hub\n");
      return clean && stays.length === 0 ? EXIT.ok : EXIT.found;
  }
}

/** Each step is computed from the state that the previous one would leave. */
function printSteps(
  { seen, stays }: Snapshot,
  choice: UninstallChoice,
  held: boolean,
  context: CommandContext,
): number {
  printWhatStays(seen, choice.objects, context.terminal);
  let state = seen;
  for (;;) {
    const step = nextStep(state, choice);
    if (!isWork(step)) {
      const code =
        step.do === "Done" ? EXIT.ok : finish(step, { seen: state, stays }, { clean: true, choice }, context);
      if (step.do === "Done") for (const what of stays) context.terminal.err(`would be left: ${what}\n`);
      return Math.max(held ? EXIT.found : EXIT.ok, code);
    }
    context.terminal.out(`${describeStep(step, choice)} (dry run)\n`);
    state = after(step, state, choice);
  }
}

/** This run must not remove the objects of a new installation. */
function checkNobodyInstalls(first: Observed, now: Observed): void {
  const known = new Set(first.crds.map(({ uid }) => uid));
  const fresh = now.crds.find(({ uid }) => !known.has(uid));
  if (fresh === undefined) return;
  throw new CommandError(
    `${CRDS.kind} ${fresh.name} was made anew meanwhile: somebody installs Meridian. Nothing more is removed; to remove that too, run uninstall again`,
  );
}

/** Items of the earlier snapshot alone. */
function gone(before: Observed, now: Observed): Item[] {
  const present = new Set(itemsOf(now).map(({ uid }) => uid));
  return itemsOf(before).filter(({ uid }) => !present.has(uid));
}

function itemsOf(seen: Observed): Item[] {
  const { joined, unclean, admission, workload, crds, access, state, accounts, namespaces, occupied } = seen;
  const others = [joined, unclean, admission, workload, crds, access, state, accounts, namespaces, occupied];
  return [objectsOf(seen), ...others].flat();
}
