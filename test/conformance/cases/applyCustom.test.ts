import { conformance } from "../framework/conformance.ts";
import { apply, create, edit, get, jsonPatch, mergePatch } from "../framework/requests.ts";

const spec = (fields: object) => ({ spec: fields });

conformance("apply of a custom resource", {
  "sets defaults that nobody owns": [apply("widgets/w", spec({ color: "red" }), { gives: 201 }), get("widgets/w")],
  "keeps integers of 64 bits, by whatever request they come": [
    apply("widgets/w", spec({ extra: { id: 9007199254740993n, list: [-(2n ** 63n)] } }), { gives: 201 }),
    apply("widgets/w", spec({ extra: { id: 9007199254740993n, list: [-(2n ** 63n)] } })),
    apply("widgets/w", spec({ extra: { id: 9007199254740992n } }), { manager: "beta", gives: 409, saying: ".id" }),
    mergePatch("widgets/w", spec({ extra: { most: 2n ** 63n - 1n } })),
    jsonPatch("widgets/w", [{ op: "test", path: "/spec/extra/id", value: 9007199254740993n }]),
    edit("widgets/w", spec({ extra: { id: 9007199254740995n } })),
    create("widgets", { metadata: { name: "v" }, ...spec({ extra: { id: 2n ** 63n - 1n } }) }, { gives: 201 }),
    apply("widgets/w", spec({ size: 9007199254740993n }), { gives: 422 }),
    get("widgets/w"),
  ],
  "keeps what is empty, and null where the schema lets it be": [
    apply("widgets/w", spec({ tags: [], args: [], extra: { a: null, b: [], c: {}, d: [[], {}, null] } }), {
      gives: 201,
    }),
    get("widgets/w"),
  ],
  "that is applied again changes nothing": [
    apply("widgets/w", spec({ color: "red" }), { gives: 201 }),
    apply("widgets/w", spec({ color: "red" })),
  ],
  "of the default's own value owns it": [
    apply("widgets/w", spec({ color: "red" }), { gives: 201 }),
    apply("widgets/w", spec({ size: 1 }), { manager: "beta" }),
    apply("widgets/w", spec({ size: 2 }), { manager: "gamma", gives: 409, saying: ".spec.size" }),
  ],
  "that drops a field with a default goes back to the default": [
    apply("widgets/w", spec({ size: 7, color: "red" }), { gives: 201 }),
    apply("widgets/w", spec({ color: "red" })),
  ],
  "of a field that the schema lacks is refused": [
    apply("widgets/w", spec({ colour: "red" }), { gives: 500, saying: ".spec.colour: field not declared in schema" }),
  ],
  "of a value of another type is refused": [
    apply("widgets/w", spec({ size: "big" }), { gives: 500, saying: "expected numeric" }),
  ],
  "of a value that validation refuses is refused": [
    apply("widgets/w", spec({ size: 101, color: "pink" }), { gives: 422, saying: "Unsupported value" }),
  ],
  "raises the generation with the spec alone": [
    apply("widgets/w", spec({ size: 1 }), { gives: 201 }),
    apply("widgets/w", spec({ size: 2 })),
    apply("widgets/w", { metadata: { labels: { a: "b" } }, ...spec({ size: 2 }) }),
  ],
  "of a set gives each element an owner": [
    apply("widgets/w", spec({ tags: ["a", "b"] }), { gives: 201 }),
    apply("widgets/w", spec({ tags: ["b", "c"] }), { manager: "beta" }),
    apply("widgets/w", spec({ tags: ["a"] })),
    apply("widgets/w", spec({ tags: ["c"] }), { manager: "beta" }),
  ],
  "of a set with an element twice is refused": [
    apply("widgets/w", spec({ tags: ["a", "a"] }), { gives: 500, saying: "duplicate entries" }),
  ],
  "of an atomic list is all or nothing": [
    apply("widgets/w", spec({ args: ["a"] }), { gives: 201 }),
    apply("widgets/w", spec({ args: ["a", "b"] }), { manager: "beta", gives: 409, saying: ".spec.args" }),
    apply("widgets/w", spec({ args: ["a"] }), { manager: "beta" }),
    apply("widgets/w", spec({ args: [] }), { force: true }),
  ],
  "of a list without a type is atomic": [
    apply("widgets/w", spec({ plain: [{ x: 1 }] }), { gives: 201 }),
    apply("widgets/w", spec({ plain: [{ x: 1 }, { x: 2 }] }), { manager: "beta", gives: 409, saying: ".spec.plain" }),
  ],
  "of a list-map merges its entries by key": [
    apply("widgets/w", spec({ parts: [{ name: "a", count: 2 }] }), { gives: 201 }),
    apply("widgets/w", spec({ parts: [{ name: "b" }, { name: "a", note: "x" }] }), { manager: "beta" }),
    apply("widgets/w", spec({ parts: [{ name: "b" }] }), { manager: "beta" }),
  ],
  "of an entry's default is owned by nobody": [
    apply("widgets/w", spec({ parts: [{ name: "a" }] }), { gives: 201 }),
    apply("widgets/w", spec({ parts: [{ name: "a", count: 3 }] }), { manager: "beta" }),
    apply("widgets/w", spec({ parts: [{ name: "a", count: 4 }] }), {
      gives: 409,
      saying: '.spec.parts[name="a"].count',
    }),
  ],
  "that drops the entry of a list-map removes it and its children": [
    apply("widgets/w", spec({ parts: [{ name: "a", labels: { x: "1" } }, { name: "b" }] }), { gives: 201 }),
    apply("widgets/w", spec({ parts: [{ name: "b" }] })),
  ],
  "that drops an entry of which another owns a field leaves that field": [
    apply("widgets/w", spec({ parts: [{ name: "a", note: "mine" }] }), { gives: 201 }),
    apply("widgets/w", spec({ parts: [{ name: "a", labels: { x: "1" } }] }), { manager: "beta" }),
    apply("widgets/w", spec({ parts: [] })),
  ],
  "of a list-map with two keys takes the key's default": [
    apply("widgets/w", spec({ endpoints: [{ port: 80, path: "/a" }] }), { gives: 201 }),
    apply("widgets/w", spec({ endpoints: [{ port: 80, protocol: "TCP", path: "/b" }] }), {
      manager: "beta",
      gives: 409,
    }),
    apply("widgets/w", spec({ endpoints: [{ port: 80, protocol: "UDP", path: "/b" }] }), { manager: "beta" }),
    apply("widgets/w", spec({ endpoints: [{ port: 80, path: "/c" }] })),
  ],
  "of a map gives each key an owner": [
    apply("widgets/w", spec({ limits: { cpu: 1, memory: "1Gi" } }), { gives: 201 }),
    apply("widgets/w", spec({ limits: { disk: "1" } }), { manager: "beta" }),
    apply("widgets/w", spec({ limits: { cpu: "1" } }), { manager: "beta", gives: 409, saying: ".spec.limits.cpu" }),
  ],
  "of an atomic map is all or nothing": [
    apply("widgets/w", spec({ selector: { a: "1" } }), { gives: 201 }),
    apply("widgets/w", spec({ selector: { b: "1" } }), { manager: "beta", gives: 409, saying: ".spec.selector" }),
    apply("widgets/w", spec({ selector: { b: "1" } })),
  ],
  "of unknown fields that are preserved gives each leaf an owner": [
    apply("widgets/w", spec({ extra: { a: { b: 1, c: [1, 2] } } }), { gives: 201 }),
    apply("widgets/w", spec({ extra: { a: { d: "x" }, e: true } }), { manager: "beta" }),
    apply("widgets/w", spec({ extra: { a: { c: [2] } } }), {
      manager: "gamma",
      gives: 409,
      saying: ".spec.extra.a.c",
    }),
    apply("widgets/w", spec({ extra: {} })),
  ],
  "of an embedded resource owns its leaves": [
    apply("widgets/w", spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: 1 } } }), {
      gives: 201,
    }),
    apply("widgets/w", spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } } }), {
      manager: "beta",
    }),
  ],
  "of nested objects merges them": [
    apply("widgets/w", spec({ nested: { deep: { level: 1 } } }), { gives: 201 }),
    apply("widgets/w", spec({ nested: { deep: { label: "x" }, mode: "manual" } }), { manager: "beta" }),
    apply("widgets/w", spec({}), { manager: "beta" }),
  ],
  "of an empty object owns the object": [
    apply("widgets/w", spec({ nested: { deep: {} } }), { gives: 201 }),
    apply("widgets/w", spec({ nested: {} })),
    apply("widgets/w", spec({})),
  ],
  "of a null for a nullable field keeps the null": [
    apply("widgets/w", spec({ note: null, color: "red" }), { gives: 201 }),
    apply("widgets/w", spec({ note: "x", color: "red" })),
  ],
  "of a null for another field is refused": [
    apply("widgets/w", spec({ color: null }), { gives: 422, saying: "must be of type string" }),
  ],
  "of a rule over the old value is checked": [
    apply("widgets/w", spec({ fixed: "a" }), { gives: 201 }),
    apply("widgets/w", spec({ fixed: "b" }), { gives: 422, saying: "fixed cannot be changed" }),
    apply("widgets/w", spec({})),
    apply("widgets/w", spec({ fixed: "b" })),
  ],
  "of status on the main resource is neither stored nor owned": [
    apply("widgets/w", { ...spec({ size: 3 }), status: { phase: "Ready" } }, { gives: 201 }),
    get("widgets/w"),
  ],
  "of status stores the status alone": [
    apply("widgets/w", spec({ size: 3 }), { gives: 201 }),
    apply("widgets/w/status", { spec: { size: 9 }, status: { phase: "Ready" } }, { manager: "controller" }),
    apply("widgets/w/status", { status: { phase: "Ready" } }, { manager: "controller" }),
    get("widgets/w"),
  ],
  "of the status of what is not there is refused": [
    apply("widgets/w/status", { status: { phase: "Ready" } }, { gives: 404 }),
  ],
  "of conditions by two controllers keeps both": [
    apply("widgets/w", spec({ size: 3 }), { gives: 201 }),
    apply("widgets/w/status", { status: { conditions: [{ type: "Ready", status: "True" }] } }, { manager: "one" }),
    apply("widgets/w/status", { status: { conditions: [{ type: "Synced", status: "True" }] } }, { manager: "two" }),
    apply(
      "widgets/w/status",
      { status: { conditions: [{ type: "Ready", status: "False" }] } },
      { manager: "two", gives: 409 },
    ),
    apply("widgets/w/status", { status: {} }, { manager: "one" }),
  ],
  "and of status by one manager keeps two entries": [
    apply("widgets/w", spec({ size: 3 }), { gives: 201 }),
    apply("widgets/w/status", { status: { replicas: 2 } }),
    apply("widgets/w", spec({ size: 4 })),
    get("widgets/w"),
  ],
  "of labels through status is not stored": [
    apply("widgets/w", spec({ size: 3 }), { gives: 201 }),
    apply("widgets/w/status", { metadata: { labels: { a: "b" } }, status: { phase: "x" } }, { manager: "controller" }),
  ],
  "through scale conflicts, and a patch of scale owns the replicas by the subresource": [
    apply("widgets/w", spec({ replicas: 1 }), { gives: 201 }),
    apply("widgets/w/scale", { spec: { replicas: 3 } }, { manager: "scaler", gives: 409 }),
    mergePatch("widgets/w/scale", { spec: { replicas: 3 } }, { manager: "scaler" }),
    get("widgets/w"),
    apply("widgets/w", spec({ replicas: 1 }), { gives: 409, saying: 'with subresource "scale"' }),
  ],
  "of a cluster-scoped one with unknown fields": [
    apply("gadgets/{ns}", spec({ a: [1, { b: 2 }] }), { gives: 201 }),
    apply("gadgets/{ns}", spec({ c: 1 }), { manager: "beta" }),
    apply("gadgets/{ns}", spec({})),
  ],
  "after an update takes part in conflicts": [
    create("widgets", { metadata: { name: "w" }, ...spec({ size: 3, tags: ["a"] }) }, { manager: "creator" }),
    apply("widgets/w", spec({ size: 4 }), {
      gives: 409,
      saying: 'conflict with "creator" using conformance.example.com/v1',
    }),
    edit("widgets/w", spec({ size: 5 }), { manager: "editor" }),
    mergePatch("widgets/w", spec({ tags: ["a", "b"] }), { manager: "patcher" }),
    apply("widgets/w", spec({ tags: ["b"] })),
  ],
});

