import { isRecord, type KubeObject } from "../../apis/index.ts";
import { podTemplateOf } from "../../interpreter/index.ts";

/** Reading pods out of objects that nobody has validated: the types of fields may be other than expected. */

export type Fields = Readonly<Record<string, unknown>>;

/** What the Pod Security Standards look at. */
export interface Pod {
  annotations: Fields;
  spec: Fields;
}

export interface Container {
  /** Such as `containers[web]`. */
  path: string;
  name: string;
  fields: Fields;
  /** Its `securityContext`. */
  security: Fields;
}

/** The pod that an object is, or makes; undefined when the object makes none. */
export function podOf(object: KubeObject): Pod | undefined {
  const template = podTemplateOf(object);
  if (template === undefined) return undefined;
  return {
    annotations: recordOf(recordOf(template.metadata)["annotations"]),
    spec: template.spec,
  };
}

const CONTAINER_FIELDS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** All containers of a pod, of whatever sort. */
export function containersOf(spec: Fields): Container[] {
  return CONTAINER_FIELDS.flatMap((field) =>
    recordsIn(spec[field]).map((fields, index) => {
      const name = typeof fields["name"] === "string" ? fields["name"] : String(index);
      return { path: `${field}[${name}]`, name, fields, security: recordOf(fields["securityContext"]) };
    }),
  );
}

/** The value as an object, or an empty one when it is something else. */
export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The value as a list of objects; entries that are something else are left out. */
export function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
