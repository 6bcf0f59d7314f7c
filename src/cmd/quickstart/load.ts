import { codeOf, CommandError } from "../shared/index.ts";
import type * as Entry from "./entry.ts";

/** Loads the quickstart's bundle. Throws {@link CommandError} where the bundle was left out, as in the image. */
export async function loadQuickstart(): Promise<typeof Entry> {
  try {
    // The build places this file beside the program's own file.
    return await import("./entry.ts");
  } catch (error) {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CommandError(
      "this copy of Meridian comes without the quickstart (quickstart.js beside the program): run it with `npm start` in a clone",
    );
  }
}
