/**
 * Entry point of the quickstart's bundle. It reports errors itself: each bundle has its own copy of the error classes.
 */
import { type CommandContext, reportError } from "../shared/index.ts";
import { quickstart } from "./index.ts";
import type { QuickstartOptions } from "./verb.ts";

/** Returns the exit code. */
export async function runQuickstart(options: QuickstartOptions, context: CommandContext): Promise<number> {
  try {
    return await quickstart(options, context);
  } catch (error) {
    return reportError(error, context, { stack: options.logLevel === "debug" || options.logLevel === "trace" });
  }
}
