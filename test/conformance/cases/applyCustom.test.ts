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
  "of a field that the schema lacks is refused": [
    again(spec({ colour: "red" }), { gives: 500, saying: ".spec.colour: field not declared in schema" }),
  ],
  "of a value of another type is refused": [again(spec({ size: "big" }), { gives: 500, saying: "expected numeric" })],
  "of a value that validation refuses is refused": [
    again(spec({ size: 101, color: "pink" }), { gives: 422, saying: "Unsupported value" }),
  ],
  "of a set with an element twice is refused": [
    again(spec({ tags: ["a", "a"] }), { gives: 500, saying: "duplicate entries" }),
  ],
  "of an embedded resource owns its leaves": [
    first(spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: 1 } } })),
    again(spec({ template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } } }), { manager: "beta" }),
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
