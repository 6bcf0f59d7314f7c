import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KubeObject, Schema } from "../../../src/sandbox/types.ts";
import type { Api } from "../../envtest/index.ts";
import { loopbackCertificate } from "./loopbackCertificate.ts";
import type { PublishedResource } from "./publishedResources.ts";
import type { Schemas } from "./publishedSchemas.ts";

/**
 * What no server publishes: which empty values its decoder forgets (`hostNetwork: false`, but not `replicas: 0`), and what it writes as
 * null. It is asked with one object for each definition, and an admission webhook sees what became of it, before any validation.
 */
export interface WrittenFields {
  /** By definition: fields that are not written when they are empty. */
  omittedWhenEmpty: Record<string, readonly string[]>;
  /** By definition: fields that are written as null when they were not given. */
  nullWhenAbsent: Record<string, readonly string[]>;
}

/** How an object of a resource contains a struct of a definition. */
interface Route {
  resource: PublishedResource;
  version: string;
  steps: readonly Step[];
}

type Step = { field: string } | "item" | "entry";

/** Admission refuses empty values in a Pod's spec; in a template nobody looks at them. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = { pods: "spec" };

/** Webhooks are never asked about their own configuration, and a Binding is no object. */
const NOT_ASKED = new Set(["bindings", "mutatingwebhookconfigurations", "validatingwebhookconfigurations"]);