const BETA = "/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets/w";
const beta = (fields: object) => ({
  apiVersion: "conformance.example.com/v1beta1",
  kind: "Widget",
  metadata: { name: "w" },
  ...spec(fields),
});

conformance("apply in several versions", {
  "answers in the version that was asked, with a warning when it is deprecated": [
    apply(BETA, beta({ size: 2 }), { gives: 201, saying: "take v1" }),
    get("widgets/w"),
    get(BETA),
  ],
  "an entry of managed fields keeps the version in which it was written": [
    apply(BETA, beta({ size: 2, tags: ["a"] }), { gives: 201 }),
    apply("widgets/w", spec({ color: "red" }), { manager: "beta" }),
    get("widgets/w"),
  ],
  "conflicts show across versions": [
    apply(BETA, beta({ size: 2 }), { gives: 201 }),
    apply("widgets/w", spec({ size: 3 }), {
      manager: "beta",
      gives: 409,
      saying: 'conflict with "alpha": .spec.size',
    }),
    apply("widgets/w", spec({ size: 3 }), { manager: "beta", force: true }),
  ],
  "the same manager in another version makes an entry of its own": [
    apply(BETA, beta({ size: 2, tags: ["a"] }), { gives: 201 }),
    apply("widgets/w", spec({ size: 2 })),
    apply(BETA, beta({ tags: ["a"] })),
  ],
  "a field that only the stored version has survives a write in the other": [
    apply("widgets/w", spec({ title: "Long", size: 2 }), { gives: 201 }),
    apply(BETA, beta({ size: 2 }), { manager: "beta" }),
    get("widgets/w"),
  ],
  "a write that needs a field in a version that lacks it is refused": [
    apply("widgets/w", spec({ title: "Long", parts: [{ name: "a" }] }), { gives: 201 }),
    apply(BETA, beta({ size: 2 }), { manager: "beta" }),
    apply("widgets/w", spec({ parts: [{ name: "a" }] }), { gives: 500, saying: "failed to convert merged object" }),
  ],
  "a field that only the other version has is not stored": [
    apply(BETA, beta({ legacy: "x", size: 2 }), { gives: 201 }),
    get("widgets/w"),
    get(BETA),
  ],
});
