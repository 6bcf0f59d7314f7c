/**
 * `meridian quickstart`: a whole federation in one command. It starts a hub and a member for each region (or uses given
 * clusters), installs Meridian, joins the members, runs the manager, applies `placements/`, and shows the result.
 * Promises: all that it started ends with it. A second run on a kept folder continues without duplicates. Only one
 * process at a time uses a folder. On given clusters it deletes only its own objects, and says so. It uses no
 * kubeconfig that was not given by name.
 */
import { systemClock } from "../../runtime/index.ts";
import { type CommandContext, EXIT } from "../shared/index.ts";
import { Screen } from "../live/index.ts";
import type { QuickstartOptions } from "./verb.ts";
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
    // A person who stops the quickstart has what they want; a script that waits for the result (--once) does not.
    if (!signal.aborted || options.once) throw error;
    return EXIT.ok;
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (signal.aborted) screen.step("stopped");
  }
}
