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

/** Form of a refusal. The rules themselves are recorded in src/sandbox/schema/testdata. */
conformance("validation of custom resource definitions", {
  "the name is plural and group": refused(
    { ...crd(), metadata: { name: "other.{ns}.example.com" } },
    'must be spec.names.plural+"."+spec.group',
  ),
  "a rule compiles": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [{ rule: "self.b == 'x'" }],
    }),
    "undefined field 'b'",
  ),
  "a rule does not cost too much": refused(
    withSpec({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      "x-kubernetes-validations": [{ rule: "self.a.all(x, self.a.all(y, self.a.all(z, x == y || y == z)))" }],
    }),
    "exceeds budget",
  ),
});
