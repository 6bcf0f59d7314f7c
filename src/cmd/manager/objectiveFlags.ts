import { type Command, InvalidArgumentError, type OptionValues } from "@commander-js/extra-typings";
import type { Objectives } from "../../observability/index.ts";
import { duration, type HubOptions } from "../shared/index.ts";

/** Service level objectives, which the metrics count. */
export function objectiveFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .addOption(
      duration(
        "--objective-propagated <duration>",
        "time within which a change without stages should be on every member, for the metrics",
        "30s",
      ),
    )
    .addOption(
      duration(
        "--objective-fresh <duration>",
        "age of what is known of a member that is still good, for the metrics",
        "1m",
      ),
    );
}
type ObjectiveFlags = ReturnType<ReturnType<typeof objectiveFlags<[], NonNullable<unknown>>>["opts"]>;

export function withObjectives<F extends ObjectiveFlags>(flags: F) {
  const { objectivePropagated: propagatedMs, objectiveFresh: freshMs, ...rest } = flags;
  for (const [flag, ms] of Object.entries({ propagated: propagatedMs, fresh: freshMs }))
    if (ms <= 0) throw new InvalidArgumentError(`--objective-${flag} must be longer than 0s`);
  // Callers without flags leave the objectives out.
  const given: { objectives: Objectives | undefined } = { objectives: { propagatedMs, freshMs } };
  return { ...rest, ...given };
}
