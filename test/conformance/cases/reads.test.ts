import { conformance } from "../framework/conformance.ts";
import { at, deployment, names } from "../framework/objects.ts";
import { create, get, remove, request } from "../framework/requests.ts";

const configMap = (name: string, labels: object = {}) =>
  create("configmaps", { metadata: { name, labels }, data: { x: name } });
const four = [
  configMap("d", { app: "web", tier: "front" }),
  configMap("b", { app: "web", tier: "back" }),
  configMap("a", { app: "db" }),
  configMap("c"),
];
const selected = (labelSelector: string) => [...four, get("configmaps", { query: { labelSelector }, see: names })];

conformance("get", [
  { name: "returns the object", steps: [configMap("a"), get("configmaps/a")] },
  {
    name: "of what is not there is not found",
    steps: [get("configmaps/a", { gives: 404, saying: 'configmaps "a" not found' })],
  },
  {
    name: "of what is not there in a group names the group",
    steps: [get("deployments/a", { gives: 404, saying: 'deployments.apps "a" not found' })],
  },
  {
    name: "in a namespace that is not there is not found",
    steps: [get("/api/v1/namespaces/none-{ns}/configmaps/a", { gives: 404 })],
  },
  {
    name: "of a resource that is not served is not found",
    steps: [
      get("/api/v1/namespaces/{ns}/frobs/a", {
        gives: 404,
        saying: "the server could not find the requested resource",
      }),
    ],
  },
  {
    name: "of a group that is not served is not found",
    steps: [get("/apis/none.example.com/v1/frobs", { gives: 404 })],
  },
  { name: "of a path that is not served is forbidden or not found", steps: [get("/nonsense", { gives: 404 })] },
  {
    name: "as partial metadata has no spec",
    steps: [
      create("deployments", { metadata: { name: "web", labels: { a: "b" } }, ...deployment() }),
      get("deployments/web", { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }),
    ],
  },
  {
    name: "in a form that the server does not have is not acceptable",
    steps: [configMap("a"), get("configmaps/a", { accept: "text/csv", gives: 406 })],
  },
  {
    name: "takes the first form that the server has",
    steps: [configMap("a"), get("configmaps/a", { accept: "text/csv, application/json" })],
  },
  {
    name: "as YAML",
    steps: [
      configMap("a"),
      get("configmaps/a", { accept: "application/yaml", saying: "kind: ConfigMap", see: (yaml) => typeof yaml }),
    ],
  },
  {
    name: "without a token is unauthorized",
    steps: [get("configmaps/a", { token: "", gives: 403, saying: "system:anonymous" })],
  },
  {
    name: "with a wrong token is unauthorized",
    steps: [get("configmaps/a", { token: "nonsense", gives: 401, saying: "Unauthorized" })],
  },
  {
    name: "with a resourceVersion of the future is refused",
    steps: [
      configMap("a"),
      get("configmaps/a", {
        query: { resourceVersion: "999999999" },
        gives: 504,
        saying: "Too large resource version",
        see: at("reason"),
      }),
    ],
  },
  { name: "of pretty JSON is the same", steps: [configMap("a"), get("configmaps/a?pretty=true")] },
]);

