import type { KubeObject } from "../../types.ts";

/** Shapes that the cases are made of. */

export type Fields = Readonly<Record<string, unknown>>;

/** A CRD that a real API server has judged, and objects of it. */
export interface SchemaCase {
  name: string;
  crd: KubeObject;
  /** The CRD as it was before: then the case is an update. */
  old?: KubeObject;
  /** How unknown fields are reported; `Warn` unless given. */
  fieldValidation?: "Strict";
  objects?: Readonly<Record<string, ObjectCase>>;
}

/** What is sent beside apiVersion, kind and the name; with `old` it is an update of that. */
export interface ObjectCase {
  object: Fields;
  old?: Fields;
}

/** What the server said: causes as `REASON|FIELD`, sorted, each once. */
export interface Answer {
  status: number;
  causes?: readonly string[];
  /** Of an accepted object: the spec as it would be stored. Of a CRD before an update: the CRD itself. */
  stored?: unknown;
  objects?: Readonly<Record<string, Answer>>;
}

/** A CRD of the group example.com with one version. */
export function crdOf(plural: string, openAPIV3Schema: unknown, more: Fields = {}): KubeObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      ...more,
    },
  } as unknown as KubeObject;
}

/** A schema whose spec has these properties. */
export const withSpec = (properties: Fields): Fields => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

export const text = (more: Fields = {}): Fields => ({ type: "string", ...more });
export const whole = (more: Fields = {}): Fields => ({ type: "integer", ...more });

/** Creations of objects with these specs. */
export function specs(all: Fields): Record<string, ObjectCase> {
  return Object.fromEntries(Object.entries(all).map(([name, spec]) => [name, { object: { spec } }]));
}
