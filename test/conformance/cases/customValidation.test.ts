import { conformance } from "../framework/conformance.ts";
import { create, edit, get, mergePatch } from "../framework/requests.ts";

const widget = (spec: object, name = "w") => ({ metadata: { name }, spec });
const refused = (spec: object, saying: string, name = "w") => [
  create("widgets", widget(spec, name), { gives: 422, saying }),
];
const taken = (spec: object) => [create("widgets", widget(spec))];

/** Form of the answers. The rules themselves are recorded in src/sandbox/schema/testdata. */
conformance("validation of custom resources", {
  "a string for an integer": refused({ size: "x" }, "must be of type integer"),
  "a fraction without a rest for an integer": taken({ size: 2.0 }),
  "a string for the whole spec": refused("x" as unknown as object, "must be of type object"),
  "below the minimum": refused({ size: -1 }, "should be greater than or equal to 0"),
  "not one of the enum": refused({ color: "pink" }, 'supported values: "red", "green", "blue"'),
  "too long": refused({ title: "A".repeat(21) }, "Too long"),
  "a date": taken({ when: "2020-02-29T12:00:00+02:00" }),
  "too many items": refused({ tags: ["a", "b", "c", "d", "e", "f"] }, "must have at most 5 items"),
  "an element of a set twice": refused({ tags: ["a", "b", "a"] }, "Duplicate value"),
  "a key of a list-map twice": refused({ parts: [{ name: "a" }, { name: "b" }, { name: "a" }] }, "Duplicate value"),
  "int-or-string takes both": taken({ limits: { a: 1, b: "1" } }),
  "a nullable field takes null": taken({ note: null }),
  "a null for a field that is not nullable is dropped": taken({ title: null }),
  "an embedded resource with bad metadata": refused(
    { template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a b": "c" } } } },
    "metadata.labels",
  ),
  "an embedded resource keeps what it has": taken({
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", frob: 1 }, spec: { a: [1] } },
  }),
  "what the schema lacks is pruned": taken({ unknown: 1, parts: [{ name: "a", unknown: 1 }], nested: { unknown: 1 } }),
  "what is to be preserved is preserved": taken({ extra: { a: { b: [1, { c: null }] }, d: 1.5 } }),
  "a rule over fields, with its expression's message and path": refused({ low: 5, high: 3 }, "low is above high"),
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
