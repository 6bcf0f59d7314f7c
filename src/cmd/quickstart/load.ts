import { CommandError } from "../shared/index.ts";
import type * as Entry from "./entry.ts";

/**
 * Loads the quickstart, a bundle of its own that contains the sandbox. Throws {@link CommandError} where the bundle was
 * left out, as in the image.
 */
export async function loadQuickstart(): Promise<typeof Entry> {
  try {
    // The build places this file beside the program's own file.
    return await import("./entry.ts");
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new CommandError(
      "this copy of Meridian comes without the quickstart (quickstart.js beside the program): run it with `npm start` in a clone",
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
