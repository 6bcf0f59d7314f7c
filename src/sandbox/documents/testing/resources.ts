import type { Resource, ResourceVersion, Schema } from "../../types.ts";
import { answerDocument, type DocumentRequest } from "../index.ts";

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const OPTIONS = { version: "v1.35.4", address: "127.0.0.1:6443" };
export const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const kind = (group: string, version: string, name: string) => ({
  "x-kubernetes-group-version-kind": [{ group, kind: name, version }],
});

const definitions: Record<string, Schema> = {
  "io.k8s.api.apps.v1.Deployment": {
    description: "Deployment enables declarative updates.",
    type: "object",
    properties: {
      metadata: { default: {}, description: "Standard", $ref: `#/definitions/${META}.ObjectMeta` },
      spec: { $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentSpec" },
    },
    ...kind("apps", "v1", "Deployment"),
  },
  "io.k8s.api.apps.v1.DeploymentSpec": {
    type: "object",
    properties: {
      surge: { $ref: "#/definitions/IntOrString" },
      replicas: { type: "integer", format: "int32", default: 1 },
    },
  },
  "io.k8s.api.apps.v1.DeploymentList": {
    type: "object",
    properties: { items: { type: "array", items: { $ref: "#/definitions/io.k8s.api.apps.v1.Deployment" } } },
    ...kind("apps", "v1", "DeploymentList"),
  },
  "io.k8s.api.autoscaling.v1.Scale": { type: "object", ...kind("autoscaling", "v1", "Scale") },
  "io.k8s.api.core.v1.ConfigMap": { type: "object", ...kind("", "v1", "ConfigMap") },
  "io.k8s.api.core.v1.ConfigMapList": { type: "object", ...kind("", "v1", "ConfigMapList") },
  IntOrString: { type: "string", format: "int-or-string" },
  Unused: { type: "object" },
  [`${META}.ObjectMeta`]: { type: "object", properties: { name: { type: "string" } } },
  [`${META}.ListMeta`]: { type: "object" },
  [`${META}.Status`]: { type: "object" },
  [`${META}.DeleteOptions`]: { type: "object" },
};

function version(name: string, schema: Schema, more: Partial<ResourceVersion> = {}): ResourceVersion {
  return { name, served: true, storage: true, schema, columns: [], hasStatus: false, selectableFields: [], ...more };
}

function resource(
  group: string,
  plural: string,
  name: string,
  versions: ResourceVersion[],
  more: Partial<Resource> = {},
): Resource {
  return {
    group,
    plural,
    singular: name.toLowerCase(),
    kind: name,
    listKind: `${name}List`,
    shortNames: [],
    categories: [],
    namespaced: true,
    versions,
    definitions,
    ...more,
  };
}

export const configMaps = resource(
  "",
  "configmaps",
  "ConfigMap",
  [version("v1", { $ref: "#/definitions/io.k8s.api.core.v1.ConfigMap" })],
  {
    shortNames: ["cm"],
  },
);
export const deployments = resource(
  "apps",
  "deployments",
  "Deployment",
  [
    version(
      "v1",
      { $ref: "#/definitions/io.k8s.api.apps.v1.Deployment" },
      {
        subresources: [
          { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] },
          { name: "status", kind: "Deployment", verbs: ["get", "patch", "update"] },
        ],
      },
    ),
  ],
  { shortNames: ["deploy"], categories: ["all"] },
);
const reviews = resource(
  "authorization.k8s.io",
  "subjectaccessreviews",
  "SubjectAccessReview",
  [version("v1", { type: "object" })],
  {
    namespaced: false,
    verbs: ["create"],
  },
);
export const widgets = resource(
  "example.com",
  "widgets",
  "Widget",
  [
    version("v1beta1", { type: "object", "x-kubernetes-preserve-unknown-fields": true }, { storage: false }),
    version(
      "v1",
      {
        description: "A widget is a thing.",
        type: "object",
        properties: {
          metadata: { type: "object", properties: { name: { type: "string", pattern: "x" } } },
          spec: {
            type: "object",
            properties: {
              size: { type: "integer", default: 1, minimum: 0.5 },
              color: { type: "string", nullable: true, enum: ["red"] },
              port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
              template: {
                type: "object",
                "x-kubernetes-embedded-resource": true,
                properties: { spec: { type: "object" } },
              },
            },
          },
        },
      },
      {
        hasStatus: true,
        scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
        selectableFields: [".spec.color"],
      },
    ),
  ],
  {
    crd: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
    },
    definitions: {},
  },
);
const ALL = [widgets, deployments, reviews, configMaps];

export function ask(path: string, more: Partial<DocumentRequest> = {}, resources: readonly Resource[] = ALL) {
  return answerDocument(resources, { path, accept: "application/json", ...more }, OPTIONS);
}

// oxlint-disable-next-line typescript/no-explicit-any
export const json = (path: string, accept = "application/json"): any =>
  JSON.parse(ask(path, { accept })?.body.toString() ?? "null");
