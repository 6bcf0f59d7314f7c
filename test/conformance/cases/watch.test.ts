import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { apply, create, edit, get, mergePatch, remove, request, watch } from "../framework/requests.ts";

const configMap = (name: string, labels: object = {}, data: object = { x: "1" }) =>
  create("configmaps", { metadata: { name, labels }, data }, { keep: { [`rv_${name}`]: "metadata.resourceVersion" } });
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

conformance("watch", {
  "begins with what is there": [configMap("a"), configMap("b"), watch("configmaps", 2)],
  "brings what is created, changed and deleted, in order": [
    watch("configmaps", 3),
    configMap("a"),
    mergePatch("configmaps/a", { data: { x: "2" } }),
    remove("configmaps/a"),
  ],
  "brings the last state of what is deleted with the version of the deletion": [
    configMap("a"),
    watch("configmaps", 3),
    mergePatch("configmaps/a", { data: { x: "2" } }),
    remove("configmaps/a"),
  ],
  "from a resourceVersion brings what came after it": [
    configMap("a"),
    configMap("b"),
    mergePatch("configmaps/a", { data: { x: "2" } }),
    watch("configmaps", 3, { query: { resourceVersion: "{rv_a}" } }),
    remove("configmaps/b"),
  ],
  "from the version of a list brings nothing twice": [
    configMap("a"),
    get("configmaps", { keep: { list: "metadata.resourceVersion" } }),
    watch("configmaps", 2, { query: { resourceVersion: "{list}" } }),
    configMap("b"),
    remove("configmaps/a"),
  ],
  "from version 0 begins with what is there": [
    configMap("a"),
    get("configmaps/a"),
    watch("configmaps", 1, { query: { resourceVersion: "0" } }),
  ],
  "from a version that is no number is refused": [
    watch("configmaps", 0, { query: { resourceVersion: "x" }, gives: 500, saying: "invalid syntax" }),
  ],
  "a change that changes nothing brings no event": [
    watch("configmaps", 3),
    configMap("a"),
    mergePatch("configmaps/a", { data: { x: "1" } }),
    mergePatch("configmaps/a", { data: { x: "2" } }),
    remove("configmaps/a"),
  ],
  "a dry run brings no event": [
    watch("configmaps", 2),
    create("configmaps", { metadata: { name: "no" } }, { dryRun: "All" }),
    configMap("a"),
    remove("configmaps/a", undefined, { dryRun: "All" }),
    remove("configmaps/a"),
  ],
  "a refused change brings no event": [
    watch("configmaps", 2),
    configMap("a"),
    mergePatch("configmaps/a", { data: { "!": "2" } }, { gives: 422 }),
    remove("configmaps/a"),
  ],
  "of a namespace leaves out the others": [
    watch("configmaps", 2),
    create("/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "other-{ns}" },
    }),
    configMap("a"),
    remove("configmaps/a"),
  ],
  "with a name selects one object": [
    watch("configmaps", 2, { query: { fieldSelector: "metadata.name=b" } }),
    configMap("a"),
    configMap("b"),
    remove("configmaps/a"),
    remove("configmaps/b"),
  ],
  "of one object through its own path is deprecated and works": [
    configMap("a"),
    watch("/api/v1/watch/namespaces/{ns}/configmaps/a", 2),
    configMap("b"),
    remove("configmaps/a"),
  ],
  "across namespaces with a label selector": [
    watch("/api/v1/configmaps", 2, { query: { labelSelector: "case={ns}" } }),
    configMap("a", { case: "{ns}" }),
    configMap("b"),
    remove("configmaps/a"),
  ],
  "with a label selector brings what matches": [
    watch("configmaps", 3, { query: { labelSelector: "p=1" } }),
    configMap("a", { p: "1" }),
    configMap("b", { p: "2" }),
    mergePatch("configmaps/a", { data: { x: "2" } }),
    remove("configmaps/b"),
    remove("configmaps/a"),
  ],
  "an object that comes to match is ADDED": [
    watch("configmaps", 2, { query: { labelSelector: "p=1" } }),
    configMap("a"),
    mergePatch("configmaps/a", { metadata: { labels: { p: "1" } } }),
    remove("configmaps/a"),
  ],
  "an object that ceases to match is DELETED, in its last matching state with the new version": [
    configMap("a", { p: "1" }),
    watch("configmaps", 2, { query: { labelSelector: "p=1" } }),
    mergePatch("configmaps/a", { metadata: { labels: { p: "2" } }, data: { x: "9" } }),
  ],
  "an object that does not match any more brings nothing further": [
    configMap("a", { p: "1" }),
    configMap("b", { p: "1" }),
    watch("configmaps", 4, { query: { labelSelector: "p=1" } }),
    mergePatch("configmaps/a", { metadata: { labels: { p: "2" } } }),
    mergePatch("configmaps/a", { data: { x: "5" } }),
    remove("configmaps/a"),
    remove("configmaps/b"),
  ],
  "with a selector over sets": [
    watch("configmaps", 2, { query: { labelSelector: "p in (1,2),!q" } }),
    configMap("a", { p: "1" }),
    configMap("b", { p: "3" }),
    configMap("c", { p: "1", q: "x" }),
    configMap("d", { p: "2" }),
  ],
  "with a bad selector is refused": [watch("configmaps", 0, { query: { labelSelector: "p=(" }, gives: 400 })],
  "with an unknown field selector is refused": [
    watch("configmaps", 0, { query: { fieldSelector: "data.x=1" }, gives: 400, saying: "not a known field selector" }),
  ],
  "with sendInitialEvents brings what is there and then a bookmark": [
    configMap("a"),
    configMap("b"),
    watch("configmaps", 3, {
      query: { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" },
      saying: "k8s.io/initial-events-end",
    }),
  ],
  "with sendInitialEvents of nothing brings the bookmark alone": [
    watch("configmaps", 1, {
      query: { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" },
    }),
  ],
  "with sendInitialEvents=false begins with what comes": [
    configMap("a"),
    get("configmaps", { keep: { list: "metadata.resourceVersion" } }),
    watch("configmaps", 1, {
      query: {
        sendInitialEvents: "false",
        resourceVersion: "{list}",
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: "true",
      },
    }),
    configMap("b"),
  ],
  "sendInitialEvents wants resourceVersionMatch": [
    watch("configmaps", 0, { query: { sendInitialEvents: "true" }, gives: 422, saying: "resourceVersionMatch" }),
  ],
  "resourceVersionMatch without sendInitialEvents is refused": [
    watch("configmaps", 0, {
      query: { resourceVersionMatch: "NotOlderThan", resourceVersion: "1" },
      gives: 422,
      saying: "forbidden",
    }),
  ],
  "sendInitialEvents belongs to watches alone": [
    get("configmaps", {
      query: { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
      gives: 422,
      saying: "sendInitialEvents",
    }),
  ],
  "as partial metadata brings metadata alone": [
    watch("configmaps", 2, { accept: PARTIAL }),
    configMap("a"),
    remove("configmaps/a"),
  ],
  "as a Table brings one row each, and the columns with the first only": [
    watch("deployments", 2, { accept: TABLE }),
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    edit("deployments/web", { spec: { replicas: 3 } }),
  ],
  "an object with finalizers is MODIFIED by its deletion and DELETED by the last finalizer": [
    watch("configmaps", 3),
    create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
    remove("configmaps/a"),
    mergePatch("configmaps/a", { metadata: { finalizers: null } }),
  ],
  "the deletion of a collection brings each object": [
    configMap("a"),
    configMap("b"),
    get("configmaps", { keep: { list: "metadata.resourceVersion" }, see: () => "kept" }),
    watch("configmaps", 2, { query: { resourceVersion: "{list}" } }),
    request("DELETE", "configmaps", undefined, { see: () => "deleted" }),
  ],
  "an apply brings one event, and one without effect none": [
    watch("configmaps", 3),
    apply("configmaps/a", { data: { x: "1" } }, { gives: 201 }),
    apply("configmaps/a", { data: { x: "1" } }),
    apply("configmaps/a", { data: { x: "1" } }, { manager: "beta" }),
    remove("configmaps/a"),
  ],
  "changes of status and of scale come as any other": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    watch("deployments", 3),
    mergePatch("deployments/web/status", { status: { replicas: 1 } }),
    mergePatch("deployments/web/scale", { spec: { replicas: 2 } }),
  ],
  "of custom resources": [
    watch("widgets", 3),
    create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
    mergePatch("widgets/w/status", { status: { phase: "Ready" } }),
    remove("widgets/w"),
  ],
  "of custom resources with a selectable field": [
    watch("widgets", 3, { query: { fieldSelector: "spec.color=red" } }),
    create("widgets", { metadata: { name: "w" }, spec: { color: "blue" } }),
    mergePatch("widgets/w", { spec: { color: "red" } }),
    mergePatch("widgets/w", { spec: { size: 3 } }),
    mergePatch("widgets/w", { spec: { color: "green" } }),
  ],
  "of custom resources in another version brings that version": [
    watch("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets", 2),
    create("widgets", { metadata: { name: "w" }, spec: { size: 2, title: "Long" } }),
    mergePatch("widgets/w", { spec: { size: 3 } }),
  ],
  "with a timeout is ended by the server": [watch("configmaps?timeoutSeconds=1", 1), configMap("a")],
  "of a kind that is not served is not found": [watch("/apis/none.example.com/v1/things", 0, { gives: 404 })],
  "watch as a parameter of a single object is ignored": [configMap("a"), get("configmaps/a?watch=true")],
  "of pods by a field of the spec": [
    create("serviceaccounts", { metadata: { name: "default" } }),
    watch("pods", 1, { query: { fieldSelector: "spec.nodeName=n1" } }),
    create("pods", { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "a" }] } }),
    create("pods", { metadata: { name: "q" }, spec: { nodeName: "n1", containers: [{ name: "a", image: "a" }] } }),
  ],
});
