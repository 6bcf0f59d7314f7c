import { conformance } from "../framework/conformance.ts";
import { create } from "../framework/requests.ts";

type Fields = Record<string, unknown>;

/** A CRD of a group that the case has for itself. */
const crd = (spec: Fields = {}, version: Fields = {}, names: Fields = {}): Fields => ({
  metadata: { name: "things.{ns}.example.com" },
  spec: {
    group: "{ns}.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", ...names },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
          },
        },
        ...version,
      },
    ],
    ...spec,
  },
});
const withSpec = (spec: Fields): Fields =>
  crd({}, { schema: { openAPIV3Schema: { type: "object", properties: { spec } } } });
const refused = (object: Fields, saying: string) => [
  create("customresourcedefinitions", object, { gives: 422, saying }),
];

conformance("validation of custom resource definitions", {
  "the name is plural and group": refused(
    { ...crd(), metadata: { name: "other.{ns}.example.com" } },
    'must be spec.names.plural+"."+spec.group',
  ),
  "a group is a domain": refused(
    { ...crd({ group: "Bad_Group" }), metadata: { name: "things.Bad_Group" } },
    "spec.group",
  ),
  "a scope is one of two": refused(crd({ scope: "Universal" }), "Unsupported value"),
  "exactly one version is stored": refused(
    crd({}, { storage: false }),
    "must have exactly one version marked as storage version",
  ),
  "versions have different names": refused(
    crd({
      versions: [1, 2].map((n) => ({
        name: "v1",
        served: true,
        storage: n === 1,
        schema: { openAPIV3Schema: { type: "object" } },
      })),
    }),
    "must contain unique version names",
  ),
  "there is a schema": refused(crd({}, { schema: undefined }), "schema.openAPIV3Schema: Required value"),
  "the schema is of an object": refused(crd({}, { schema: { openAPIV3Schema: { type: "string" } } }), "must be object"),
  "there are versions": refused(crd({ versions: [] }), "must have exactly one version marked as storage version"),
  "a kind has a form": refused(crd({}, {}, { kind: "thing kind" }), "spec.names.kind"),
  "each field has a type": refused(withSpec({ properties: { a: {} } }), "type: Required value"),
  "an array has items": refused(
    withSpec({ type: "object", properties: { a: { type: "array" } } }),
    "items: Required value",
  ),
  "properties and additionalProperties exclude each other": refused(
    withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
    "mutual exclusive",
  ),
  "a default fits its schema": refused(
    withSpec({ type: "object", properties: { a: { type: "integer", default: "x" } } }),
    "default",
  ),
  "a list-map has keys": refused(
    withSpec({
      type: "object",
      properties: {
        a: {
          type: "array",
          "x-kubernetes-list-type": "map",
          items: { type: "object", properties: { k: { type: "string" } } },
        },
      },
    }),
    "x-kubernetes-list-map-keys",
  ),
  "keys of a list-map are required or have a default": refused(
    withSpec({
      type: "object",
      properties: {
        a: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", properties: { k: { type: "string" } } },
        },
      },
    }),
    "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
  ),
  "list-type belongs to lists": refused(
    withSpec({ type: "object", properties: { a: { type: "string", "x-kubernetes-list-type": "set" } } }),
    "must be array",
  ),
  "map-type belongs to maps": refused(
    withSpec({ type: "object", properties: { a: { type: "string", "x-kubernetes-map-type": "atomic" } } }),
    "must be object",
  ),
  "a list type is known": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" } },
    }),
    "Unsupported value",
  ),
  "a pattern can be read": refused(
    withSpec({ type: "object", properties: { a: { type: "string", pattern: "(" } } }),
    "must be a valid regular expression",
  ),
  "a rule compiles": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "self.b == 'x'" }],
    }),
    "undefined field 'b'",
  ),
  "a rule gives a boolean": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "1 + 1" }],
    }),
    "must evaluate to a bool",
  ),
  "a rule is not empty": refused(
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "" }] }),
    "rule is not specified",
  ),
  "a rule has a message of one line": refused(
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] }),
    "must not contain line breaks",
  ),
  "a reason of a rule is known": refused(
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "true", reason: "Because" }] }),
    "Unsupported value",
  ),
  "a rule does not cost too much": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      "x-kubernetes-validations": [{ rule: "self.a.all(x, self.a.all(y, self.a.all(z, x == y || y == z)))" }],
    }),
    "exceeds budget",
  ),
  "a column has a type": refused(
    crd({}, { additionalPrinterColumns: [{ name: "A", jsonPath: ".spec.a", type: "frob" }] }),
    "must be one of boolean,date,integer,number,string",
  ),
  "a column has a path": refused(
    crd({}, { additionalPrinterColumns: [{ name: "A", jsonPath: "spec.a", type: "string" }] }),
    "must be a simple json path starting with .",
  ),
  "a scale has paths below spec and status": refused(
    crd({}, { subresources: { scale: { specReplicasPath: ".x", statusReplicasPath: ".status.replicas" } } }),
    "specReplicasPath",
  ),
  "a conversion webhook has a client": refused(crd({ conversion: { strategy: "Webhook" } }), "webhook"),
  "unknown fields are not preserved as a whole": refused(crd({ preserveUnknownFields: true }), "preserveUnknownFields"),
  "metadata is not described, but for its name": refused(
    crd(
      {},
      {
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
          },
        },
      },
    ),
    "metadata",
  ),
  "a schema has no forbidden words": refused(
    withSpec({ type: "object", properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } } }),
    "uniqueItems",
  ),
});
