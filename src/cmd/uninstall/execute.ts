import { ALLOW_DELETION_ANNOTATION, finalizersPatch } from "../../apis/index.ts";
import { stripMarks } from "../../clusters/index.ts";
import type { Logger } from "../../observability/index.ts";
import { isApiError, isConflict, isInvalid, isNotFound, systemClock } from "../../runtime/index.ts";
import { withdrawWebhooks } from "../../webhooks/index.ts";
import { atOnce, type CommandContext, CommandError, EXIT, type Progress } from "../shared/index.ts";
import { cleanMember, releaseOn } from "./memberAccounts.ts";
import type { Place } from "./observe.ts";
import {
  type Application,
  isOwnFinalizer,
  type Item,
  keepsDependents,
  type Member,
  type Stage,
  type UninstallChoice,
} from "./state.ts";
import { type Ending, memberPolicy, type Step } from "./steps.ts";
import { describeStep } from "./words.ts";
import { untilGone, untilManagerStopped, type Waited, type Waiting } from "./waiting.ts";

/** A step that changes or waits for something. */
export type Work = Exclude<Step, { do: Ending }>;

export interface Run {
  place: Place;
  choice: UninstallChoice;
  context: CommandContext;
  progress: Progress;
  logger: Logger;
  /** Monotonic milliseconds. */
  deadline: number;
  /** UIDs of Secrets whose members could not be cleaned in this run. */
  unclean: Set<string>;
}

/** For when no configuration is left that shows its name. */
const DEFAULT_CONFIGURATION = "meridian";

/**
 * Executes one step. Every write names the UID of its object; what changed meanwhile is skipped, and the caller
 * observes the hub again. False when marks were left on a member. Throws {@link CommandError} on timeout.
 */
export async function execute(step: Work, run: Run): Promise<boolean> {
  const { place, context } = run;
  switch (step.do) {
    case "Delete":
      await atOnce(step.items, (item) => removeItem(item, step.stage, run));
      return true;
    case "Agree":
      await atOnce(step.items, (item) => agree(item, run));
      return true;
    case "Release": {
      let clean = true;
      await atOnce(step.items, async (item) => {
        if (step.stage === "members") clean = (await releaseOn(place, item, context)) && clean;
        await release(item, step.stage, run);
      });
      return clean;
    }
    case "Withdraw": {
      const names = new Set(step.items.map(({ name }) => name));
      for (const name of names.size === 0 ? [DEFAULT_CONFIGURATION] : names)
        await withdrawWebhooks(place.client, name, context.signal);
      return true;
    }
    case "LetGo":
      await atOnce(step.items, ({ type, ...life }) => stripMarks(place.client, type, life, context.signal));
      return true;
    case "CleanMembers": {
      for (const item of step.items) if (!(await cleanMember(place, item, context))) run.unclean.add(item.uid);
      return true;
    }
    case "Await":
      settle(await untilGone(step.items, step.byManager, waiting(run)), run);
      return true;
    case "StopManager":
      settle(await untilManagerStopped(waiting(run)), run);
      return true;
  }
}

function waiting({ place, context, deadline, logger, progress }: Run): Waiting {
  return {
    place,
    timeoutMs: Math.max(0, deadline - systemClock.monotonic()),
    signal: context.signal,
    logger,
    progress: (text) => progress.show(text),
  };
}

/** A lost manager is not handled here: the next snapshot shows it. */
function settle(waited: Waited, { choice, context, progress }: Run): void {
  if (waited.kind !== "TimedOut") return;
  progress.show("");
  for (const line of waited.each) context.terminal.err(`${line}\n`);
  const way =
    choice.objects === "Drain" && waited.each.length > 0
      ? "; a member that does not come back can be orphaned with `meridian unjoin NAME --orphan`"
      : "";
  throw new CommandError(`the time is up, still waiting for ${waited.still}; run uninstall again to go on${way}`, {
    exitCode: EXIT.timeout,
  });
}

async function removeItem(item: Item, stage: Stage, { place, choice, context }: Run): Promise<void> {
  const { client } = place;
  const { type, namespace, name, uid } = item;
  const { signal } = context;
  await unlessChanged(async () => {
    if (stage === "members") {
      const before = (item as Member).deletionPolicy;
      const deletionPolicy = memberPolicy(choice.objects, before);
      const body = { metadata: { uid }, spec: { deletionPolicy } };
      if (deletionPolicy !== before)
        await client.patch(type, namespace, name, "application/merge-patch+json", body, { signal });
    }
    // The hub keeps dependents only when the deletion says Orphan.
    const keeps =
      stage === "applications" && choice.objects === "Orphan" && keepsDependents(item as Application) !== "Done";
    await client.delete(type, namespace, name, { uid, signal, propagationPolicy: keeps ? "Orphan" : "Background" });
  });
}

async function agree({ type, namespace, name, uid }: Item, { place, context }: Run): Promise<void> {
  const body = { metadata: { uid, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } } };
  await unlessChanged(() =>
    place.client.patch(type, namespace, name, "application/merge-patch+json", body, { signal: context.signal }),
  );
}

/** Does nothing if the finalizers are not those of the snapshot any more. */
async function release(item: Item, stage: Stage, { place, context }: Run): Promise<void> {
  const { type, namespace, name, uid, finalizers } = item;
  const rest = finalizers.filter((one) => !isOwnFinalizer(stage, one));
  const patch = finalizersPatch({ uid, finalizers }, rest);
  await unlessChanged(() =>
    place.client.patch(type, namespace, name, "application/json-patch+json", patch, { signal: context.signal }),
  );
}

async function unlessChanged(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isApiError(error) && error.status === 500 && error.apiMessage.includes("failed calling webhook")) {
      throw new CommandError(
        "nobody answers at a webhook, though a manager holds its Lease: if the manager died, run uninstall again in half a minute, when its Lease has expired",
        { cause: error },
      );
    }
    if (!isNotFound(error) && !isConflict(error) && !isFailedTest(error)) throw error;
  }
}

/** The server answers 422 to a JSON patch with a failed test, and also to an object that breaks a rule. */
function isFailedTest(error: unknown): boolean {
  return isInvalid(error) && /test(ing)? .*failed/i.test(error.apiMessage);
}

export function announce(step: Work, { choice, context }: Run): void {
  context.terminal.err(`${describeStep(step, choice) ?? step.do}\n`);
}
