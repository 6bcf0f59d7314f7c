import { conformance } from "../framework/conformance.ts";
import { at, deployment } from "../framework/objects.ts";
import { create, edit, get, request } from "../framework/requests.ts";

const configMap = (name: string) =>
  create(
    "configmaps",
    { metadata: { name }, data: { x: "1" } },
    { keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" } },
  );

conformance("create", [
  { name: "returns the object with what the server gave it", steps: [configMap("a")] },
  {
    name: "of a name that is taken already exists",
    steps: [
      configMap("a"),
      create("configmaps", { metadata: { name: "a" } }, { gives: 409, saying: 'configmaps "a" already exists' }),
    ],
  },
  {
    name: "of a generated name appends five letters",
    steps: [create("configmaps", { metadata: { generateName: "gen-" } })],
  },
  {
    name: "of a generated name keeps the object's name short enough",
    steps: [
      create(
        "configmaps",
        { metadata: { generateName: `${"g".repeat(250)}` } },
        { see: (object) => (at("metadata.name")(object) as string).length },
      ),
    ],
  },
  {
    name: "without a name is refused",
    steps: [create("configmaps", { metadata: {} }, { gives: 422, saying: "name or generateName is required" })],
  },
  {
    name: "with a bad name is refused",
    steps: [create("configmaps", { metadata: { name: "A_b" } }, { gives: 422, saying: "RFC 1123 subdomain" })],
  },
  {
    name: "with a name that is too long is refused",
    steps: [create("configmaps", { metadata: { name: "a".repeat(254) } }, { gives: 422 })],
  },
  {
    name: "of a Service with a digit first is refused",
    steps: [
      create(
        "services",
        { metadata: { name: "1a" }, spec: { ports: [{ port: 80 }] } },
        { gives: 422, saying: "DNS-1035" },
      ),
    ],
  },
  {
    name: "with bad labels is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", labels: { "a b": "x", c: "-" } } },
        { gives: 422, saying: "metadata.labels" },
      ),
    ],
  },
  {
    name: "with bad annotation keys is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", annotations: { "a b": "x" } } },
        { gives: 422, saying: "metadata.annotations" },
      ),
    ],
  },
  {
    name: "with annotations that are too large is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", annotations: { a: "x".repeat(262_145) } } },
        { gives: 422, saying: "Too long" },
      ),
    ],
  },
  {
    name: "with a bad finalizer is refused",
    steps: [
      create("configmaps", { metadata: { name: "a", finalizers: ["nonsense"] } }, { gives: 422, saying: "finalizer" }),
    ],
  },
  {
    name: "with an incomplete owner reference is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", ownerReferences: [{ kind: "Secret", name: "s" }] } },
        { gives: 422, saying: "ownerReferences" },
      ),
    ],
  },
  {
    name: "with two controllers is refused",
    steps: [
      create(
        "configmaps",
        {
          metadata: {
            name: "a",
            ownerReferences: ["1", "2"].map((n) => ({
              apiVersion: "v1",
              kind: "Secret",
              name: n,
              uid: n,
              controller: true,
            })),
          },
        },
        { gives: 422, saying: "Only one reference can have Controller set to true" },
      ),
    ],
  },
  {
    name: "in another namespace than the body's is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", namespace: "other" } },
        { gives: 400, saying: "does not match the namespace" },
      ),
    ],
  },
  {
    name: "in a namespace that is not there is refused",
    steps: [
      request(
        "POST",
        "/api/v1/namespaces/none-{ns}/configmaps",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        { gives: 404, saying: "namespaces" },
      ),
    ],
  },
  {
    name: "of another kind than the path's is refused",
    steps: [
      request(
        "POST",
        "configmaps",
        { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
        { gives: 400, saying: "cannot be handled as a ConfigMap" },
      ),
    ],
  },
  {
    name: "of another group than the path's is refused",
    steps: [
      request(
        "POST",
        "configmaps",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } },
        { gives: 400 },
      ),
    ],
  },
  { name: "without a kind takes the path's", steps: [request("POST", "configmaps", { metadata: { name: "a" } }, {})] },
  { name: "of what is no JSON is refused", steps: [request("POST", "configmaps", "{", { gives: 400 })] },
  { name: "of nothing is refused", steps: [request("POST", "configmaps", "", { gives: 400 })] },
  {
    name: "of YAML is taken",
    steps: [
      request("POST", "configmaps", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {x: '1'}\n", {
        contentType: "application/yaml",
      }),
    ],
  },
  {
    name: "of an unknown content type is refused",
    steps: [request("POST", "configmaps", "x", { contentType: "text/plain", gives: 415 })],
  },
  {
    name: "with a resourceVersion is refused",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", resourceVersion: "5" } },
        { gives: 500, saying: "resourceVersion should not be set on objects to be created" },
      ),
    ],
  },
  {
    name: "ignores uid, times and generation of the body",
    steps: [
      create("configmaps", {
        metadata: {
          name: "a",
          uid: "x",
          creationTimestamp: "2001-01-01T00:00:00Z",
          generation: 9,
          selfLink: "/x",
          deletionTimestamp: "2001-01-01T00:00:00Z",
        },
      }),
    ],
  },
  {
    name: "ignores the status of the body",
    steps: [create("deployments", { metadata: { name: "web" }, ...deployment(), status: { replicas: 4 } })],
  },
  {
    name: "of a custom resource ignores the status of the body",
    steps: [create("widgets", { metadata: { name: "w" }, status: { phase: "x" } })],
  },
  {
    name: "as a dry run creates nothing",
    steps: [create("configmaps", { metadata: { name: "a" } }, { dryRun: "All" }), get("configmaps/a", { gives: 404 })],
  },
  {
    name: "as a dry run with an unknown value is refused",
    steps: [create("configmaps", { metadata: { name: "a" } }, { dryRun: "x", gives: 422 })],
  },
  {
    name: "as a dry run of a name that is taken already exists",
    steps: [configMap("a"), create("configmaps", { metadata: { name: "a" } }, { dryRun: "All", gives: 409 })],
  },
]);

