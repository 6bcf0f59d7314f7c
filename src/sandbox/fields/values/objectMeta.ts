import type { Schema } from "../../types.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };

/** The server's schema of metadata in custom resources; a CRD's own schema does not matter. */
export const objectMeta: Schema = {
  type: "object",
  properties: {
    annotations: texts,
    creationTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: { type: "string", format: "date-time" },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    generateName: text,
    generation: { type: "integer" },
    labels: texts,
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: text,
          name: text,
          uid: text,
        },
        "x-kubernetes-map-type": "atomic",
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
