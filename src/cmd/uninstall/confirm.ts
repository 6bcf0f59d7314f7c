import { type CommandContext, CommandError, type Terminal } from "../shared/index.ts";
import type { UninstallOptions } from "./verb.ts";
import { objectsOf, type Observed } from "./state.ts";
import { count } from "./words.ts";

/** Throws {@link CommandError} unless the person agrees. Without a terminal, `--yes` is required. */
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

/**
 * Prints what keeps running where: with Drain, what a policy or member with `deletionPolicy: Orphan` keeps. Other
 * propagated objects stay on the hub.
 */
export function printWhatStays(
  { applications, bindings, members }: Observed,
  objects: UninstallOptions["objects"],
  terminal: Terminal,
): void {
  const byCluster = new Map<string, string[]>();
  const staying = applications.filter(({ keepsCopies }) => objects === "Orphan" || keepsCopies);
  const stays = (name: string, clusters: readonly string[]): void => {
    for (const cluster of clusters) byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), name]);
  };
  for (const { namespace, name, clusters } of staying) stays(`${namespace}/${name}`, clusters);
  const kept = new Set(members.flatMap(({ name, deletionPolicy }) => (deletionPolicy === "Orphan" ? [name] : [])));
  for (const { resource, clusters, keepsCopies } of bindings)
    stays(
      resource,
      clusters.filter((cluster) => objects === "Orphan" || keepsCopies || kept.has(cluster)),
    );
  for (const [cluster, names] of byCluster) terminal.err(`left running on ${cluster}: ${names.join(", ")}\n`);
  const leaving = bindings.filter(({ keepsCopies }) => !keepsCopies);
  if (objects !== "Drain" || leaving.length === 0) return;
  const named = leaving.slice(0, NAMED).map(({ resource }) => resource);
  const more = leaving.length > NAMED ? ` and ${leaving.length - NAMED} more` : "";
  terminal.err(`kept on the hub, and removed from the members: ${named.join(", ")}${more}\n`);
}

const NAMED = 5;
