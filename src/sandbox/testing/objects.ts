/** Objects for tests, as a person would send them. */

export function configMap(name: string, values: Record<string, string> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: values };
}

export function deployment(name: string, replicas: number, image = "nginx:1.29") {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image }] } },
    },
  };
}

export interface CrdOptions {
  group?: string;
  plural?: string;
  kind?: string;
  scope?: "Namespaced" | "Cluster";
  versions?: unknown[];
  conversion?: unknown;
}

/** A CRD of `widgets.example.com` with a status, a scale and a few rules. */
export function widgetCrd({
  group = "example.com",
  plural = "widgets",
  kind = "Widget",
  scope = "Namespaced",
  versions = [widgetVersion("v1", true)],
  conversion,
}: CrdOptions = {}) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions,
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}

export function widgetVersion(name: string, storage: boolean, extra: Record<string, unknown> = {}) {
  return {
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              size: { type: "integer", minimum: 0, default: 1 },
              color: { type: "string", enum: ["red", "green"] },
            },
          },
          status: { type: "object", properties: { size: { type: "integer" }, selector: { type: "string" } } },
        },
      },
    },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.size",
        statusReplicasPath: ".status.size",
        labelSelectorPath: ".status.selector",
      },
    },
    ...extra,
  };
}

export function widget(name: string, spec: Record<string, unknown> = {}, version = "v1") {
  return { apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name }, spec };
}