export async function writtenFields(
  api: Api,
  resources: readonly PublishedResource[],
  definitions: Schemas,
): Promise<WrittenFields> {
  await api.create("/api/v1/namespaces/default/serviceaccounts", {
    metadata: { name: "default" },
    automountServiceAccountToken: false,
  });
  await using webhook = await AdmittedObjects.start(api);
  const found: WrittenFields = { omittedWhenEmpty: {}, nullWhenAbsent: {} };
  for (const [name, route] of [...routes(resources, definitions)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const properties = definitions[name]?.properties ?? {};
    const full = await webhook.seen(objectAt(route, emptyFields(properties)), route);
    const bare = await webhook.seen(objectAt(route, {}), route);
    if (full === undefined || bare === undefined) continue;
    const fields = Object.keys(properties).sort();
    const omitted = fields.filter((field) => isForgotten(properties[field] ?? {}, full[field]));
    const nulls = fields.filter((field) => bare[field] === null);
    if (omitted.length > 0) found.omittedWhenEmpty[name] = omitted;
    if (nulls.length > 0) found.nullWhenAbsent[name] = nulls;
  }
  return found;
}

/** The shortest way to each struct. An object's own metadata is not asked about, since the server writes into it. */
function routes(resources: readonly PublishedResource[], definitions: Schemas): Map<string, Route> {
  const found = new Map<string, Route>();
  let next: { schema: Schema; route: Route }[] = [];
  for (const resource of resources) {
    if (NOT_ASKED.has(resource.plural)) continue;
    for (const { name: version, schema } of resource.versions) {
      next.push({ schema: { $ref: schema }, route: { resource, version, steps: [] } });
    }
  }
  while (next.length > 0) {
    const current = next;
    next = [];
    for (const { schema, route } of current) {
      const follow = (inner: Schema, step: Step) =>
        next.push({ schema: inner, route: { ...route, steps: [...route.steps, step] } });
      if (schema.items !== undefined) follow(schema.items, "item");
      if (typeof schema.additionalProperties === "object") follow(schema.additionalProperties, "entry");
      const name = schema.$ref?.split("/").at(-1);
      const properties = name === undefined ? undefined : definitions[name]?.properties;
      if (name === undefined || properties === undefined || found.has(name)) continue;
      found.set(name, route);
      for (const [field, inner] of Object.entries(properties)) {
        if (route.steps.length === 0 && (field === "metadata" || NOT_FOLLOWED[route.resource.plural] === field))
          continue;
        follow(inner, { field });
      }
    }
  }
  return found;
}

function objectAt({ resource, version, steps }: Route, struct: Record<string, unknown>): KubeObject {
  const inner = steps.toReversed().reduce<unknown>((value, step) => {
    if (step === "item") return [value];
    return { [step === "entry" ? "key" : step.field]: value };
  }, struct);
  const apiVersion = resource.group === "" ? version : `${resource.group}/${version}`;
  const metadata = { name: "asked", ...(resource.namespaced ? { namespace: "default" } : {}) };
  return { ...(inner as object), apiVersion, kind: resource.kind, metadata };
}

function structIn(object: unknown, steps: readonly Step[]): Record<string, unknown> | undefined {
  let value = object;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return undefined;
    if (step === "item") value = (value as unknown[])[0];
    else value = (value as Record<string, unknown>)[step === "entry" ? "key" : step.field];
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function emptyFields(properties: Readonly<Record<string, Schema>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([field, schema]) => {
      const value = emptyValue(schema);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function emptyValue(schema: Schema): unknown {
  const reference = schema.$ref ?? "";
  if (reference.endsWith(".Quantity")) return "0";
  if (reference.endsWith(".IntOrString")) return 0;
  if (reference.endsWith("Time") || reference.endsWith(".JSON")) return undefined;
  if (reference !== "") return {};
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" ? undefined : "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return undefined;
  }
}

/** Gone, or taken for missing and filled with a default. */
function isForgotten(schema: Schema, written: unknown): boolean {
  const given = emptyValue(schema);
  if (given === undefined) return false;
  if (written === undefined) return true;
  return typeof given !== "object" && schema.$ref === undefined && written !== given;
}

/** A webhook that refuses everything and remembers what it was shown. */
class AdmittedObjects implements AsyncDisposable {
  readonly #api: Api;
  readonly #cleanup: AsyncDisposableStack;
  #last: unknown;

  private constructor(api: Api, cleanup: AsyncDisposableStack) {
    this.#api = api;
    this.#cleanup = cleanup;
  }

  static async start(api: Api): Promise<AdmittedObjects> {
    const cleanup = new AsyncDisposableStack();
    const objects = new AdmittedObjects(api, cleanup);
    const { caPem, certificate, key } = await loopbackCertificate();
    const server = createServer({ cert: certificate, key }, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const review = JSON.parse(body) as { request: { uid: string; object: unknown } };
        objects.#last = review.request.object;
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            apiVersion: "admission.k8s.io/v1",
            kind: "AdmissionReview",
            response: { uid: review.request.uid, allowed: false, status: { message: SEEN } },
          }),
        );
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanup.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    await api.create("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
      metadata: { name: "asked" },
      webhooks: [
        {
          name: "asked.meridian.test",
          clientConfig: {
            url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(caPem).toString("base64"),
          },
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"] }],
          // What is asked about is called so; nothing else is refused meanwhile.
          matchConditions: [{ name: "asked", expression: "object.metadata.name == 'asked'" }],
          matchPolicy: "Exact",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await objects.#untilCalled();
    return objects;
  }

  /** What became of the struct; undefined when the server takes no such object or forgets the way to it. */
  async seen(object: KubeObject, route: Route): Promise<Record<string, unknown> | undefined> {
    const { group, plural, namespaced } = route.resource;
    const root = group === "" ? "/api" : `/apis/${group}`;
    const path = `${root}/${route.version}/${namespaced ? "namespaces/default/" : ""}${plural}`;
    this.#last = undefined;
    const { body } = await this.#api.request<{ message?: string }>("POST", path, object);
    if (this.#last !== undefined) return structIn(this.#last, route.steps);
    console.error(`${plural} ${JSON.stringify(route.steps)}: ${body.message}`);
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  /** A configuration takes effect a moment after it is written. */
  async #untilCalled(): Promise<void> {
    const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
    for (let attempt = 0; attempt < 200; attempt++) {
      const { body } = await this.#api.request<{ message?: string }>("POST", path, { metadata: { name: "asked" } });
      if (body.message?.includes(SEEN) === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the server does not call the webhook");
  }
}

const SEEN = "seen, that is all";
