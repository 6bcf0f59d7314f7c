import { conformance } from "../framework/conformance.ts";
import { create, edit, get, mergePatch, type Case } from "../framework/requests.ts";

const widget = (spec: object, name = "w") => ({ metadata: { name }, spec });
const refused = (name: string, spec: object, saying: string): Case => ({
  name,
  steps: [create("widgets", widget(spec), { gives: 422, saying })],
});
const taken = (name: string, spec: object): Case => ({ name, steps: [create("widgets", widget(spec))] });

conformance(
  "validation of custom resources",
  [
    refused("a string for an integer", { size: "x" }, "must be of type integer"),
    refused("a fraction for an integer", { size: 1.5 }, "must be of type integer"),
    taken("a fraction without a rest for an integer", { size: 2.0 }),
    refused("a number for a string", { title: 5 }, "must be of type string"),
    refused("a string for a boolean", { enabled: "true" }, "must be of type boolean"),
    refused("an object for a list", { tags: {} }, "must be of type array"),
    refused("a list for an object", { nested: [] }, "must be of type object"),
    refused("a string for the whole spec", "x" as unknown as object, "must be of type object"),
    refused("below the minimum", { size: -1 }, "should be greater than or equal to 0"),
    refused("above the maximum", { size: 101 }, "should be less than or equal to 100"),
    refused("at an exclusive minimum", { ratio: 0 }, "should be greater than 0"),
    refused("no multiple", { ratio: 0.7 }, "should be a multiple of 0.5"),
    refused("beyond int32", { replicas: 3_000_000_000 }, "less than or equal to 2147483647"),
    refused("not one of the enum", { color: "pink" }, 'supported values: "red", "green", "blue"'),
    refused("too short", { title: "A" }, "should be at least 2 chars long"),
    refused("too long", { title: "A".repeat(21) }, "Too long"),
    refused("not as the pattern", { title: "small" }, "should match '^[A-Z]'"),
    refused("no date", { when: "yesterday" }, "must be of type date-time"),
    taken("a date", { when: "2020-02-29T12:00:00+02:00" }),
    refused("too many items", { tags: ["a", "b", "c", "d", "e", "f"] }, "must have at most 5 items"),
    refused("too few items", { plain: [] }, "should have at least 1 items"),
    refused("an element of a set twice", { tags: ["a", "b", "a"] }, "Duplicate value"),
    refused("a key of a list-map twice", { parts: [{ name: "a" }, { name: "b" }, { name: "a" }] }, "Duplicate value"),
    refused(
      "two keys of a list-map twice, by default",
      { endpoints: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
      "Duplicate value",
    ),
    refused("an entry without its key", { parts: [{ count: 1 }] }, "name: Required value"),
    refused("an entry with an empty key", { parts: [{ name: "" }] }, "should be at least 1 chars long"),
    refused("too many properties", { limits: { a: 1, b: 1, c: 1, d: 1 } }, "must have at most 3 items"),
    taken("int-or-string takes both", { limits: { a: 1, b: "1" } }),
    refused("int-or-string takes no boolean", { limits: { a: true } }, "limits.a"),
    taken("a nullable field takes null", { note: null }),
    taken("a null for a field that is not nullable is dropped", { title: null }),
    refused("an embedded resource without a kind", { template: { apiVersion: "v1" } }, "kind: Required value"),
    refused(
      "an embedded resource with bad metadata",
      { template: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a b": "c" } } } },
      "metadata.labels",
    ),
    taken("an embedded resource keeps what it has", {
      template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", frob: 1 }, spec: { a: [1] } },
    }),
    taken("what the schema lacks is pruned", {
      unknown: 1,
      parts: [{ name: "a", unknown: 1 }],
      nested: { unknown: 1 },
    }),
    taken("what is to be preserved is preserved", { extra: { a: { b: [1, { c: null }] }, d: 1.5 } }),
    refused("a rule over fields, with its expression's message and path", { low: 5, high: 3 }, "low is above high"),
    refused("a rule over fields, with another message", { low: 50, high: 3 }, "low is above high, and large"),
    refused("a rule with a fixed message", { color: "blue", size: 60 }, "blue widgets are small"),
    refused("several errors at once", { size: 101, title: "a", tags: ["a", "a"] }, "spec.tags[1]: Duplicate value"),
    refused(
      "several errors at once, of which one hides the rules",
      { color: "pink", low: 5, high: 3 },
      "some validation rules were not checked",
    ),
    refused("a name that is too long", {}, "must be no more than 253"),
  ].map((one) =>
    one.name === "a name that is too long"
      ? {
          ...one,
          steps: [create("widgets", widget({}, "a".repeat(254)), { gives: 422, saying: "must be no more than 253" })],
        }
      : one,
  ),
);

conformance("rules of custom resources", [
  { name: "a transition rule is not checked on creation", steps: [create("widgets", widget({ fixed: "a" }))] },
  {
    name: "a transition rule is checked on update",
    steps: [
      create("widgets", widget({ fixed: "a" })),
      edit("widgets/w", { spec: { fixed: "b" } }, { gives: 422, saying: "fixed cannot be changed" }),
      edit("widgets/w", { spec: { fixed: null } }),
      edit("widgets/w", { spec: { fixed: "c" } }),
    ],
  },
  {
    name: "what was wrong before may stay wrong elsewhere",
    steps: [
      create("widgets", widget({ size: 3 })),
      mergePatch("widgets/w", { spec: { size: 300 } }, { gives: 422 }),
      mergePatch("widgets/w", { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "the status is validated by its own part of the schema",
    steps: [
      create("widgets", widget({ size: 3 })),
      mergePatch("widgets/w/status", { status: { replicas: "x" } }, { gives: 422, saying: "status.replicas" }),
      mergePatch(
        "widgets/w/status",
        { status: { conditions: [{ type: "A", status: "Maybe" }] } },
        { gives: 422, saying: "Unsupported value" },
      ),
    ],
  },
  {
    name: "the status is pruned",
    steps: [
      create("widgets", widget({ size: 3 })),
      mergePatch("widgets/w/status", { status: { phase: "x", frob: 1 } }),
    ],
  },
  {
    name: "scale is read from the paths of the CRD",
    steps: [
      create("widgets", widget({ replicas: 3 })),
      get("widgets/w/scale"),
      mergePatch("widgets/w/status", { status: { replicas: 2, selector: "a=b" } }),
      get("widgets/w/scale"),
    ],
  },
  {
    name: "scale is written to the paths of the CRD",
    steps: [
      create("widgets", widget({ replicas: 3 })),
      mergePatch("widgets/w/scale", { spec: { replicas: 5 } }),
      get("widgets/w"),
      edit("widgets/w/scale", { spec: { replicas: 0 } }),
      edit("widgets/w/scale", { spec: { replicas: -1 } }, { gives: 422 }),
    ],
  },
  {
    name: "scale of an object without replicas is zero or refused",
    steps: [create("widgets", widget({})), get("widgets/w/scale", { gives: 500 })],
  },
  {
    name: "another version gets its own fields, pruned of the rest",
    steps: [
      create("widgets", widget({ size: 3, title: "Long" })),
      get("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets/w"),
    ],
  },
  {
    name: "a write in another version loses what that version lacks",
    steps: [
      create("widgets", widget({ size: 3, title: "Long" })),
      edit("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets/w", { spec: { size: 4 } }),
      get("widgets/w"),
    ],
  },
  {
    name: "a write in another version is validated in that version",
    steps: [
      create("/apis/conformance.example.com/v1beta1/namespaces/{ns}/widgets", {
        apiVersion: "conformance.example.com/v1beta1",
        kind: "Widget",
        metadata: { name: "w" },
        spec: { size: 500 },
      }),
      get("widgets/w"),
    ],
  },
  {
    name: "a body in another version than the path's is refused",
    steps: [create("widgets", { apiVersion: "conformance.example.com/v1beta1", ...widget({}) }, { gives: 400 })],
  },
]);
