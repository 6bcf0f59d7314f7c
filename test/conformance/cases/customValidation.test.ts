import { conformance } from "../framework/conformance.ts";
import { create, edit, get, mergePatch } from "../framework/requests.ts";

const widget = (spec: object, name = "w") => ({ metadata: { name }, spec });
const refused = (spec: object, saying: string, name = "w") => [
  create("widgets", widget(spec, name), { gives: 422, saying }),
];

/** Form of the answers. The rules themselves are recorded in src/sandbox/schema/testdata. */
conformance("validation of custom resources", {
  "a string for the whole spec": refused("x" as unknown as object, "must be of type object"),
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
