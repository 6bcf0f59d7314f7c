import { type KubeObject, parseYamlDocuments } from "../../apis/index.ts";
import { CommandError } from "./outcome.ts";
import { shippedYaml } from "./shippedFiles.ts";

/** Seen from the sources, beside a bundled program, and from a bundled program inside the repository. */
const PLACES = ["../../../charts/meridian/files/crds/", "./crds/", "../charts/meridian/files/crds/"];

/** The CRDs of this version, by name. Throws {@link CommandError} when the files are missing. */
export async function loadCrds(): Promise<KubeObject[]> {
  const texts = await shippedYaml(PLACES, import.meta.url);
  if (texts.length === 0) throw new CommandError("this copy of Meridian lacks its CRD files: install it anew");
  return texts.flatMap(parseCrds).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function parseCrds(text: string): KubeObject[] {
  return parseYamlDocuments(text)
    .map(({ value }) => value as KubeObject | null)
    .filter((object): object is KubeObject => object?.kind === "CustomResourceDefinition");
}
