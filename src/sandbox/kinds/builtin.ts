import type { Column, Resource, ResourceVersion, ScalePaths, Schema, Subresource } from "../types.ts";
import builtin from "./builtin.json" with { type: "json" };
import { cellOf } from "./columns/index.ts";
import { selectableFieldsOf } from "./selectable.ts";

/** The file that test/conformance/generateBuiltins.ts writes. */
interface BuiltinFile {
  kubernetesVersion: string;
  resources: (Omit<Resource, "versions" | "definitions" | "crd"> & {
    versions: { name: string; schema: string; subresources: Subresource[]; columns: Column[] }[];
  })[];
  definitions: Record<string, Schema>;
  /** By definition: fields that the server's decoder drops when empty (0, false, "", [], {}). */
  omittedWhenEmpty: Record<string, string[]>;
  /** By definition: fields that the server writes as null when absent. */
  nullWhenAbsent: Record<string, string[]>;
}

// Inferring the type of half a megabyte of JSON costs the compiler too much.
const file = builtin as unknown as BuiltinFile;

/** The server version that the built-in kinds were generated from, such as `v1.35.4`. */
export const kubernetesVersion: string = file.kubernetesVersion;

/** All definitions of the built-in kinds, shared by every cluster. */
export const definitions: Readonly<Record<string, Schema>> = file.definitions;

export const omittedWhenEmpty: Readonly<Record<string, readonly string[]>> = file.omittedWhenEmpty;

export const nullWhenAbsent: Readonly<Record<string, readonly string[]>> = file.nullWhenAbsent;

/** Selectors of built-in kinds are objects, so a Scale's `status.selector` is their text form. */
const SCALE: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

let resources: readonly Resource[] | undefined;

/** Every built-in kind. Each call returns the same objects, which all clusters of the process share. */
export function builtinResources(): readonly Resource[] {
  resources ??= file.resources.map(resourceOf);
  return resources;
}

function resourceOf({ versions, ...described }: BuiltinFile["resources"][number]): Resource {
  const { group, plural } = described;
  return {
    ...described,
    definitions,
    versions: versions.map(({ name, schema, subresources, columns }, index): ResourceVersion => {
      const isScalable = subresources.some((subresource) => subresource.name === "scale");
      return {
        name,
        served: true,
        // The server lists its preferred version first and stores that version.
        storage: index === 0,
        schema: { $ref: `#/definitions/${schema}` },
        columns: columns.map((column) => ({ ...column, value: cellOf(group, plural, column.name) })),
        hasStatus: subresources.some((subresource) => subresource.name === "status"),
        ...(isScalable ? { scale: SCALE } : {}),
        subresources,
        selectableFields: selectableFieldsOf(group, plural),
      };
    }),
  };
}
