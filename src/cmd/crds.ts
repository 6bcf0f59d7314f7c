import { readdir, readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../apis/index.ts";
import { CommandError } from "./outcome.ts";

/** From the sources, from a bundle with the files copied beside it, and from a bundle inside the repository. */
const PLACES = ["../../charts/meridian/files/crds/", "./crds/", "../charts/meridian/files/crds/"];

/** The CustomResourceDefinitions that this version of Meridian needs, sorted by name. Throws {@link CommandError} when the files are missing. */
export async function loadCrds(): Promise<KubeObject[]> {
  for (const place of PLACES) {
    const folder = new URL(place, import.meta.url);
    const files = (await filesIn(folder)).filter((name) => name.endsWith(".yaml"));
    if (files.length === 0) continue;
    const crds = await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")));
    return crds.flatMap(parseCrds).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
  throw new CommandError("this copy of Meridian lacks its CRD files: install it anew");
}

function parseCrds(text: string): KubeObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object): object is KubeObject => object?.kind === "CustomResourceDefinition");
}

async function filesIn(folder: URL): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
