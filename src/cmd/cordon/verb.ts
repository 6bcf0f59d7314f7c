import type { Command } from "commander";
import { duration } from "../shared/commonFlags.ts";
import { type DrainOptions, parseClusterName } from "../shared/index.ts";

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
      .option("--dry-run", "print every step, and do nothing", false)
      .action((name: string, _, command: Command) => action(verb, name, command.optsWithGlobals<DrainOptions>()));

  about("cordon", "places nothing new on a cluster; objects that run there stay");
  about("uncordon", "ends cordon and drain: objects may be placed on the cluster again");
  about("drain", "cordons a cluster, moves its objects to other clusters, and waits until they have moved")
    .option("-y, --yes", "do not ask; needed where there is no terminal", false)
    .addOption(duration("--timeout <duration>", "how long to wait until every object has moved", "10m"));
}
