import type { KubeObject, Resource, Schema } from "../../types.ts";

/** A custom resource with every kind of list and map, in two versions. */

const texts: Schema = { type: "object", additionalProperties: { type: "string" } };

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", nullable: true },
        title: { type: "string" },
        tags: { type: "array", nullable: true, items: { type: "string" }, "x-kubernetes-list-type": "set" },
        args: { type: "array", nullable: true, items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
        parts: {
          type: "array",
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string" },
              note: { type: "string" },
              labels: texts,
              steps: { type: "array", items: { type: "string" } },
            },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        endpoints: {
          type: "array",
          items: {
            type: "object",
            required: ["port"],
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              path: { type: "string" },
            },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        limits: {
          type: "object",
          nullable: true,
          additionalProperties: {
            "x-kubernetes-int-or-string": true,
            anyOf: [{ type: "integer" }, { type: "string" }],
          },
        },
        selector: { ...texts, nullable: true, "x-kubernetes-map-type": "atomic" },
        extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        nested: {
          type: "object",
          nullable: true,
          properties: {
            mode: { type: "string" },
            deep: { type: "object", properties: { level: { type: "integer" } } },
          },
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, count: { type: "integer" } },
    },
  },
};

const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  subresources: { status: {} },
});

export const gadgetCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.fields.example.com" },
  spec: {
    group: "fields.example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
    versions: [version("v1", true), version("v1beta1", false)],
  },
} satisfies KubeObject;

export const gadgets: Resource = {
  group: "fields.example.com",
  plural: "gadgets",
  singular: "gadget",
  kind: "Gadget",
  listKind: "GadgetList",
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: ["v1", "v1beta1"].map((name) => ({
    name,
    served: true,
    storage: name === "v1",
    schema,
    columns: [],
    hasStatus: true,
    selectableFields: [],
  })),
  definitions: {},
  crd: gadgetCrd,
};
