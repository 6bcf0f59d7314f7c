import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, type KubeObject, valueAt } from "../../apis/index.ts";
import { type GroupKind, isDefinition } from "../../interpreter/index.ts";
import { type BundleOptions, CommandError, quoted } from "../shared/index.ts";
import { documentsIn } from "./sources.ts";

/** The CustomResourceDefinitions of a bundle, and how a hub gets them. */

export interface DefinedKind extends GroupKind {
  plural: string;
}

/** The kinds that the objects define. */
export function definedKinds(objects: readonly KubeObject[]): DefinedKind[] {
  return objects.filter(isDefinition).map((definition) => ({
    group: String(valueAt(definition, ["spec", "group"])),
    kind: String(valueAt(definition, ["spec", "names", "kind"])),
    plural: String(valueAt(definition, ["spec", "names", "plural"])),
  }));
}

/** As `join --kinds` takes it: `Deployment.apps`. */
export function kindName({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The command that gives a hub the definitions: from the folder where a chart has them all, else printed by this program. */
export async function definitionsCommand(
  name: string,
  options: BundleOptions,
  definitions: readonly KubeObject[],
  onHub: string,
): Promise<string> {
  const folder = await folderOf(options.helm, definitions);
  if (folder !== undefined) return `kubectl apply --server-side -f ${quoted(folder)}${onHub}`;
  const { helm, values, chartVersion, releaseNamespace, kustomize, filename } = options;
  const flags = [
    ...(helm === undefined ? [] : ["--helm", helm]),
    ...values.flatMap((file) => ["--values", file]),
    ...(chartVersion === undefined ? [] : ["--chart-version", chartVersion]),
    ...(releaseNamespace === undefined ? [] : ["--release-namespace", releaseNamespace]),
    ...(kustomize === undefined ? [] : ["--kustomize", kustomize]),
    // The standard input cannot be read a second time.
    ...filename.flatMap((file) => ["-f", file === "-" ? "FILE" : file]),
  ];
  const printed = ["meridian bundle create", name, ...flags.map(quoted), "--crds"].join(" ");
  return `${printed} | kubectl apply --server-side -f -${onHub}`;
}

/** The folder `crds` of a chart on this machine, where it holds all of the definitions. */
async function folderOf(chart: string | undefined, definitions: readonly KubeObject[]): Promise<string | undefined> {
  if (chart === undefined) return undefined;
  const folder = join(chart, "crds");
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const files = await documentsIn([folder], { recursive: false }).catch((error: unknown) => {
    // Helm has rendered the chart: what is in the folder is no definition then.
    if (error instanceof CommandError) return [];
    throw error;
  });
  const names = new Set(
    files.flatMap(({ read }) =>
      read.map(({ value }) => (isRecord(value) ? valueAt(value as unknown as KubeObject, ["metadata", "name"]) : "")),
    ),
  );
  return definitions.every(({ metadata }) => names.has(metadata.name)) ? folder : undefined;
}
