import { conformance } from "../framework/conformance.ts";
import { at, deployment } from "../framework/objects.ts";
import { create, edit, get, request } from "../framework/requests.ts";

const configMap = (name: string) =>
  create(
    "configmaps",
    { metadata: { name }, data: { x: "1" } },
    { keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" } },
  );

conformance("create", {
  "returns the object with what the server gave it": [configMap("a")],
  "of a name that is taken already exists": [
    configMap("a"),
    create("configmaps", { metadata: { name: "a" } }, { gives: 409, saying: 'configmaps "a" already exists' }),
  ],
  "of a generated name appends five letters": [create("configmaps", { metadata: { generateName: "gen-" } })],
  "of a generated name keeps the object's name short enough": [
    create(
      "configmaps",
      { metadata: { generateName: `${"g".repeat(250)}` } },
      { see: (object) => (at("metadata.name")(object) as string).length },
    ),
  ],
  "without a name is refused": [
    create("configmaps", { metadata: {} }, { gives: 422, saying: "name or generateName is required" }),
  ],
  "with a bad name is refused": [
    create("configmaps", { metadata: { name: "A_b" } }, { gives: 422, saying: "RFC 1123 subdomain" }),
  ],
  "with a name that is too long is refused": [
    create("configmaps", { metadata: { name: "a".repeat(254) } }, { gives: 422 }),
  ],
  "of a Service with a digit first is refused": [
    create(
      "services",
      { metadata: { name: "1a" }, spec: { ports: [{ port: 80 }] } },
      { gives: 422, saying: "DNS-1035" },
    ),
  ],
  "with bad labels is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", labels: { "a b": "x", c: "-" } } },
      { gives: 422, saying: "metadata.labels" },
    ),
  ],
  "with bad annotation keys is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", annotations: { "a b": "x" } } },
      { gives: 422, saying: "metadata.annotations" },
    ),
  ],
  "with annotations that are too large is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", annotations: { a: "x".repeat(262_145) } } },
      { gives: 422, saying: "Too long" },
    ),
  ],
  "with a bad finalizer is refused": [
    create("configmaps", { metadata: { name: "a", finalizers: ["nonsense"] } }, { gives: 422, saying: "finalizer" }),
  ],
  "with an incomplete owner reference is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", ownerReferences: [{ kind: "Secret", name: "s" }] } },
      { gives: 422, saying: "ownerReferences" },
    ),
  ],
  "with two controllers is refused": [
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
  "in another namespace than the body's is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", namespace: "other" } },
      { gives: 400, saying: "does not match the namespace" },
    ),
  ],
  "in a namespace that is not there is refused": [
    request(
      "POST",
      "/api/v1/namespaces/none-{ns}/configmaps",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      { gives: 404, saying: "namespaces" },
    ),
  ],
  "of another kind than the path's is refused": [
    request(
      "POST",
      "configmaps",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
      { gives: 400, saying: "cannot be handled as a ConfigMap" },
    ),
  ],
  "of another group than the path's is refused": [
    request(
      "POST",
      "configmaps",
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } },
      { gives: 400 },
    ),
  ],
  "without a kind takes the path's": [request("POST", "configmaps", { metadata: { name: "a" } }, {})],
  "of what is no JSON is refused": [request("POST", "configmaps", "{", { gives: 400 })],
  "of nothing is refused": [request("POST", "configmaps", "", { gives: 400 })],
  "of YAML is taken": [
    request("POST", "configmaps", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {x: '1'}\n", {
      contentType: "application/yaml",
    }),
  ],
  "of an unknown content type is refused": [
    request("POST", "configmaps", "x", { contentType: "text/plain", gives: 415 }),
  ],
  "with a resourceVersion is refused": [
    create(
      "configmaps",
      { metadata: { name: "a", resourceVersion: "5" } },
      { gives: 500, saying: "resourceVersion should not be set on objects to be created" },
    ),
  ],
  "ignores uid, times and generation of the body": [
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
  "ignores the status of the body": [
    create("deployments", { metadata: { name: "web" }, ...deployment(), status: { replicas: 4 } }),
  ],
  "of a custom resource ignores the status of the body": [
    create("widgets", { metadata: { name: "w" }, status: { phase: "x" } }),
  ],
  "as a dry run creates nothing": [
    create("configmaps", { metadata: { name: "a" } }, { dryRun: "All" }),
    get("configmaps/a", { gives: 404 }),
  ],
  "as a dry run with an unknown value is refused": [
    create("configmaps", { metadata: { name: "a" } }, { dryRun: "x", gives: 422 }),
  ],
  "as a dry run of a name that is taken already exists": [
    configMap("a"),
    create("configmaps", { metadata: { name: "a" } }, { dryRun: "All", gives: 409 }),
  ],
});

conformance("field validation", {
  "ignores unknown fields unless told": [create("configmaps", { metadata: { name: "a" }, dta: { x: "1" } })],
  "warns of unknown fields when told": [
    create(
      "configmaps",
      { metadata: { name: "a", lables: {} }, dta: {} },
      { fieldValidation: "Warn", saying: 'unknown field "dta"' },
    ),
  ],
  "refuses unknown fields when strict": [
    create(
      "deployments",
      { metadata: { name: "a" }, ...deployment({ replica: 3 }, { imagePullPolice: "x" }) },
      { fieldValidation: "Strict", gives: 400, saying: "strict decoding error" },
    ),
  ],
  "refuses a field twice when strict": [
    request(
      "POST",
      "configmaps",
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"},"data":{"y":"2"}}',
      { fieldValidation: "Strict", gives: 400, saying: "duplicate field" },
    ),
  ],
  "takes the last of a field twice otherwise": [
    request(
      "POST",
      "configmaps",
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"},"data":{"y":"2"}}',
      { fieldValidation: "Warn" },
    ),
  ],
  "refuses unknown fields of custom resources when strict": [
    create(
      "widgets",
      { metadata: { name: "w" }, spec: { colour: "x", parts: [{ name: "a", x: 1 }] }, top: 1 },
      { fieldValidation: "Strict", gives: 400, saying: "strict decoding error" },
    ),
  ],
  "warns of unknown fields of custom resources when told": [
    create(
      "widgets",
      { metadata: { name: "w" }, spec: { colour: "x", nested: { deep: { y: 1 } } } },
      { fieldValidation: "Warn" },
    ),
  ],
  "of an unknown value is refused": [
    create("configmaps", { metadata: { name: "a" } }, { query: { fieldValidation: "Maybe" }, gives: 422 }),
  ],
  "of an update warns as well": [
    configMap("a"),
    edit("configmaps/a", { dta: {} }, { fieldValidation: "Warn" }),
    edit("configmaps/a", { dta: {} }, { fieldValidation: "Strict", gives: 400 }),
  ],
  "of a value of another type is refused in any mode": [
    create(
      "deployments",
      { metadata: { name: "web" }, ...deployment({ replicas: "x" }) },
      { gives: 400, saying: "cannot unmarshal string" },
    ),
  ],
  "of a number for a string is refused in any mode": [
    create("configmaps", { metadata: { name: "a" }, data: { x: 1 } }, { gives: 400 }),
  ],
});