conformance("field validation", [
  {
    name: "ignores unknown fields unless told",
    steps: [create("configmaps", { metadata: { name: "a" }, dta: { x: "1" } })],
  },
  {
    name: "warns of unknown fields when told",
    steps: [
      create(
        "configmaps",
        { metadata: { name: "a", lables: {} }, dta: {} },
        { fieldValidation: "Warn", saying: 'unknown field "dta"' },
      ),
    ],
  },
  {
    name: "refuses unknown fields when strict",
    steps: [
      create(
        "deployments",
        { metadata: { name: "a" }, ...deployment({ replica: 3 }, { imagePullPolice: "x" }) },
        { fieldValidation: "Strict", gives: 400, saying: "strict decoding error" },
      ),
    ],
  },
  {
    name: "refuses a field twice when strict",
    steps: [
      request(
        "POST",
        "configmaps",
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"},"data":{"y":"2"}}',
        { fieldValidation: "Strict", gives: 400, saying: "duplicate field" },
      ),
    ],
  },
  {
    name: "takes the last of a field twice otherwise",
    steps: [
      request(
        "POST",
        "configmaps",
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"},"data":{"y":"2"}}',
        { fieldValidation: "Warn" },
      ),
    ],
  },
  {
    name: "refuses unknown fields of custom resources when strict",
    steps: [
      create(
        "widgets",
        { metadata: { name: "w" }, spec: { colour: "x", parts: [{ name: "a", x: 1 }] }, top: 1 },
        { fieldValidation: "Strict", gives: 400, saying: "strict decoding error" },
      ),
    ],
  },
  {
    name: "warns of unknown fields of custom resources when told",
    steps: [
      create(
        "widgets",
        { metadata: { name: "w" }, spec: { colour: "x", nested: { deep: { y: 1 } } } },
        { fieldValidation: "Warn" },
      ),
    ],
  },
  {
    name: "of an unknown value is refused",
    steps: [create("configmaps", { metadata: { name: "a" } }, { query: { fieldValidation: "Maybe" }, gives: 422 })],
  },
  {
    name: "of an update warns as well",
    steps: [
      configMap("a"),
      edit("configmaps/a", { dta: {} }, { fieldValidation: "Warn" }),
      edit("configmaps/a", { dta: {} }, { fieldValidation: "Strict", gives: 400 }),
    ],
  },
  {
    name: "of a value of another type is refused in any mode",
    steps: [
      create(
        "deployments",
        { metadata: { name: "web" }, ...deployment({ replicas: "x" }) },
        { gives: 400, saying: "cannot unmarshal string" },
      ),
    ],
  },
  {
    name: "of a number for a string is refused in any mode",
    steps: [create("configmaps", { metadata: { name: "a" }, data: { x: 1 } }, { gives: 400 })],
  },
]);
