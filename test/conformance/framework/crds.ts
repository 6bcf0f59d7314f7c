import { eventually } from "../../envtest/index.ts";
import { Client, type Side } from "./client.ts";

/** The custom resources that most cases use. Cases about CRDs themselves make their own. */

const partOfWidget = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1 },
    count: { type: "integer", default: 1, minimum: 0 },
    note: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    steps: { type: "array", items: { type: "string" } },
  },
};

const widgetSpec = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100, default: 1 },
    ratio: { type: "number", exclusiveMinimum: true, minimum: 0, multipleOf: 0.5 },
    color: { type: "string", enum: ["red", "green", "blue"] },
    title: { type: "string", minLength: 2, maxLength: 20, pattern: "^[A-Z]" },
    replicas: { type: "integer", format: "int32" },
    enabled: { type: "boolean" },
    note: { type: "string", nullable: true },
    when: { type: "string", format: "date-time" },
    tags: { type: "array", maxItems: 5, items: { type: "string" }, "x-kubernetes-list-type": "set" },
    args: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    plain: { type: "array", minItems: 1, items: { type: "object", properties: { x: { type: "integer" } } } },
    parts: {
      type: "array",
      items: partOfWidget,
      maxItems: 20,
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
    limits: { type: "object", maxProperties: 3, additionalProperties: { "x-kubernetes-int-or-string": true } },
    selector: {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      additionalProperties: { type: "string" },
    },
    extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    nested: {
      type: "object",
      default: {},
      properties: {
        mode: { type: "string", default: "auto" },
        deep: { type: "object", properties: { level: { type: "integer" }, label: { type: "string" } } },
      },
    },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    fixed: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed cannot be changed" }],
    },
    low: { type: "integer" },
    high: { type: "integer" },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.low) || !has(self.high) || self.low <= self.high",
      messageExpression: "self.low > 10 ? 'low is above high, and large' : 'low is above high'",
      fieldPath: ".low",
      reason: "FieldValueInvalid",
    },
    { rule: "!has(self.color) || self.color != 'blue' || self.size < 50", message: "blue widgets are small" },
  ],
};

const widgetStatus = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    selector: { type: "string" },
    phase: { type: "string" },
    conditions: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "status"],
        properties: {
          type: { type: "string" },
          status: { type: "string", enum: ["True", "False", "Unknown"] },
          reason: { type: "string" },
        },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    },
  },
};

const widgetSubresources = {
  status: {},
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
};

const WIDGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.conformance.example.com" },
  spec: {
    group: "conformance.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "Widget is what the suite mostly works with.",
            properties: { spec: widgetSpec, status: widgetStatus },
          },
        },
        subresources: widgetSubresources,
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1, description: "What it looks like." },
          { name: "Parts", type: "string", jsonPath: ".spec.parts[*].name" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: "widgets v1beta1 go away; take v1",
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer" },
                  color: { type: "string" },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  nested: { type: "object", properties: { mode: { type: "string" } } },
                  legacy: { type: "string" },
                },
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
        subresources: { status: {} },
      },
    ],
  },
};

const GADGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.conformance.example.com" },
  spec: {
    group: "conformance.example.com",
    scope: "Cluster",
    names: { plural: "gadgets", kind: "Gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

/** Creates the CRDs and waits until their objects are served. */
export async function installCrds(side: Side): Promise<void> {
  await using client = new Client(side);
  const headers = { authorization: `Bearer ${side.token}`, "content-type": "application/json" };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const crd of [WIDGETS, GADGETS]) {
    const { code, body } = await client.send({ method: "POST", path, headers, body: JSON.stringify(crd) });
    if (code !== 201) throw new Error(`${side.name} refuses ${crd.metadata.name}: ${JSON.stringify(body)}`);
  }
  for (const { spec } of [WIDGETS, GADGETS]) {
    for (const { name } of spec.versions) {
      const collection = `/apis/${spec.group}/${name}/${spec.names.plural}`;
      await eventually(
        async () => {
          const { code } = await client.send({ method: "GET", path: collection, headers });
          if (code !== 200) throw new Error(`${side.name} answers ${code} for ${collection}`);
        },
        { message: "custom resources" },
      );
    }
  }
}
