import { fc } from "@fast-check/vitest";
import { canonicalJson, type KubeObject, parseJson } from "../../src/apis/index.ts";

/** Documents with values of every form, and what is compared of them. */

const GROUP = "values.example.com";
const atomic = { type: "array", items: { type: "string" }, default: ["d"] };

/** A kind with defaults that an empty value replaces, and with fields of any form. */
export const valuesDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `docs.${GROUP}` },
  spec: {
    group: GROUP,
    names: { kind: "Doc", plural: "docs" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  list: atomic,
                  set: { ...atomic, "x-kubernetes-list-type": "set" },
                  keyed: {
                    type: "array",
                    items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    default: [{ name: "d" }],
                  },
                  map: { type: "object", additionalProperties: { type: "string" }, default: { d: "d" } },
                  filled: { type: "object", properties: { a: { type: "string", default: "x" } } },
                  nothing: { type: "string", nullable: true, default: "d" },
                  id: { type: "integer" },
                  count: { type: "integer", format: "int64" },
                  share: { type: "number" },
                  port: { "x-kubernetes-int-or-string": true },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  any: { "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const key = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", "hasOwnProperty", "", "a.b/c", "~1", "0400", "yes", "f:a", ".", "k:{}"),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom("yes", "0400", "1_000", "1:30", "~", "", "a\n", " a\nb\n", "2026-11-26", "1e3", "\u2028"),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((large) => parseJson(String(large))),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 1e21, 1e-7),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

/** The same values each time. */
export const sampleOf = (count: number, seed: number): unknown[] => fc.sample(value, { numRuns: count, seed });

/** One object of each kind that has values of its own to lose. */
export function valueObjects(namespace: string): KubeObject[] {
  const isAppliedByServer = namespace.includes("server-side");
  const named = (name: string) => ({ name, namespace, labels: { values: "yes" } });
  const doc = (name: string, spec: object): KubeObject => ({
    apiVersion: `${GROUP}/v1`,
    kind: "Doc",
    metadata: named(name),
    spec,
  });
  const pod = {
    volumes: [],
    nodeSelector: {},
    securityContext: {},
    containers: [{ name: "c", image: "i:1", args: [] }],
  };
  const selector = { matchLabels: { a: "b" } };
  return [
    doc("empty", { list: [], set: [], keyed: [], map: {}, filled: {}, nothing: null }),
    doc("numbers", {
      id: 9007199254740993n,
      count: -(2n ** 63n),
      share: 0.1,
      port: 2n ** 63n - 1n,
      free: { most: 2n ** 63n - 1n, whole: 1e25, small: 1e-7, list: [[9007199254740993n], { a: -9007199254740993n }] },
    }),
    doc("forms", {
      free: { a: null, e: [], m: {}, mixed: [[], {}, "x", null, [null]], o: { x: null } },
      any: { ["__proto__"]: { a: 1 }, constructor: "c", "": "empty", "a.b/c~d": 1 },
    }),
    // As kubectl sends it, API servers refuse such a text in a server-side apply.
    ...(isAppliedByServer ? [] : [doc("signs", { free: { ["\u0085"]: "a\u007fb\u0085c\u2028d\ufeff" } })]),
    ...sampleOf(10, 31).map((random, at) => doc(`random-${at}`, { free: { random } })),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: named("keys"),
      data: { ["__proto__"]: "p", constructor: "c", toString: "t", empty: "" },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...named("web"), annotations: {} },
      spec: { replicas: 0, selector, strategy: {}, template: { metadata: { labels: { a: "b" } }, spec: pod } },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: named("open"),
      spec: {
        podSelector: {},
        egress: [],
        ingress: [{ from: [] }, { from: [{ namespaceSelector: { matchLabels: {} } }] }],
      },
    },
  ];
}

/** What a person wrote of an object or the server made of that, as one text. */
export function contentOf({ metadata, status: _, ...content }: KubeObject): string {
  return canonicalJson({ ...content, name: metadata.name });
}
