import type { KubeObject } from "../../types.ts";
import { crdOf, type Fields, type SchemaCase, withSpec } from "./shapes.ts";

/** CRDs, good and bad, and changes of them. */

const named = (crd: KubeObject, metadata: Fields) => ({ ...crd, metadata }) as unknown as KubeObject;
const good = withSpec({ a: { type: "string" } });
const s = (x: unknown) => crdOf("things", withSpec({ x }));
const withMore = (more: Fields) => crdOf("things", good, more);
const ver = (...versions: Fields[]) => withMore({ versions });
const V1 = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: good } };
const judged: Readonly<Record<string, KubeObject>> = {
  name: { ...crdOf("things", good), metadata: { name: "foo.example.com" } },
  nameUpper: { ...withMore({ names: { plural: "Things", kind: "Thing" } }), metadata: { name: "Things.example.com" } },
  group: { ...withMore({ group: "example" }), metadata: { name: "things.example" } },
  groupBad: { ...withMore({ group: "Exa_mple.com" }), metadata: { name: "things.Exa_mple.com" } },
  groupEmpty: withMore({ group: "" }),
  scope: withMore({ scope: "Foo" }),
  scopeNone: withMore({ scope: undefined }),
  kind: withMore({ names: { plural: "things", kind: "thing kind" } }),
  kindNone: withMore({ names: { plural: "things" } }),
  pluralNone: withMore({ names: { kind: "Thing" } }),
  listKind: withMore({ names: { plural: "things", kind: "Thing", listKind: "Thing" } }),
  shortName: withMore({
    names: { plural: "things", kind: "Thing", shortNames: ["T_"], categories: ["A"], singular: "Foo" },
  }),
  noVersions: withMore({ versions: [] }),
  twoStorage: ver(V1, { ...V1, name: "v2" }),
  noStorage: ver({ ...V1, storage: false }),
  dupVersion: ver(V1, { ...V1, storage: false }),
  versionName: ver({ ...V1, name: "1v" }),
  noSchema: ver({ name: "v1", served: true, storage: true }),
  emptySchema: ver({ ...V1, schema: {} }),
  deprecatedWarn: ver({ ...V1, deprecationWarning: "x" }),
  deprecatedEmpty: ver({ ...V1, deprecated: true, deprecationWarning: "" }),
  twoVersions: ver(V1, { ...V1, name: "v2", storage: false, schema: { openAPIV3Schema: withSpec({ x: {} }) } }),
  preserve: withMore({ preserveUnknownFields: true }),
  conv: withMore({ conversion: { strategy: "Foo" } }),
  convNoClient: withMore({ conversion: { strategy: "Webhook" } }),
  convNone: withMore({
    conversion: {
      strategy: "None",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a.b/c" } },
    },
  }),
  convHttp: withMore({
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v2", "v2"], clientConfig: { url: "http://a.b/c?x=1" } },
    },
  }),
  convBoth: withMore({
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: "https://a.b/c", service: { name: "a", namespace: "b" } },
      },
    },
  }),
  convSvc: withMore({
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { name: "", namespace: "", path: "x", port: 0 } },
      },
    },
  }),
  convOk: withMore({
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { name: "a", namespace: "b", path: "/x" } },
      },
    },
  }),
  convNoVersions: withMore({
    conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "https://a.b/c" } } },
  }),
  rootType: crdOf("things", { properties: {} }),
  rootString: crdOf("things", { type: "string" }),
  rootAdd: crdOf("things", { type: "object", additionalProperties: { type: "string" } }),
  rootNullable: crdOf("things", { type: "object", nullable: true }),
  meta: crdOf("things", {
    type: "object",
    properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
  }),
  metaName: crdOf("things", {
    type: "object",
    properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
  }),
  metaType: crdOf("things", { type: "object", properties: { metadata: { type: "string" } } }),
  kindType: crdOf("things", {
    type: "object",
    properties: { kind: { type: "integer" }, apiVersion: { type: "object" } },
  }),
  metaDefault: crdOf("things", {
    type: "object",
    properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
  }),
  noType: s({}),
  badType: s({ type: "foo" }),
  nullType: s({ type: "null" }),
  noItems: s({ type: "array" }),
  itemsNoType: s({ type: "array", items: {} }),
  propsAdd: s({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
  propsAddTrue: s({ type: "object", properties: { a: { type: "string" } }, additionalProperties: true }),
  unique: s({ type: "array", items: { type: "string" }, uniqueItems: true }),
  pattern: s({ type: "string", pattern: "[" }),
  patternLook: s({ type: "string", pattern: "(?=a)" }),
  patternRep: s({ type: "string", pattern: "*a" }),
  patternParen: s({ type: "string", pattern: "(a" }),
  patternParen2: s({ type: "string", pattern: "a)" }),
  patternRange: s({ type: "string", pattern: "[z-a]" }),
  patternEsc: s({ type: "string", pattern: "\\y" }),
  patternNest: s({ type: "string", pattern: "a**" }),
  patternCount: s({ type: "string", pattern: "a{2000}" }),
  patternBack: s({ type: "string", pattern: "(a)\\1" }),
  patternPosix: s({ type: "string", pattern: "[[:foo:]]" }),
  patternPerl: s({ type: "string", pattern: "(?<a" }),
  ref: s({ $ref: "#/definitions/x" }),
  preserveFalse: s({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  nestedType: s({
    type: "object",
    properties: { a: { type: "string" } },
    anyOf: [{ type: "object", properties: { a: { type: "string" }, b: { minLength: 1 } } }],
  }),
  nestedAll: s({
    type: "string",
    allOf: [
      {
        description: "x",
        default: "y",
        title: "t",
        nullable: true,
        type: "string",
        "x-kubernetes-int-or-string": true,
      },
    ],
  }),
  nestedMeta: crdOf("things", {
    type: "object",
    properties: { spec: { type: "object" } },
    anyOf: [{ properties: { metadata: { required: ["name"] } } }],
  }),
  nestedItems: s({ type: "array", items: { type: "string" }, not: { items: { minLength: 3 } } }),
  nestedAdd: s({
    type: "object",
    additionalProperties: { type: "string" },
    anyOf: [{ additionalProperties: { minLength: 1 } }],
  }),
  nestedRules: s({ type: "string", allOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] }),
  nestedListType: s({
    type: "array",
    items: { type: "string" },
    allOf: [
      {
        "x-kubernetes-list-type": "set",
        "x-kubernetes-list-map-keys": ["a"],
        "x-kubernetes-preserve-unknown-fields": true,
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-map-type": "atomic",
      },
    ],
  }),
  iosType: s({ type: "string", "x-kubernetes-int-or-string": true }),
  iosAny: s({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
  iosAny3: s({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] }),
  iosPres: s({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
  emb: s({ "x-kubernetes-embedded-resource": true }),
  embStr: s({ type: "string", "x-kubernetes-embedded-resource": true }),
  embNoProps: s({ type: "object", "x-kubernetes-embedded-resource": true }),
  listType: s({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "foo" }),
  listTypeObj: s({ type: "object", "x-kubernetes-list-type": "set" }),
  setObj: s({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" }),
  setArr: s({
    type: "array",
    items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    "x-kubernetes-list-type": "set",
  }),
  setNull: s({ type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" }),
  mapNoKeys: s({
    type: "array",
    items: { type: "object", properties: { a: { type: "string" } } },
    "x-kubernetes-list-type": "map",
  }),
  mapKeys: s({
    type: "array",
    items: { type: "object", properties: { a: { type: "string" }, o: { type: "object" } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b", "o", "a"],
  }),
  mapScalar: s({
    type: "array",
    items: { type: "string" },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a"],
  }),
  keysNoType: s({
    type: "array",
    items: { type: "object", properties: { a: { type: "string" } } },
    "x-kubernetes-list-map-keys": ["a"],
  }),
  keysSet: s({
    type: "array",
    items: { type: "string" },
    "x-kubernetes-list-type": "set",
    "x-kubernetes-list-map-keys": ["a"],
  }),
  mapNullKey: s({
    type: "array",
    items: { type: "object", required: ["a"], properties: { a: { type: "string", nullable: true } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a"],
  }),
  mapType: s({ type: "object", "x-kubernetes-map-type": "foo" }),
  mapTypeStr: s({ type: "string", "x-kubernetes-map-type": "atomic" }),
  mapTypeNone: s({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic" }),
  defType: s({ type: "string", default: 5 }),
  defEnum: s({ type: "string", enum: ["a"], default: "b" }),
  defUnknown: s({ type: "object", properties: { a: { type: "string" } }, default: { b: 1 } }),
  defReq: s({ type: "object", required: ["a"], properties: { a: { type: "string" } }, default: {} }),
  defPattern: s({ type: "string", pattern: "^a", default: "b" }),
  defRule: s({ type: "integer", default: 5, "x-kubernetes-validations": [{ rule: "self < 3", message: "small" }] }),
  defItems: s({ type: "array", items: { type: "string", default: "x" } }),
  defAdd: s({ type: "object", additionalProperties: { type: "string", default: "x" } }),
  defNull: s({ type: "string", default: null }),
  defEmb: s({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    default: { kind: "a" },
  }),
  defInEmbMeta: s({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { metadata: { type: "object", properties: { name: { type: "string", default: "A B" } } } },
  }),
  defOk: s({ type: "object", default: {}, properties: { a: { type: "integer", default: 3 } } }),
  scale: ver({
    ...V1,
    subresources: { scale: { specReplicasPath: "spec.a", statusReplicasPath: ".foo", labelSelectorPath: ".x" } },
  }),
  scaleNone: ver({ ...V1, subresources: { scale: {} } }),
  statusRoot: ver({ ...V1, subresources: { status: {} }, schema: { openAPIV3Schema: { ...good, minProperties: 1 } } }),
  statusRoot2: ver({
    ...V1,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { ...good, anyOf: [{ required: ["spec"] }] } },
  }),
  cols: ver({
    ...V1,
    additionalPrinterColumns: [
      { name: "", type: "foo", jsonPath: "x", format: "bar" },
      { name: "a", type: "string", jsonPath: "" },
    ],
  }),
  colsOk: ver({ ...V1, additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: ".spec.a" }] }),
  sel: ver({
    ...V1,
    selectableFields: [
      { jsonPath: ".spec.b" },
      { jsonPath: ".metadata.name" },
      { jsonPath: ".spec" },
      { jsonPath: "" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec['a']" },
    ],
  }),
  approved: named(withMore({ group: "foo.k8s.io" }), { name: "things.foo.k8s.io" }),
  approvedBad: named(withMore({ group: "foo.k8s.io" }), {
    name: "things.foo.k8s.io",
    annotations: { "api-approved.kubernetes.io": "maybe" },
  }),
  uncorr: s({ type: "array", items: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } }),
  uncorrAtomic: s({
    type: "object",
    "x-kubernetes-map-type": "atomic",
    properties: { a: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } },
  }),
  unknownField: s({ type: "string", foo: 1 }),
  several: crdOf("things", {
    type: "object",
    properties: { spec: { type: "object", properties: { b: {}, a: { type: "array" } } } },
  }),
  title: s({ type: "string", title: "t", description: "d", example: "e", externalDocs: { url: "x" } }),
  fmtUnknown: s({ type: "string", format: "foo" }),
  exclusive: s({ type: "integer", exclusiveMaximum: true }),
};
const old = crdOf("things", good);
const updates: Readonly<Record<string, KubeObject>> = {
  scopeChange: withMore({ scope: "Cluster" }),
  kindChange: withMore({ names: { plural: "things", kind: "Other" } }),
  groupChange: { ...withMore({ group: "other.com" }) },
  pluralChange: withMore({ names: { plural: "thingz", kind: "Thing" } }),
  dropStored: ver({ ...V1, name: "v2" }),
  addVersion: ver({ ...V1, name: "v2" }, { ...V1, storage: false }),
  bad: s({}),
};

export const crdCases: readonly SchemaCase[] = [
  ...Object.entries(judged).map(([name, crd]) => ({ name: `CRD ${name}`, crd })),
  ...Object.entries(updates).map(([name, crd]) => ({ name: `update ${name}`, crd, old })),
];
