import { afterAll, beforeAll } from "vitest";
import { conformance } from "../framework/conformance.ts";
import { at } from "../framework/objects.ts";
import { apply, create, edit, get, mergePatch, watch, type Step } from "../framework/requests.ts";
import { type WebhookServer, startWebhookServer } from "../framework/webhookServer.ts";

let server: WebhookServer | undefined;
beforeAll(async () => {
  server = await startWebhookServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());
const words = () => ({ hook: server?.url ?? "", ca: server?.caBundle ?? "" });

const version = (name: string, field: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { [field]: { type: "string" } } } },
    },
  },
});
const things = (name: string) => `/apis/{ns}.example.com/${name}/namespaces/{ns}/things`;
const thing = (name: string, spec: object) => ({
  apiVersion: `{ns}.example.com/${name}`,
  kind: "Thing",
  metadata: { name: "t" },
  spec,
});
/** A CRD whose v1 has the field `a` and v2, which is stored, the field `b`; the webhook renames it. */
const served = (path = "/convert"): Step[] => [
  create(
    "customresourcedefinitions",
    {
      metadata: { name: "things.{ns}.example.com" },
      spec: {
        group: "{ns}.example.com",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version("v1", "a", false), version("v2", "b", true)],
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: `{hook}${path}`, caBundle: "{ca}" } },
        },
      },
    },
    { see: at("kind") },
  ),
  get(things("v1"), { until: true, see: at("kind") }),
  get(things("v2"), { until: true, see: at("kind") }),
];

conformance(
  "conversion webhooks",
  {
    "convert what is read": [
      ...served(),
      create(things("v2"), thing("v2", { b: "x" })),
      get(`${things("v1")}/t`),
      get(things("v1")),
    ],
    "convert what is written": [...served(), create(things("v1"), thing("v1", { a: "x" })), get(`${things("v2")}/t`)],
    "convert what is updated and patched": [
      ...served(),
      create(things("v2"), thing("v2", { b: "x" })),
      edit(`${things("v1")}/t`, { spec: { a: "y" } }),
      mergePatch(`${things("v1")}/t`, { spec: { a: "z" } }),
      get(`${things("v2")}/t`),
    ],
    "convert what is watched": [
      ...served(),
      watch(things("v1"), 2),
      create(things("v2"), thing("v2", { b: "x" })),
      edit(`${things("v2")}/t`, { spec: { b: "y" } }),
    ],
    "keep the ownership of fields in the version of the writer": [
      ...served(),
      apply(`${things("v1")}/t`, thing("v1", { a: "x" }), { gives: 201 }),
      apply(`${things("v2")}/t`, thing("v2", { b: "y" }), { manager: "beta", gives: 409, saying: ".spec.a" }),
      apply(`${things("v2")}/t`, thing("v2", { b: "y" }), { manager: "beta", force: true }),
      get(`${things("v1")}/t`),
    ],
    "that refuse fail the request": [
      ...served("/refuse-to-convert"),
      create(things("v2"), thing("v2", { b: "x" })),
      get(`${things("v1")}/t`, { gives: 500, saying: "cannot convert" }),
      get(`${things("v2")}/t`),
    ],
    "that answer nonsense fail the request": [
      ...served("/nonsense"),
      create(things("v2"), thing("v2", { b: "x" })),
      get(`${things("v1")}/t`, { gives: 500, saying: "conversion webhook" }),
    ],
  },
  { words },
);
