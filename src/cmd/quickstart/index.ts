/**
 * `meridian quickstart`: a whole federation in one command. Starts a hub and a member cluster for each region in this process (or real
 * control planes, or takes clusters that are there), installs Meridian, joins the members, runs the manager, applies what `placements/`
 * holds, and shows what becomes of it.
 *
 * Promises: everything that it started ends with it, and a temporary folder goes with it; running it again on a folder that was kept goes on
 * from there and doubles nothing; a folder belongs to one process at a time. Of clusters that somebody else runs it deletes only what
 * it made there, and says so. It never uses a kubeconfig that it was not given by name.
 */
import { systemClock } from "../../runtime/index.ts";
import { type CommandContext, EXIT } from "../shared/index.ts";
import { Screen } from "../live/index.ts";
import type { QuickstartOptions } from "./options.ts";
import { Session } from "./session.ts";

export async function quickstart(options: QuickstartOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const screen = new Screen({ terminal, quietOut: options.json, now: () => systemClock.monotonic() });
  const onAbort = (): void => {
    screen.settle();
    screen.step("stopping (Ctrl-C again stops at once)");
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await using session = await Session.open(options, context, screen);
    return await session.run();
  } catch (error) {
    // A person who stops it has what they want; a script that waited for the result has not.
    if (!signal.aborted || options.once) throw error;
    return EXIT.ok;
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (signal.aborted) screen.step("stopped");
  }
}
