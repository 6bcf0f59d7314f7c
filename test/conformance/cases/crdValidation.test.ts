import { conformance } from "../framework/conformance.ts";
import { create, type Case } from "../framework/requests.ts";

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
const refused = (name: string, object: Fields, saying: string): Case => ({
  name,
  steps: [create("customresourcedefinitions", object, { gives: 422, saying })],
});

conformance("validation of custom resource definitions", [
  refused(
    "the name is plural and group",
    { ...crd(), metadata: { name: "other.{ns}.example.com" } },
    'must be spec.names.plural+"."+spec.group',
  ),
  refused(
    "a group is a domain",
    { ...crd({ group: "Bad_Group" }), metadata: { name: "things.Bad_Group" } },
    "spec.group",
  ),
  refused("a scope is one of two", crd({ scope: "Universal" }), "Unsupported value"),
  refused(
    "exactly one version is stored",
    crd({}, { storage: false }),
    "must have exactly one version marked as storage version",
  ),
  refused(
    "versions have different names",
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
  refused("there is a schema", crd({}, { schema: undefined }), "schema.openAPIV3Schema: Required value"),
  refused("the schema is of an object", crd({}, { schema: { openAPIV3Schema: { type: "string" } } }), "must be object"),
  refused("there are versions", crd({ versions: [] }), "must have exactly one version marked as storage version"),
  refused("a kind has a form", crd({}, {}, { kind: "thing kind" }), "spec.names.kind"),
  refused("each field has a type", withSpec({ properties: { a: {} } }), "type: Required value"),
  refused(
    "an array has items",
    withSpec({ type: "object", properties: { a: { type: "array" } } }),
    "items: Required value",
  ),
  refused(
    "properties and additionalProperties exclude each other",
    withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
    "mutual exclusive",
  ),
  refused(
    "a default fits its schema",
    withSpec({ type: "object", properties: { a: { type: "integer", default: "x" } } }),
    "default",
  ),
  refused(
    "a list-map has keys",
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
  refused(
    "keys of a list-map are required or have a default",
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
  refused(
    "list-type belongs to lists",
    withSpec({ type: "object", properties: { a: { type: "string", "x-kubernetes-list-type": "set" } } }),
    "must be array",
  ),
  refused(
    "map-type belongs to maps",
    withSpec({ type: "object", properties: { a: { type: "string", "x-kubernetes-map-type": "atomic" } } }),
    "must be object",
  ),
  refused(
    "a list type is known",
    withSpec({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" } },
    }),
    "Unsupported value",
  ),
  refused(
    "a pattern can be read",
    withSpec({ type: "object", properties: { a: { type: "string", pattern: "(" } } }),
    "must be a valid regular expression",
  ),
  refused(
    "a rule compiles",
    withSpec({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "self.b == 'x'" }],
    }),
    "undefined field 'b'",
  ),
  refused(
    "a rule gives a boolean",
    withSpec({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "1 + 1" }],
    }),
    "must evaluate to a bool",
  ),
  refused(
    "a rule is not empty",
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "" }] }),
    "rule is not specified",
  ),
  refused(
    "a rule has a message of one line",
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] }),
    "must not contain line breaks",
  ),
  refused(
    "a reason of a rule is known",
    withSpec({ type: "object", "x-kubernetes-validations": [{ rule: "true", reason: "Because" }] }),
    "Unsupported value",
  ),
  refused(
    "a rule does not cost too much",
    withSpec({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      "x-kubernetes-validations": [{ rule: "self.a.all(x, self.a.all(y, self.a.all(z, x == y || y == z)))" }],
    }),
    "exceeds budget",
  ),
  refused(
    "a column has a type",
    crd({}, { additionalPrinterColumns: [{ name: "A", jsonPath: ".spec.a", type: "frob" }] }),
    "must be one of boolean,date,integer,number,string",
  ),
  refused(
    "a column has a path",
    crd({}, { additionalPrinterColumns: [{ name: "A", jsonPath: "spec.a", type: "string" }] }),
    "must be a simple json path starting with .",
  ),
  refused(
    "a scale has paths below spec and status",
    crd({}, { subresources: { scale: { specReplicasPath: ".x", statusReplicasPath: ".status.replicas" } } }),
    "specReplicasPath",
  ),
  refused("a conversion webhook has a client", crd({ conversion: { strategy: "Webhook" } }), "webhook"),
  refused("unknown fields are not preserved as a whole", crd({ preserveUnknownFields: true }), "preserveUnknownFields"),
  refused(
    "metadata is not described, but for its name",
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
  refused(
    "a schema has no forbidden words",
    withSpec({ type: "object", properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } } }),
    "uniqueItems",
  ),
]);
