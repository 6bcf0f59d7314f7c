import { type Command, Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import { duration } from "../commonFlags.ts";
import { parseDnsLabel, ROLLOUT_FORMATS, type RolloutOptions, type RolloutVerb } from "../options.ts";

const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error("give the number of a revision, as history shows it");
  return value;
};

/** `rollout status|history|pause|resume|approve|abort|undo`. */
export function addRollout(
  program: Command,
  action: (verb: RolloutVerb, name: string, options: RolloutOptions) => Promise<void>,
): void {
  const rollout = program
    .command("rollout")
    .description("shows and steers how a change reaches the clusters, stage by stage");
  const add = (verb: RolloutVerb, description: string): Command =>
    rollout
      .command(verb)
      .description(description)
      .argument("<name>", "the object: NAME, or KIND/NAME such as demoapplication/shop")
      .addOption(
        new Option("-n, --namespace <namespace>", "namespace of the object (default: that of the context)").argParser(
          parseDnsLabel,
        ),
      )
      .action((name: string, _, command: Command) =>
        action(verb, name, { ...command.optsWithGlobals<RolloutOptions>(), systemNamespace: DEFAULT_SYSTEM_NAMESPACE }),
      );
  const output = (): Option => new Option("-o, --output <format>", "output format").choices(ROLLOUT_FORMATS);

  add("status", "shows the stages and clusters of the rollout; exits with 1 when it is not done")
    .addOption(output())
    .option("-w, --watch", "wait until it is done, or stops", false)
    .addOption(duration("--timeout <duration>", "with --watch: how long", "30m"));
  add("history", "lists the revisions of the object").addOption(output());
  add("pause", "lets no further cluster begin");
  add("resume", "goes on after pause, or tries again what failed or could not be judged");
  add("approve", "approves a stage that waits, in your name").option(
    "--stage <name>",
    "the stage (default: the one that waits)",
  );
  add("abort", "gives the change up, and takes the clusters that have it back to the last good revision");
  add("undo", "makes the object what it was in an earlier revision").addOption(
    new Option("--to-revision <number>", "that revision (default: the last good one before the present one)").argParser(
      number,
    ),
  );
}
