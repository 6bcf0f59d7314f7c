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

/** A CRD of `widgets` with a status, a scale and a few rules. */
export function widgetCrd({ group = "example.com", versions = [widgetVersion("v1", true)] } = {}) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions },
  };
}

export function widgetVersion(name: string, storage: boolean) {
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
  };
}

export function widget(name: string) {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: {} };
}
