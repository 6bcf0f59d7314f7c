import type { KubeObject } from "../../apis/index.ts";
import { podTemplateOf } from "../../interpreter/index.ts";
import { type FoundSpec, isContainer, isCustom, specsIn } from "./customPods.ts";
import { CONTAINER_FIELDS, type Fields, recordOf, recordsIn } from "./fields.ts";

/** The parts of a pod that the Pod Security Standards check. */
export interface Pod {
  annotations: Fields;
  spec: Fields;
  /** Set for a pod that was found by its shape in a custom resource. */
  place?: Pick<FoundSpec, "at" | "more" | "isPod" | "reach" | "isWhole">;
}

export interface Container {
  /** For example `containers[web]`. */
  path: string;
  name: string;
  fields: Fields;
  security: Fields;
}

/** The pods that an object is or creates. */
export function podsOf(object: KubeObject): Pod[] {
  const template = podTemplateOf(object);
  const usual = template === undefined ? [] : [{ spec: template.spec, annotations: annotationsOf(template.metadata) }];
  if (!isCustom(object)) return usual;
  const elsewhere = specsIn(object).filter(({ spec, reach }) => spec !== template?.spec || reach.length > 0);
  return [
    ...usual,
    ...elsewhere.map(({ spec, metadata, ...place }) => ({ spec, annotations: annotationsOf(metadata), place })),
  ];
}

function annotationsOf(metadata: unknown): Fields {
  return recordOf(recordOf(metadata)["annotations"]);
}

/** All containers of a pod, init and ephemeral containers included. */
export function containersOf({ spec, place }: Pick<Pod, "spec" | "place">): Container[] {
  return [
    ...CONTAINER_FIELDS.flatMap((field) => recordsIn(spec[field]).map((fields, index) => listed(field, fields, index))),
    ...(place?.more ?? []).flatMap((field) => {
      const value = spec[field];
      if (Array.isArray(value)) return value.filter(isContainer).map((fields, index) => listed(field, fields, index));
      return isContainer(value) ? [containerAt(field, nameOf(value, field), value)] : [];
    }),
  ];
}

function listed(field: string, fields: Fields, index: number): Container {
  const name = nameOf(fields, String(index));
  return containerAt(`${field}[${name}]`, name, fields);
}

function nameOf({ name }: Fields, otherwise: string): string {
  return typeof name === "string" ? name : otherwise;
}

function containerAt(path: string, name: string, fields: Fields): Container {
  return { path, name, fields, security: recordOf(fields["securityContext"]) };
}
