import { conformance } from "../framework/conformance.ts";
import { apply, create, edit, get, jsonPatch, mergePatch, type AskOptions } from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("widgets/w", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("widgets/w", config, options);

const spec = (fields: object) => ({ spec: fields });

conformance("apply of a custom resource", {
  "sets defaults that nobody owns": [first(spec({ color: "red" })), get("widgets/w")],
  "keeps integers of 64 bits, by whatever request they come": [
    first(spec({ extra: { id: 9007199254740993n, list: [-(2n ** 63n)] } })),
    again(spec({ extra: { id: 9007199254740993n, list: [-(2n ** 63n)] } })),
    again(spec({ extra: { id: 9007199254740992n } }), { manager: "beta", gives: 409, saying: ".id" }),
    mergePatch("widgets/w", spec({ extra: { most: 2n ** 63n - 1n } })),
    jsonPatch("widgets/w", [{ op: "test", path: "/spec/extra/id", value: 9007199254740993n }]),
    edit("widgets/w", spec({ extra: { id: 9007199254740995n } })),
    create("widgets", { metadata: { name: "v" }, ...spec({ extra: { id: 2n ** 63n - 1n } }) }, { gives: 201 }),
    again(spec({ size: 9007199254740993n }), { gives: 422 }),
    get("widgets/w"),
  ],
  "keeps what is empty, and null where the schema lets it be": [
    first(spec({ tags: [], args: [], extra: { a: null, b: [], c: {}, d: [[], {}, null] } })),
    get("widgets/w"),
  ],
  "that is applied again changes nothing": [first(spec({ color: "red" })), again(spec({ color: "red" }))],
  "of the default's own value owns it": [
    first(spec({ color: "red" })),
    again(spec({ size: 1 }), { manager: "beta" }),
    again(spec({ size: 2 }), { manager: "gamma", gives: 409, saying: ".spec.size" }),
  ],
  "that drops a field with a default goes back to the default": [
    first(spec({ size: 7, color: "red" })),
    again(spec({ color: "red" })),
  ],
  "of a field that the schema lacks is refused": [
    again(spec({ colour: "red" }), { gives: 500, saying: ".spec.colour: field not declared in schema" }),
  ],
  "of a value of another type is refused": [again(spec({ size: "big" }), { gives: 500, saying: "expected numeric" })],
  "of a value that validation refuses is refused": [
    again(spec({ size: 101, color: "pink" }), { gives: 422, saying: "Unsupported value" }),
  ],
  "raises the generation with the spec alone": [
    first(spec({ size: 1 })),
    again(spec({ size: 2 })),
    again({ metadata: { labels: { a: "b" } }, ...spec({ size: 2 }) }),
  ],
  "of a set gives each element an owner": [
    first(spec({ tags: ["a", "b"] })),
    again(spec({ tags: ["b", "c"] }), { manager: "beta" }),
    again(spec({ tags: ["a"] })),
    again(spec({ tags: ["c"] }), { manager: "beta" }),
  ],
  "of a set with an element twice is refused": [
    again(spec({ tags: ["a", "a"] }), { gives: 500, saying: "duplicate entries" }),
  ],
  "of an atomic list is all or nothing": [
    first(spec({ args: ["a"] })),
    again(spec({ args: ["a", "b"] }), { manager: "beta", gives: 409, saying: ".spec.args" }),
    again(spec({ args: ["a"] }), { manager: "beta" }),
    again(spec({ args: [] }), { force: true }),
  ],
  "of a list without a type is atomic": [
    first(spec({ plain: [{ x: 1 }] })),
    again(spec({ plain: [{ x: 1 }, { x: 2 }] }), { manager: "beta", gives: 409, saying: ".spec.plain" }),
  ],
  "of a list-map merges its entries by key": [
    first(spec({ parts: [{ name: "a", count: 2 }] })),
    again(spec({ parts: [{ name: "b" }, { name: "a", note: "x" }] }), { manager: "beta" }),
    again(spec({ parts: [{ name: "b" }] }), { manager: "beta" }),
  ],
  "of an entry's default is owned by nobody": [
    first(spec({ parts: [{ name: "a" }] })),
    again(spec({ parts: [{ name: "a", count: 3 }] }), { manager: "beta" }),
    again(spec({ parts: [{ name: "a", count: 4 }] }), { gives: 409, saying: '.spec.parts[name="a"].count' }),
  ],
  "that drops the entry of a list-map removes it and its children": [
    first(spec({ parts: [{ name: "a", labels: { x: "1" } }, { name: "b" }] })),
    again(spec({ parts: [{ name: "b" }] })),
  ],
  "that drops an entry of which another owns a field leaves that field": [
    first(spec({ parts: [{ name: "a", note: "mine" }] })),
    again(spec({ parts: [{ name: "a", labels: { x: "1" } }] }), { manager: "beta" }),
    again(spec({ parts: [] })),
  ],
  "of a list-map with two keys takes the key's default": [
    first(spec({ endpoints: [{ port: 80, path: "/a" }] })),
    again(spec({ endpoints: [{ port: 80, protocol: "TCP", path: "/b" }] }), { manager: "beta", gives: 409 }),
    again(spec({ endpoints: [{ port: 80, protocol: "UDP", path: "/b" }] }), { manager: "beta" }),
    again(spec({ endpoints: [{ port: 80, path: "/c" }] })),
  ],
  "of a map gives each key an owner": [
    first(spec({ limits: { cpu: 1, memory: "1Gi" } })),
    again(spec({ limits: { disk: "1" } }), { manager: "beta" }),
    again(spec({ limits: { cpu: "1" } }), { manager: "beta", gives: 409, saying: ".spec.limits.cpu" }),
  ],
  "of an atomic map is all or nothing": [
    first(spec({ selector: { a: "1" } })),
    again(spec({ selector: { b: "1" } }), { manager: "beta", gives: 409, saying: ".spec.selector" }),
    again(spec({ selector: { b: "1" } })),
  ],
  "of unknown fields that are preserved gives each leaf an owner": [
    first(spec({ extra: { a: { b: 1, c: [1, 2] } } })),
    again(spec({ extra: { a: { d: "x" }, e: true } }), { manager: "beta" }),
    again(spec({ extra: { a: { c: [2] } } }), { manager: "gamma", gives: 409, saying: ".spec.extra.a.c" }),
    again(spec({ extra: {} })),
  ],
  "of an embedded resource owns its leaves": [
    first(spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: 1 } } })),
    again(spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } } }), { manager: "beta" }),
  ],
  "of nested objects merges them": [
    first(spec({ nested: { deep: { level: 1 } } })),
    again(spec({ nested: { deep: { label: "x" }, mode: "manual" } }), { manager: "beta" }),
    again(spec({}), { manager: "beta" }),
  ],
  "of an empty object owns the object": [
    first(spec({ nested: { deep: {} } })),
    again(spec({ nested: {} })),
    again(spec({})),
  ],
  "of a null for a nullable field keeps the null": [
    first(spec({ note: null, color: "red" })),
    again(spec({ note: "x", color: "red" })),
  ],
  "of a null for another field is refused": [
    again(spec({ color: null }), { gives: 422, saying: "must be of type string" }),
  ],
  "of a rule over the old value is checked": [
    first(spec({ fixed: "a" })),
    again(spec({ fixed: "b" }), { gives: 422, saying: "fixed cannot be changed" }),
    again(spec({})),
    again(spec({ fixed: "b" })),
  ],
  "of status on the main resource is neither stored nor owned": [
    first({ ...spec({ size: 3 }), status: { phase: "Ready" } }),
    get("widgets/w"),
  ],
  "of status stores the status alone": [
    first(spec({ size: 3 })),
    apply("widgets/w/status", { spec: { size: 9 }, status: { phase: "Ready" } }, { manager: "controller" }),
    apply("widgets/w/status", { status: { phase: "Ready" } }, { manager: "controller" }),
    get("widgets/w"),
  ],
  "of the status of what is not there is refused": [
    apply("widgets/w/status", { status: { phase: "Ready" } }, { gives: 404 }),
  ],
  "of conditions by two controllers keeps both": [
    first(spec({ size: 3 })),
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
    first(spec({ size: 3 })),
    apply("widgets/w/status", { status: { replicas: 2 } }),
    again(spec({ size: 4 })),
    get("widgets/w"),
  ],
  "of labels through status is not stored": [
    first(spec({ size: 3 })),
    apply("widgets/w/status", { metadata: { labels: { a: "b" } }, status: { phase: "x" } }, { manager: "controller" }),
  ],
  "through scale conflicts, and a patch of scale owns the replicas by the subresource": [
    first(spec({ replicas: 1 })),
    apply("widgets/w/scale", { spec: { replicas: 3 } }, { manager: "scaler", gives: 409 }),
    mergePatch("widgets/w/scale", { spec: { replicas: 3 } }, { manager: "scaler" }),
    get("widgets/w"),
    again(spec({ replicas: 1 }), { gives: 409, saying: 'with subresource "scale"' }),
  ],
  "of a cluster-scoped one with unknown fields": [
    apply("gadgets/{ns}", spec({ a: [1, { b: 2 }] }), { gives: 201 }),
    apply("gadgets/{ns}", spec({ c: 1 }), { manager: "beta" }),
    apply("gadgets/{ns}", spec({})),
  ],
  "after an update takes part in conflicts": [
    create("widgets", { metadata: { name: "w" }, ...spec({ size: 3, tags: ["a"] }) }, { manager: "creator" }),
    again(spec({ size: 4 }), { gives: 409, saying: 'conflict with "creator" using conformance.example.com/v1' }),
    edit("widgets/w", spec({ size: 5 }), { manager: "editor" }),
    mergePatch("widgets/w", spec({ tags: ["a", "b"] }), { manager: "patcher" }),
    again(spec({ tags: ["b"] })),
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
    again(spec({ color: "red" }), { manager: "beta" }),
    get("widgets/w"),
  ],
  "conflicts show across versions": [
    apply(BETA, beta({ size: 2 }), { gives: 201 }),
    again(spec({ size: 3 }), { manager: "beta", gives: 409, saying: 'conflict with "alpha": .spec.size' }),
    again(spec({ size: 3 }), { manager: "beta", force: true }),
  ],
  "the same manager in another version makes an entry of its own": [
    apply(BETA, beta({ size: 2, tags: ["a"] }), { gives: 201 }),
    again(spec({ size: 2 })),
    apply(BETA, beta({ tags: ["a"] })),
  ],
  "a field that only the stored version has survives a write in the other": [
    first(spec({ title: "Long", size: 2 })),
    apply(BETA, beta({ size: 2 }), { manager: "beta" }),
    get("widgets/w"),
  ],
  "a write that needs a field in a version that lacks it is refused": [
    first(spec({ title: "Long", parts: [{ name: "a" }] })),
    apply(BETA, beta({ size: 2 }), { manager: "beta" }),
    again(spec({ parts: [{ name: "a" }] }), { gives: 500, saying: "failed to convert merged object" }),
  ],
  "a field that only the other version has is not stored": [
    apply(BETA, beta({ legacy: "x", size: 2 }), { gives: 201 }),
    get("widgets/w"),
    get(BETA),
  ],
});
