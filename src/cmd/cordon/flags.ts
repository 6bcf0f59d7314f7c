import type { Command } from "commander";
import { duration } from "../commonFlags.ts";
import { type DrainOptions, parseClusterName } from "../options.ts";

type Verb = "cordon" | "uncordon" | "drain";

/** `cordon`, `uncordon` and `drain`, as kubectl has them for nodes. */
export function addCordon(
  program: Command,
  action: (verb: Verb, name: string, options: DrainOptions) => Promise<void>,
): void {
  const about = (verb: Verb, description: string): Command =>
    program
      .command(verb)
      .description(description)
      .argument("<cluster>", "name of the member cluster", parseClusterName)
      .option("--dry-run", "say what would be done, and do nothing", false)
      .action((name: string, _, command: Command) => action(verb, name, command.optsWithGlobals<DrainOptions>()));

  about("cordon", "places nothing new on a cluster; what runs there stays");
  about("uncordon", "lets objects go to a cluster again, after cordon or drain");
  about("drain", "cordons a cluster and moves what runs there to other clusters; waits until that is done")
    .option("-y, --yes", "do not ask; without a terminal nothing is asked", false)
    .addOption(duration("--timeout <duration>", "how long to wait until everything has moved", "10m"));
}
