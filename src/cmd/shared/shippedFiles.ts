import { readdir, readFile } from "node:fs/promises";
import { codeOf } from "./outcome.ts";

/**
 * The texts of the YAML files that came with this copy of Meridian, in the order of their names. They come from the
 * first of the folders (paths relative to `base`) that holds YAML files. Empty if no folder does.
 */
export async function shippedYaml(places: readonly string[], base: string): Promise<string[]> {
  for (const place of places) {
    const folder = new URL(place, base);
    const names = (await filesIn(folder)).filter((name) => name.endsWith(".yaml")).sort();
    if (names.length > 0) return Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  }
  return [];
}

async function filesIn(folder: URL): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
