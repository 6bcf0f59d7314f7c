import type { CommandContext } from "../connection.ts";
import type { UninstallOptions } from "../options.ts";
import { CommandError } from "../outcome.ts";
import type { Terminal } from "../terminal.ts";
import { objectsOf, type Observed } from "./state.ts";
import { count } from "./words.ts";

/** Resolves when the person agrees; throws {@link CommandError} when not. On a terminal a person is asked; elsewhere --yes must have been said. */
export async function confirm(
  seen: Observed,
  options: Pick<UninstallOptions, "objects" | "yes">,
  { terminal, signal }: Pick<CommandContext, "terminal" | "signal">,
): Promise<void> {
  tellWhatStays(seen, options.objects, terminal);
  if (options.yes) return;
  if (terminal.ask === undefined) {
    throw new CommandError("there is no terminal to ask on: say --yes, or look at what would be done with --dry-run");
  }
  const objects = objectsOf(seen);
  const what = objects.length === 0 ? "Meridian" : `Meridian with ${count(objects)}`;
  const answer = await terminal.ask(`Remove ${what} from this hub? Type yes to go on: `, signal);
  if (answer.trim().toLowerCase() !== "yes") throw new CommandError("nothing was done");
}

/** What will run on, and where; with Drain that is what a policy with `deletionPolicy: Orphan` places. */
export function tellWhatStays(
  { applications }: Observed,
  objects: UninstallOptions["objects"],
  terminal: Terminal,
): void {
  const byCluster = new Map<string, string[]>();
  const staying = applications.filter(({ keepsCopies }) => objects === "Orphan" || keepsCopies);
  for (const { namespace, name, clusters } of staying) {
    for (const cluster of clusters) byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), `${namespace}/${name}`]);
  }
  for (const [cluster, names] of byCluster) terminal.err(`left running on ${cluster}: ${names.join(", ")}\n`);
}
