/**
 * The door of the quickstart's bundle. It reports by itself what failed: its errors are of other classes than those of the program that
 * loads it, since each bundle has a copy of its own.
 */
import { type CommandContext, reportError } from "../shared/index.ts";
import { quickstart } from "./index.ts";
import type { QuickstartOptions } from "./options.ts";

/** Returns the exit code. */
export async function runQuickstart(options: QuickstartOptions, context: CommandContext): Promise<number> {
  try {
    return await quickstart(options, context);
  } catch (error) {
    return reportError(error, context, { stack: options.logLevel === "debug" || options.logLevel === "trace" });
  }
}
