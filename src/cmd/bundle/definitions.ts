import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, type KubeObject, valueAt } from "../../apis/index.ts";
import { type GroupKind, isDefinition } from "../../interpreter/index.ts";
import { CommandError, quoted } from "../shared/index.ts";
import type { BundleOptions } from "./verb.ts";
import { documentsIn } from "./sources.ts";

/** The CustomResourceDefinitions of a bundle, and the command that installs them on a hub. */

export interface DefinedKind extends GroupKind {
  plural: string;
}

export function definedKinds(objects: readonly KubeObject[]): DefinedKind[] {
  return objects.filter(isDefinition).map((definition) => ({
    group: String(valueAt(definition, ["spec", "group"])),
    kind: String(valueAt(definition, ["spec", "names", "kind"])),
    plural: String(valueAt(definition, ["spec", "names", "plural"])),
  }));
}

/** The kind in the form of `join --kinds`: `Deployment.apps`. */
export function kindName({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The command that installs the definitions: from the chart's folder if it has them all, else from our output. */
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
    // Standard input cannot be read a second time.
    ...filename.flatMap((file) => ["-f", file === "-" ? "FILE" : file]),
  ];
  const printed = ["meridian bundle create", name, ...flags.map(quoted), "--crds"].join(" ");
  return `${printed} | kubectl apply --server-side -f -${onHub}`;
}

/** The folder `crds` of a local chart; undefined unless the folder holds all of the definitions. */
async function folderOf(chart: string | undefined, definitions: readonly KubeObject[]): Promise<string | undefined> {
  if (chart === undefined) return undefined;
  const folder = join(chart, "crds");
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const files = await documentsIn([folder], { recursive: false }).catch((error: unknown) => {
    // Helm has rendered the chart, so a file here that cannot be read as manifests is no definition.
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