conformance("list", [
  { name: "of nothing is an empty list", steps: [get("configmaps")] },
  { name: "is in the order of names", steps: [...four, get("configmaps")] },
  {
    name: "of custom resources names their list kind",
    steps: [create("widgets", { metadata: { name: "w" } }), get("widgets")],
  },
  {
    name: "of custom resources in another version",
    steps: [
      create("widgets", { metadata: { name: "w" } }),
      get("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets"),
    ],
  },
  {
    name: "across namespaces",
    steps: [configMap("a", { case: "{ns}" }), get("/api/v1/configmaps", { query: { labelSelector: "case={ns}" } })],
  },
  {
    name: "as partial metadata",
    steps: [...four, get("configmaps", { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" })],
  },
  { name: "with equality", steps: selected("app=web") },
  { name: "with a double equals sign", steps: selected("app==web") },
  { name: "with inequality, which objects without the label meet", steps: selected("app!=web") },
  { name: "with several requirements", steps: selected("app=web,tier=back") },
  { name: "with a set", steps: selected("app in (web, db)") },
  { name: "with the complement of a set", steps: selected("app notin (web)") },
  { name: "with existence", steps: selected("tier") },
  { name: "with absence", steps: selected("!tier") },
  { name: "with an empty value", steps: selected("tier=") },
  {
    name: "with a comparison of numbers",
    steps: [
      configMap("x", { n: "5" }),
      configMap("y", { n: "15" }),
      get("configmaps", { query: { labelSelector: "n>7" }, see: names }),
      get("configmaps", { query: { labelSelector: "n<7" }, see: names }),
    ],
  },
  {
    name: "with a selector that cannot be read is refused",
    steps: [
      get("configmaps", { query: { labelSelector: "a in b" }, gives: 400, saying: "unable to parse requirement" }),
    ],
  },
  {
    name: "with a bad label value in the selector is refused",
    steps: [get("configmaps", { query: { labelSelector: "a=-b" }, gives: 400 })],
  },
  {
    name: "with a bad label key in the selector is refused",
    steps: [get("configmaps", { query: { labelSelector: "a/b/c=d" }, gives: 400 })],
  },
  {
    name: "with a field selector on the name",
    steps: [...four, get("configmaps", { query: { fieldSelector: "metadata.name=b" }, see: names })],
  },
  {
    name: "with a field selector that excludes a name",
    steps: [...four, get("configmaps", { query: { fieldSelector: "metadata.name!=b" }, see: names })],
  },
  {
    name: "with a field selector on the namespace",
    steps: [
      ...four,
      get("/api/v1/configmaps", {
        query: { fieldSelector: "metadata.namespace={ns}", labelSelector: "app" },
        see: names,
      }),
    ],
  },
  {
    name: "with a field selector that is not supported is refused",
    steps: [get("configmaps", { query: { fieldSelector: "data.x=1" }, gives: 400 })],
  },
  {
    name: "with a field selector that cannot be read is refused",
    steps: [get("configmaps", { query: { fieldSelector: "nonsense" }, gives: 400 })],
  },
  {
    name: "of secrets by type",
    steps: [
      create("secrets", { metadata: { name: "a" }, type: "example.com/t" }),
      create("secrets", { metadata: { name: "b" } }),
      get("secrets", { query: { fieldSelector: "type=example.com/t" }, see: names }),
    ],
  },
  {
    name: "of custom resources by a selectable field",
    steps: [
      create("widgets", { metadata: { name: "a" }, spec: { color: "red" } }),
      create("widgets", { metadata: { name: "b" } }),
      get("widgets", { query: { fieldSelector: "spec.color=red" }, see: names }),
      get("widgets", { query: { fieldSelector: "spec.size=1" }, gives: 400 }),
    ],
  },
]);

const DEEP = { limit: "3" };
conformance("paging", [
  { name: "with a limit brings a part and a token", steps: [...four, get("configmaps", { query: DEEP })] },
  {
    name: "with the token brings the rest",
    steps: [
      ...four,
      get("configmaps", { query: DEEP, keep: { next: "metadata.continue" } }),
      get("configmaps", { query: { ...DEEP, continue: "{next}" } }),
    ],
  },
  {
    name: "brings the state of the first part, whatever happened since",
    steps: [
      ...four,
      get("configmaps", { query: { limit: "2" }, keep: { next: "metadata.continue" }, see: names }),
      remove("configmaps/c"),
      configMap("e"),
      get("configmaps", { query: { limit: "2", continue: "{next}" }, see: names }),
    ],
  },
  {
    name: "with a limit that is large enough has no token",
    steps: [...four, get("configmaps", { query: { limit: "4" } })],
  },
  {
    name: "with a selector counts what is selected and does not tell how much remains",
    steps: [...four, get("configmaps", { query: { limit: "1", labelSelector: "app" } })],
  },
  {
    name: "with a token that cannot be read is refused",
    steps: [
      get("configmaps", {
        query: { limit: "1", continue: "nonsense" },
        see: at("code"),
        gives: 400,
        saying: "continue key is not valid",
      }),
    ],
  },
  {
    name: "with a token and a version is refused",
    steps: [
      ...four,
      get("configmaps", { query: { limit: "1" }, keep: { next: "metadata.continue" } }),
      get("configmaps", {
        query: { limit: "1", continue: "{next}", resourceVersion: "5" },
        gives: 400,
        saying: "specifying resource version is not allowed when using continue",
      }),
    ],
  },
  {
    name: "with a limit that is no number is refused",
    steps: [get("configmaps", { query: { limit: "x" }, gives: 400 })],
  },
  {
    name: "of one resource is no token for custom resources",
    steps: [
      create("widgets", { metadata: { name: "a" } }),
      create("widgets", { metadata: { name: "b" } }),
      get("widgets", { query: { limit: "1" }, keep: { next: "metadata.continue" } }),
      get("widgets", { query: { limit: "1", continue: "{next}" } }),
    ],
  },
]);

conformance("versions of lists", [
  {
    name: "at any version",
    steps: [...four, get("configmaps", { query: { resourceVersion: "0" }, see: () => "a list" })],
  },
  {
    name: "at the exact version of an older list brings that state",
    steps: [
      ...four,
      get("configmaps", { keep: { rv: "metadata.resourceVersion" }, see: names }),
      remove("configmaps/a"),
      get("configmaps", { query: { resourceVersion: "{rv}", resourceVersionMatch: "Exact" }, see: names }),
    ],
  },
  {
    name: "not older than a version",
    steps: [
      ...four,
      get("configmaps", { keep: { rv: "metadata.resourceVersion" }, see: names }),
      get("configmaps", { query: { resourceVersion: "{rv}", resourceVersionMatch: "NotOlderThan" }, see: names }),
    ],
  },
  {
    name: "with a match and no version is refused",
    steps: [
      get("configmaps", {
        query: { resourceVersionMatch: "Exact" },
        gives: 422,
        saying: "resourceVersionMatch is forbidden unless resourceVersion is provided",
      }),
    ],
  },
  {
    name: "with an unknown match is refused",
    steps: [
      get("configmaps", {
        query: { resourceVersionMatch: "Sometimes", resourceVersion: "1" },
        gives: 422,
        saying: "supported values",
      }),
    ],
  },
  {
    name: "exactly at version 0 is refused",
    steps: [get("configmaps", { query: { resourceVersionMatch: "Exact", resourceVersion: "0" }, gives: 422 })],
  },
  {
    name: "of a version that is no number is refused",
    steps: [get("configmaps", { query: { resourceVersion: "x" }, gives: 400 })],
  },
]);

conformance("methods", [
  {
    name: "POST to an object is not allowed",
    steps: [
      request(
        "POST",
        "configmaps/a",
        { apiVersion: "v1", kind: "ConfigMap" },
        { gives: 405, saying: "does not allow this method" },
      ),
    ],
  },
  {
    name: "PUT to a collection is not allowed",
    steps: [request("PUT", "configmaps", { apiVersion: "v1", kind: "ConfigMap" }, { gives: 405 })],
  },
  {
    name: "PATCH of a collection is not allowed",
    steps: [request("PATCH", "configmaps", {}, { gives: 405, contentType: "application/merge-patch+json" })],
  },
]);
