import type { CommandContext } from "../connection.ts";
import type { UninstallOptions } from "../options.ts";
import { CommandError } from "../outcome.ts";
import type { Terminal } from "../terminal.ts";
import { objectsOf, type Observed } from "./state.ts";
import { count } from "./words.ts";

/** Resolves when the person agrees, and throws {@link CommandError} otherwise. Without a terminal to ask on, `--yes` must be given. */
export async function confirm(
  seen: Observed,
  options: Pick<UninstallOptions, "objects" | "yes">,
  { terminal, signal }: Pick<CommandContext, "terminal" | "signal">,
): Promise<void> {
  printWhatStays(seen, options.objects, terminal);
  if (options.yes) return;
  if (terminal.ask === undefined) {
    throw new CommandError(
      "uninstall asks before it removes anything, and there is no terminal to ask on: give --yes, or print what would be done with --dry-run",
    );
  }
  const objects = objectsOf(seen);
  const what = objects.length === 0 ? "Meridian" : `Meridian with ${count(objects)}`;
  const answer = await terminal.ask(`Remove ${what} from this hub? Type yes to go on: `, signal);
  if (answer.trim().toLowerCase() !== "yes") throw new CommandError("nothing was done");
}

/** Prints which applications keep running, and where; with Drain those whose policy says `deletionPolicy: Orphan`. */
export function printWhatStays(
  { applications, bindings }: Observed,
  objects: UninstallOptions["objects"],
  terminal: Terminal,
): void {
  const byCluster = new Map<string, string[]>();
  const staying = applications.filter(({ keepsCopies }) => objects === "Orphan" || keepsCopies);
  const stays = (name: string, clusters: readonly string[]): void => {
    for (const cluster of clusters) byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), name]);
  };
  for (const { namespace, name, clusters } of staying) stays(`${namespace}/${name}`, clusters);
  for (const { resource, clusters, keepsCopies } of bindings)
    if (objects === "Orphan" || keepsCopies) stays(resource, clusters);
  for (const [cluster, names] of byCluster) terminal.err(`left running on ${cluster}: ${names.join(", ")}\n`);
}
