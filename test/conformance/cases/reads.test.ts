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

conformance("get", {
  "returns the object": [configMap("a"), get("configmaps/a")],
  "of what is not there is not found": [get("configmaps/a", { gives: 404, saying: 'configmaps "a" not found' })],
  "of what is not there in a group names the group": [
    get("deployments/a", { gives: 404, saying: 'deployments.apps "a" not found' }),
  ],
  "in a namespace that is not there is not found": [get("/api/v1/namespaces/none-{ns}/configmaps/a", { gives: 404 })],
  "of a resource that is not served is not found": [
    get("/api/v1/namespaces/{ns}/frobs/a", { gives: 404, saying: "the server could not find the requested resource" }),
  ],
  "of a group that is not served is not found": [get("/apis/none.example.com/v1/frobs", { gives: 404 })],
  "of a path that is not served is forbidden or not found": [get("/nonsense", { gives: 404 })],
  "as partial metadata has no spec": [
    create("deployments", { metadata: { name: "web", labels: { a: "b" } }, ...deployment() }),
    get("deployments/web", { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }),
  ],
  "in a form that the server does not have is not acceptable": [
    configMap("a"),
    get("configmaps/a", { accept: "text/csv", gives: 406 }),
  ],
  "takes the first form that the server has": [
    configMap("a"),
    get("configmaps/a", { accept: "text/csv, application/json" }),
  ],
  "as YAML": [
    configMap("a"),
    get("configmaps/a", { accept: "application/yaml", saying: "kind: ConfigMap", see: (yaml) => typeof yaml }),
  ],
  "without a token is unauthorized": [get("configmaps/a", { token: "", gives: 403, saying: "system:anonymous" })],
  "with a wrong token is unauthorized": [
    get("configmaps/a", { token: "nonsense", gives: 401, saying: "Unauthorized" }),
  ],
  "with a resourceVersion of the future is refused": [
    configMap("a"),
    get("configmaps/a", {
      query: { resourceVersion: "999999999" },
      gives: 504,
      saying: "Too large resource version",
      see: at("reason"),
    }),
  ],
  "of pretty JSON is the same": [configMap("a"), get("configmaps/a?pretty=true")],
});

