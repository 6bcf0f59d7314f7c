import { conformance } from "../framework/conformance.ts";
import { at } from "../framework/objects.ts";
import { get, type AskOptions } from "../framework/requests.ts";

type Fields = Record<string, unknown>;

/** What the sandbox serves; the real server has more beside it. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  "/api/v1": [
    "configmaps",
    "events",
    "namespaces",
    "namespaces/finalize",
    "namespaces/status",
    "nodes",
    "nodes/status",
    "persistentvolumeclaims",
    "persistentvolumeclaims/status",
    "pods",
    "pods/binding",
    "pods/eviction",
    "pods/log",
    "pods/status",
    "secrets",
    "serviceaccounts",
    "serviceaccounts/token",
    "services",
    "services/status",
  ],
  "/apis/apps/v1": [
    "controllerrevisions",
    "daemonsets",
    "daemonsets/status",
    "deployments",
    "deployments/scale",
    "deployments/status",
    "replicasets",
    "replicasets/scale",
    "replicasets/status",
    "statefulsets",
    "statefulsets/scale",
    "statefulsets/status",
  ],
  "/apis/batch/v1": ["jobs", "jobs/status"],
  "/apis/rbac.authorization.k8s.io/v1": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  "/apis/coordination.k8s.io/v1": ["leases"],
  "/apis/events.k8s.io/v1": ["events"],
  "/apis/apiextensions.k8s.io/v1": ["customresourcedefinitions", "customresourcedefinitions/status"],
  "/apis/autoscaling/v2": ["horizontalpodautoscalers", "horizontalpodautoscalers/status"],
  "/apis/policy/v1": ["poddisruptionbudgets", "poddisruptionbudgets/status"],
  "/apis/networking.k8s.io/v1": ["ingresses", "ingresses/status"],
  "/apis/conformance.example.com/v1": ["gadgets", "widgets", "widgets/scale", "widgets/status"],
};

/** The resources of these names, in the order of their names. */
const resourcesOf = (path: string, wanted: readonly string[]) =>
  get(path, {
    see: (answer) => {
      const { kind, groupVersion, resources } = answer as { kind: string; groupVersion: string; resources: Fields[] };
      const served = resources.filter(({ name }) => wanted.includes(name as string));
      // The hash tells how the object is stored, which differs from server to server.
      const known = served.map(({ storageVersionHash: _, ...resource }) => resource);
      const nameOf = (resource: Fields): string => resource["name"] as string;
      return { kind, groupVersion, resources: known.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
    },
  });

const AGGREGATED = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList";
/** One version's resource in an aggregated document. */
const discovered = (group: string, version: string, resource: string): AskOptions => ({
  accept: AGGREGATED,
  see: (answer) => {
    const { kind, items } = answer as {
      kind: string;
      items: { metadata: { name?: string }; versions: { version: string; resources: { resource: string }[] }[] }[];
    };
    const found = items.find(({ metadata }) => (metadata.name ?? "") === group);
    return {
      kind,
      found: found?.versions.find((one) => one.version === version)?.resources.find((one) => one.resource === resource),
    };
  },
});

conformance("discovery", {
  "of each version has the resources with their verbs and names": Object.entries(SERVED).map(([path, wanted]) =>
    resourcesOf(path, wanted),
  ),
  "of /api names the core version": [get("/api", { see: at("versions") })],
  "of a group names its versions": [get("/apis/apps"), get("/apis/batch"), get("/apis/conformance.example.com")],
  "of a group that is not there is not found": [get("/apis/none.example.com", { gives: 404 })],
  "in one document, of the core": [get("/api", discovered("", "v1", "pods"))],
  "in one document, of a group": [get("/apis", discovered("apps", "v1", "deployments"))],
  "in one document, of custom resources": [get("/apis", discovered("conformance.example.com", "v1", "widgets"))],
  "of the version has a number": [
    get("/version", {
      see: (answer) =>
        ["major", "minor", "gitVersion", "platform"].every((field) => typeof (answer as Fields)[field] === "string"),
    }),
  ],
  "of health": [get("/readyz"), get("/livez"), get("/healthz")],
  "without a token serves the version and refuses the rest": [
    get("/version", { token: "", see: () => "served" }),
    get("/readyz", { token: "" }),
    get("/api", { token: "", gives: 403 }),
  ],
});

/** What a client needs of a published schema: names of fields, their types and their extensions, not the texts. */
const shapeOf = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name, value]) => name !== "description" || typeof value !== "string");
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOf(value)]));
};
const published = (name: string): AskOptions => ({
  see: (answer) => shapeOf((answer as { components: { schemas: Fields } }).components.schemas[name]),
});

conformance("OpenAPI", {
  "names a document for each group and version": [
    get("/openapi/v3", {
      until: true,
      see: (answer) => {
        const paths = (answer as { paths: Fields }).paths;
        return ["api/v1", "apis/apps/v1", "apis/conformance.example.com/v1"].map((path) => [
          path,
          typeof (paths[path] as Fields | undefined)?.["serverRelativeURL"],
        ]);
      },
    }),
  ],
  "describes a Deployment's spec": [get("/openapi/v3/apis/apps/v1", published("io.k8s.api.apps.v1.DeploymentSpec"))],
  "describes a container": [get("/openapi/v3/api/v1", published("io.k8s.api.core.v1.Container"))],
  "describes a Service's port": [get("/openapi/v3/api/v1", published("io.k8s.api.core.v1.ServicePort"))],
  "describes a ConfigMap": [get("/openapi/v3/api/v1", published("io.k8s.api.core.v1.ConfigMap"))],
  "describes metadata": [get("/openapi/v3/api/v1", published("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"))],
  "describes a custom resource": [
    get("/openapi/v3/apis/conformance.example.com/v1", {
      until: true,
      saying: "com.example.conformance.v1.Widget",
      ...published("com.example.conformance.v1.Widget"),
    }),
  ],
  "describes a custom resource in the second version of OpenAPI": [
    get("/openapi/v2", {
      until: true,
      saying: "com.example.conformance.v1.Gadget",
      see: (answer) => shapeOf((answer as { definitions: Fields }).definitions["com.example.conformance.v1.Gadget"]),
    }),
  ],
  "describes a Deployment in the second version of OpenAPI": [
    get("/openapi/v2", {
      see: (answer) => shapeOf((answer as { definitions: Fields }).definitions["io.k8s.api.apps.v1.DeploymentSpec"]),
    }),
  ],
});
