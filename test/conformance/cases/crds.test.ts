import { conformance } from "../framework/conformance.ts";
import { at } from "../framework/objects.ts";
import {
  create,
  edit,
  get,
  mergePatch,
  remove,
  request,
  watch,
  type AskOptions,
  type Step,
} from "../framework/requests.ts";

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
const things = (version = "v1") => `/apis/{ns}.example.com/${version}/namespaces/{ns}/things`;
const thing = (name: string, rest: Fields = {}, version = "v1") => ({
  apiVersion: `{ns}.example.com/${version}`,
  kind: "Thing",
  metadata: { name },
  ...rest,
});
const CRD = "customresourcedefinitions/things.{ns}.example.com";
const specOnly: AskOptions = { see: at("spec") };
/** Creates it and waits until it is served. */
const served = (object: Fields): Step[] => [
  create("customresourcedefinitions", object, specOnly),
  get(things(), { until: true, see: at("kind") }),
];

conformance("custom resource definitions", {
  "get their defaults": [
    create("customresourcedefinitions", crd(), { see: (answer) => ({ ...(answer as Fields), status: undefined }) }),
  ],
  "become established and have their names accepted": [
    create("customresourcedefinitions", crd(), specOnly),
    get(CRD, { until: true, saying: '"reason":"InitialNamesAccepted"', see: at("status") }),
  ],
  "serve their objects, and no longer when they are gone": [
    ...served(crd()),
    create(things(), thing("t", { spec: { a: "x" } })),
    remove(CRD, undefined, { see: at("kind") }),
    get(things(), { until: true, gives: 404 }),
  ],
  "appear in discovery": [
    ...served(crd({}, {}, { shortNames: ["th"], categories: ["all"] })),
    get("/apis/{ns}.example.com/v1", { until: true, saying: "things" }),
    get("/apis/{ns}.example.com", { until: true }),
  ],
  "appear in the OpenAPI documents": [
    ...served(crd()),
    get("/openapi/v3", { until: true, saying: "apis/{ns}.example.com/v1", see: () => "listed" }),
  ],
  "serve a new version when it comes": [
    ...served(crd()),
    create(things(), thing("t", { spec: { a: "x" } })),
    mergePatch(
      CRD,
      {
        spec: {
          versions: [
            ...(crd()["spec"] as { versions: object[] }).versions,
            {
              name: "v2",
              served: true,
              storage: false,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: { spec: { type: "object", properties: { b: { type: "string", default: "new" } } } },
                },
              },
            },
          ],
        },
      },
      { until: true, ...specOnly },
    ),
    get(things("v2"), { until: true, see: at("kind") }),
    get(`${things("v2")}/t`),
    get(`${things()}/t`),
  ],
  "no longer serve a version that is not served": [
    ...served(
      crd({
        versions: [
          ...(crd()["spec"] as { versions: object[] }).versions,
          { name: "v0", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      }),
    ),
    get(things("v0"), { until: true, see: at("kind") }),
    edit(
      CRD,
      {
        spec: {
          versions: [
            ...(crd()["spec"] as { versions: object[] }).versions,
            { name: "v0", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
          ],
        },
      },
      { until: true, ...specOnly },
    ),
    get(things("v0"), { until: true, gives: 404 }),
  ],
  "take a new schema": [
    ...served(crd()),
    create(things(), thing("t", { spec: { a: "x", b: "y" } })),
    edit(
      CRD,
      {
        spec: {
          versions: [
            {
              ...(crd()["spec"] as { versions: Fields[] }).versions[0],
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: {
                    spec: {
                      type: "object",
                      properties: { a: { type: "string", maxLength: 3 }, b: { type: "string", default: "z" } },
                    },
                  },
                },
              },
            },
          ],
        },
      },
      { until: true, ...specOnly },
    ),
    create(things(), thing("u", { spec: { a: "long" } }), {
      until: true,
      gives: 422,
      saying: "may not be more than 3 bytes",
    }),
    get(`${things()}/t`),
  ],
  "keep status and spec apart once they have a status": [
    ...served(
      crd(
        {},
        {
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ),
    ),
    create(things(), thing("t", { spec: { a: 1 }, status: { b: 1 } })),
    mergePatch(`${things()}/t/status`, { spec: { a: 2 }, status: { b: 2 } }),
    mergePatch(`${things()}/t`, { spec: { a: 3 }, status: { b: 3 } }),
  ],
  "without a status serve none": [
    ...served(crd()),
    create(things(), thing("t")),
    get(`${things()}/t/status`, { gives: 404 }),
    get(`${things()}/t/scale`, { gives: 404 }),
  ],
  "of a cluster serve no namespaces": [
    create("customresourcedefinitions", crd({ scope: "Cluster" }), specOnly),
    get("/apis/{ns}.example.com/v1/things", { until: true, see: at("kind") }),
    get(things(), { gives: 404 }),
    create("/apis/{ns}.example.com/v1/things", thing("t")),
  ],
  "of a namespace list across namespaces and refuse to create there": [
    ...served(crd()),
    get("/apis/{ns}.example.com/v1/things"),
    request("POST", "/apis/{ns}.example.com/v1/things", thing("t"), { gives: 404 }),
  ],
  "end the watches of their objects when they go": [
    ...served(crd()),
    create(things(), thing("t")),
    watch(things(), 2),
    remove(CRD, undefined, { see: at("kind") }),
  ],
  "whose names are taken are not accepted": [
    ...served(crd()),
    create(
      "customresourcedefinitions",
      { ...crd({ names: { plural: "others", kind: "Thing" } }), metadata: { name: "others.{ns}.example.com" } },
      specOnly,
    ),
    get("customresourcedefinitions/others.{ns}.example.com", {
      until: true,
      saying: "KindConflict",
      see: at("status.conditions"),
    }),
    get("/apis/{ns}.example.com/v1/namespaces/{ns}/others", { gives: 404 }),
  ],
  "keep their scope and group": [
    ...served(crd()),
    edit(CRD, { spec: { scope: "Cluster" } }, { until: true, gives: 422, saying: "field is immutable" }),
    edit(CRD, { spec: { group: "other.example.com" } }, { gives: 422 }),
  ],
  "keep the versions that they have stored": [
    ...served(crd()),
    edit(
      CRD,
      { spec: { versions: [{ ...(crd()["spec"] as { versions: Fields[] }).versions[0], name: "v2" }] } },
      { until: true, gives: 422, saying: "must remain in spec.versions" },
    ),
  ],
  "raise their generation with the spec": [
    create("customresourcedefinitions", crd(), { see: at("metadata.generation") }),
    get(CRD, { until: true, saying: '"reason":"InitialNamesAccepted"', see: at("metadata.generation") }),
    edit(
      CRD,
      { spec: { names: { plural: "things", kind: "Thing", shortNames: ["tt"] } } },
      { until: true, see: at("metadata.generation") },
    ),
  ],
});
