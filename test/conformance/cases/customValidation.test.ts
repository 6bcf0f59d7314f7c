import { conformance } from "../framework/conformance.ts";
import { create, edit, get, mergePatch } from "../framework/requests.ts";

const widget = (spec: object, name = "w") => ({ metadata: { name }, spec });
const refused = (spec: object, saying: string, name = "w") => [
  create("widgets", widget(spec, name), { gives: 422, saying }),
];
const taken = (spec: object) => [create("widgets", widget(spec))];

conformance("validation of custom resources", {
  "a string for an integer": refused({ size: "x" }, "must be of type integer"),
  "a fraction for an integer": refused({ size: 1.5 }, "must be of type integer"),
  "a fraction without a rest for an integer": taken({ size: 2.0 }),
  "a number for a string": refused({ title: 5 }, "must be of type string"),
  "a string for a boolean": refused({ enabled: "true" }, "must be of type boolean"),
  "an object for a list": refused({ tags: {} }, "must be of type array"),
  "a list for an object": refused({ nested: [] }, "must be of type object"),
  "a string for the whole spec": refused("x" as unknown as object, "must be of type object"),
  "below the minimum": refused({ size: -1 }, "should be greater than or equal to 0"),
  "above the maximum": refused({ size: 101 }, "should be less than or equal to 100"),
  "at an exclusive minimum": refused({ ratio: 0 }, "should be greater than 0"),
  "no multiple": refused({ ratio: 0.7 }, "should be a multiple of 0.5"),
  "beyond int32": refused({ replicas: 3_000_000_000 }, "less than or equal to 2147483647"),
  "not one of the enum": refused({ color: "pink" }, 'supported values: "red", "green", "blue"'),
  "too short": refused({ title: "A" }, "should be at least 2 chars long"),
  "too long": refused({ title: "A".repeat(21) }, "Too long"),
  "not as the pattern": refused({ title: "small" }, "should match '^[A-Z]'"),
  "no date": refused({ when: "yesterday" }, "must be of type date-time"),
  "a date": taken({ when: "2020-02-29T12:00:00+02:00" }),
  "too many items": refused({ tags: ["a", "b", "c", "d", "e", "f"] }, "must have at most 5 items"),
  "too few items": refused({ plain: [] }, "should have at least 1 items"),
  "an element of a set twice": refused({ tags: ["a", "b", "a"] }, "Duplicate value"),
  "a key of a list-map twice": refused({ parts: [{ name: "a" }, { name: "b" }, { name: "a" }] }, "Duplicate value"),
  "two keys of a list-map twice, by default": refused(
    { endpoints: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
    "Duplicate value",
  ),
  "an entry without its key": refused({ parts: [{ count: 1 }] }, "name: Required value"),
  "an entry with an empty key": refused({ parts: [{ name: "" }] }, "should be at least 1 chars long"),
  "too many properties": refused({ limits: { a: 1, b: 1, c: 1, d: 1 } }, "must have at most 3 items"),
  "int-or-string takes both": taken({ limits: { a: 1, b: "1" } }),
  "int-or-string takes no boolean": refused({ limits: { a: true } }, "limits.a"),
  "a nullable field takes null": taken({ note: null }),
  "a null for a field that is not nullable is dropped": taken({ title: null }),
  "an embedded resource without a kind": refused({ template: { apiVersion: "v1" } }, "kind: Required value"),
  "an embedded resource with bad metadata": refused(
    { template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a b": "c" } } } },
    "metadata.labels",
  ),
  "an embedded resource keeps what it has": taken({
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", frob: 1 }, spec: { a: [1] } },
  }),
  "what the schema lacks is pruned": taken({
    unknown: 1,
    parts: [{ name: "a", unknown: 1 }],
    nested: { unknown: 1 },
  }),
  "what is to be preserved is preserved": taken({ extra: { a: { b: [1, { c: null }] }, d: 1.5 } }),
  "a rule over fields, with its expression's message and path": refused({ low: 5, high: 3 }, "low is above high"),
  "a rule over fields, with another message": refused({ low: 50, high: 3 }, "low is above high, and large"),
  "a rule with a fixed message": refused({ color: "blue", size: 60 }, "blue widgets are small"),
  "several errors at once": refused({ size: 101, title: "a", tags: ["a", "a"] }, "spec.tags[1]: Duplicate value"),
  "several errors at once, of which one hides the rules": refused(
    { color: "pink", low: 5, high: 3 },
    "some validation rules were not checked",
  ),
  "a name that is too long": refused({}, "must be no more than 253", "a".repeat(254)),
});

conformance("rules of custom resources", {
  "a transition rule is not checked on creation": [create("widgets", widget({ fixed: "a" }))],
  "a transition rule is checked on update": [
    create("widgets", widget({ fixed: "a" })),
    edit("widgets/w", { spec: { fixed: "b" } }, { gives: 422, saying: "fixed cannot be changed" }),
    edit("widgets/w", { spec: { fixed: null } }),
    edit("widgets/w", { spec: { fixed: "c" } }),
  ],
  "what was wrong before may stay wrong elsewhere": [
    create("widgets", widget({ size: 3 })),
    mergePatch("widgets/w", { spec: { size: 300 } }, { gives: 422 }),
    mergePatch("widgets/w", { metadata: { labels: { a: "b" } } }),
  ],
  "the status is validated by its own part of the schema": [
    create("widgets", widget({ size: 3 })),
    mergePatch("widgets/w/status", { status: { replicas: "x" } }, { gives: 422, saying: "status.replicas" }),
    mergePatch(
      "widgets/w/status",
      { status: { conditions: [{ type: "A", status: "Maybe" }] } },
      { gives: 422, saying: "Unsupported value" },
    ),
  ],
  "the status is pruned": [
    create("widgets", widget({ size: 3 })),
    mergePatch("widgets/w/status", { status: { phase: "x", frob: 1 } }),
  ],
  "scale is read from the paths of the CRD": [
    create("widgets", widget({ replicas: 3 })),
    get("widgets/w/scale"),
    mergePatch("widgets/w/status", { status: { replicas: 2, selector: "a=b" } }),
    get("widgets/w/scale"),
  ],
  "scale is written to the paths of the CRD": [
    create("widgets", widget({ replicas: 3 })),
    mergePatch("widgets/w/scale", { spec: { replicas: 5 } }),
    get("widgets/w"),
    edit("widgets/w/scale", { spec: { replicas: 0 } }),
    edit("widgets/w/scale", { spec: { replicas: -1 } }, { gives: 422 }),
  ],
  "scale of an object without replicas is zero or refused": [
    create("widgets", widget({})),
    get("widgets/w/scale", { gives: 500 }),
  ],
  "another version gets its own fields, pruned of the rest": [
    create("widgets", widget({ size: 3, title: "Long" })),
    get("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets/w"),
  ],
  "a write in another version loses what that version lacks": [
    create("widgets", widget({ size: 3, title: "Long" })),
    edit("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets/w", { spec: { size: 4 } }),
    get("widgets/w"),
  ],
  "a write in another version is validated in that version": [
    create("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets", {
      apiVersion: "conformance.example.com/v1beta1",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { size: 500 },
    }),
    get("widgets/w"),
  ],
  "a body in another version than the path's is refused": [
    create("widgets", { apiVersion: "conformance.example.com/v1beta1", ...widget({}) }, { gives: 400 }),
  ],
});