conformance("list", {
  "of nothing is an empty list": [get("configmaps")],
  "is in the order of names": [...four, get("configmaps")],
  "of custom resources names their list kind": [create("widgets", { metadata: { name: "w" } }), get("widgets")],
  "of custom resources in another version": [
    create("widgets", { metadata: { name: "w" } }),
    get("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets"),
  ],
  "across namespaces": [
    configMap("a", { case: "{ns}" }),
    get("/api/v1/configmaps", { query: { labelSelector: "case={ns}" } }),
  ],
  "as partial metadata": [
    ...four,
    get("configmaps", { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" }),
  ],
  "with equality": selected("app=web"),
  "with a double equals sign": selected("app==web"),
  "with inequality, which objects without the label meet": selected("app!=web"),
  "with several requirements": selected("app=web,tier=back"),
  "with a set": selected("app in (web, db)"),
  "with the complement of a set": selected("app notin (web)"),
  "with existence": selected("tier"),
  "with absence": selected("!tier"),
  "with an empty value": selected("tier="),
  "with a comparison of numbers": [
    configMap("x", { n: "5" }),
    configMap("y", { n: "15" }),
    get("configmaps", { query: { labelSelector: "n>7" }, see: names }),
    get("configmaps", { query: { labelSelector: "n<7" }, see: names }),
  ],
  "with a selector that cannot be read is refused": [
    get("configmaps", { query: { labelSelector: "a in b" }, gives: 400, saying: "unable to parse requirement" }),
  ],
  "with a bad label value in the selector is refused": [
    get("configmaps", { query: { labelSelector: "a=-b" }, gives: 400 }),
  ],
  "with a bad label key in the selector is refused": [
    get("configmaps", { query: { labelSelector: "a/b/c=d" }, gives: 400 }),
  ],
  "with a field selector on the name": [
    ...four,
    get("configmaps", { query: { fieldSelector: "metadata.name=b" }, see: names }),
  ],
  "with a field selector that excludes a name": [
    ...four,
    get("configmaps", { query: { fieldSelector: "metadata.name!=b" }, see: names }),
  ],
  "with a field selector on the namespace": [
    ...four,
    get("/api/v1/configmaps", {
      query: { fieldSelector: "metadata.namespace={ns}", labelSelector: "app" },
      see: names,
    }),
  ],
  "with a field selector that is not supported is refused": [
    get("configmaps", { query: { fieldSelector: "data.x=1" }, gives: 400 }),
  ],
  "with a field selector that cannot be read is refused": [
    get("configmaps", { query: { fieldSelector: "nonsense" }, gives: 400 }),
  ],
  "of secrets by type": [
    create("secrets", { metadata: { name: "a" }, type: "example.com/t" }),
    create("secrets", { metadata: { name: "b" } }),
    get("secrets", { query: { fieldSelector: "type=example.com/t" }, see: names }),
  ],
  "of custom resources by a selectable field": [
    create("widgets", { metadata: { name: "a" }, spec: { color: "red" } }),
    create("widgets", { metadata: { name: "b" } }),
    get("widgets", { query: { fieldSelector: "spec.color=red" }, see: names }),
    get("widgets", { query: { fieldSelector: "spec.size=1" }, gives: 400 }),
  ],
});

const DEEP = { limit: "3" };
conformance("paging", {
  "with a limit brings a part and a token": [...four, get("configmaps", { query: DEEP })],
  "with the token brings the rest": [
    ...four,
    get("configmaps", { query: DEEP, keep: { next: "metadata.continue" } }),
    get("configmaps", { query: { ...DEEP, continue: "{next}" } }),
  ],
  "brings the state of the first part, whatever happened since": [
    ...four,
    get("configmaps", { query: { limit: "2" }, keep: { next: "metadata.continue" }, see: names }),
    remove("configmaps/c"),
    configMap("e"),
    get("configmaps", { query: { limit: "2", continue: "{next}" }, see: names }),
  ],
  "with a limit that is large enough has no token": [...four, get("configmaps", { query: { limit: "4" } })],
  "with a selector counts what is selected and does not tell how much remains": [
    ...four,
    get("configmaps", { query: { limit: "1", labelSelector: "app" } }),
  ],
  "with a token that cannot be read is refused": [
    get("configmaps", {
      query: { limit: "1", continue: "nonsense" },
      see: at("code"),
      gives: 400,
      saying: "continue key is not valid",
    }),
  ],
  "with a token and a version is refused": [
    ...four,
    get("configmaps", { query: { limit: "1" }, keep: { next: "metadata.continue" } }),
    get("configmaps", {
      query: { limit: "1", continue: "{next}", resourceVersion: "5" },
      gives: 400,
      saying: "specifying resource version is not allowed when using continue",
    }),
  ],
  "with a limit that is no number is refused": [get("configmaps", { query: { limit: "x" }, gives: 400 })],
  "of one resource is no token for custom resources": [
    create("widgets", { metadata: { name: "a" } }),
    create("widgets", { metadata: { name: "b" } }),
    get("widgets", { query: { limit: "1" }, keep: { next: "metadata.continue" } }),
    get("widgets", { query: { limit: "1", continue: "{next}" } }),
  ],
});

conformance("versions of lists", {
  "at any version": [...four, get("configmaps", { query: { resourceVersion: "0" }, see: () => "a list" })],
  "at the exact version of an older list brings that state": [
    ...four,
    get("configmaps", { keep: { rv: "metadata.resourceVersion" }, see: names }),
    remove("configmaps/a"),
    get("configmaps", { query: { resourceVersion: "{rv}", resourceVersionMatch: "Exact" }, see: names }),
  ],
  "not older than a version": [
    ...four,
    get("configmaps", { keep: { rv: "metadata.resourceVersion" }, see: names }),
    get("configmaps", { query: { resourceVersion: "{rv}", resourceVersionMatch: "NotOlderThan" }, see: names }),
  ],
  "with a match and no version is refused": [
    get("configmaps", {
      query: { resourceVersionMatch: "Exact" },
      gives: 422,
      saying: "resourceVersionMatch is forbidden unless resourceVersion is provided",
    }),
  ],
  "with an unknown match is refused": [
    get("configmaps", {
      query: { resourceVersionMatch: "Sometimes", resourceVersion: "1" },
      gives: 422,
      saying: "supported values",
    }),
  ],
  "exactly at version 0 is refused": [
    get("configmaps", { query: { resourceVersionMatch: "Exact", resourceVersion: "0" }, gives: 422 }),
  ],
  "of a version that is no number is refused": [get("configmaps", { query: { resourceVersion: "x" }, gives: 400 })],
});

conformance("methods", {
  "POST to an object is not allowed": [
    request(
      "POST",
      "configmaps/a",
      { apiVersion: "v1", kind: "ConfigMap" },
      { gives: 405, saying: "does not allow this method" },
    ),
  ],
  "PUT to a collection is not allowed": [
    request("PUT", "configmaps", { apiVersion: "v1", kind: "ConfigMap" }, { gives: 405 }),
  ],
  "PATCH of a collection is not allowed": [
    request("PATCH", "configmaps", {}, { gives: 405, contentType: "application/merge-patch+json" }),
  ],
});
