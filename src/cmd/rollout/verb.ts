import { type Command, Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import { duration } from "../shared/commonFlags.ts";
import { parseDnsLabel, ROLLOUT_FORMATS, type RolloutOptions, type RolloutVerb } from "../shared/index.ts";

const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error("give the number of a revision; `meridian rollout history NAME` lists them");
  return value;
};

/** `rollout status|history|pause|resume|approve|abort|undo`. */
export function addRollout(
  program: Command,
  action: (verb: RolloutVerb, name: string, options: RolloutOptions) => Promise<void>,
): void {
  const rollout = program.command("rollout").description("shows and steers the rollout of a change, stage by stage");
  const add = (verb: RolloutVerb, description: string): Command =>
    rollout
      .command(verb)
      .description(description)
      .argument("<name>", "object: NAME, or KIND/NAME such as demoapplication/shop")
      .addOption(
        new Option(
          "-n, --namespace <namespace>",
          "namespace of the object (default: the namespace of the context)",
        ).argParser(parseDnsLabel),
      )
      .action((name: string, _, command: Command) =>
        action(verb, name, { ...command.optsWithGlobals<RolloutOptions>(), systemNamespace: DEFAULT_SYSTEM_NAMESPACE }),
      );
  const output = (): Option => new Option("-o, --output <format>", "output format").choices(ROLLOUT_FORMATS);

  add("status", "shows the stages and clusters of the rollout; exits with 1 if the rollout is not done")
    .addOption(output())
    .option("-w, --watch", "wait until the rollout is done or stops", false)
    .addOption(duration("--timeout <duration>", "with --watch: how long to wait", "30m"));
  add("history", "lists the revisions of the object").addOption(output());
  add("pause", "pauses the rollout: no other cluster gets the change");
  add("resume", "continues after a pause, or tries clusters again that failed or could not be judged");
  add("approve", "approves a waiting stage, in your name").option(
    "--stage <name>",
    "name of the stage (default: the waiting stage)",
  );
  add("abort", "gives up the change, and returns changed clusters to the last good revision");
  add("undo", "returns the object to an earlier revision").addOption(
    new Option(
      "--to-revision <number>",
      "number of the revision (default: the last good revision before the present one)",
    ).argParser(number),
  );
}
