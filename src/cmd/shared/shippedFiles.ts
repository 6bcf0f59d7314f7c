import { readdir, readFile } from "node:fs/promises";
import { codeOf } from "./outcome.ts";

/** The YAML files of the first of these folders (relative to `base`) that has any, in the order of their names. */
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
