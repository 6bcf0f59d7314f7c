import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HookServer, patchOf, type ReceivedReview, reviewed } from "./admission/testing/hookServer.ts";
import { type SandboxCluster, startSandboxCluster } from "./index.ts";
import { HttpsClient } from "./testing/httpsClient.ts";
import { configMap, deployment, widgetCrd } from "./testing/objects.ts";

/** Webhooks of a whole cluster: asked over TLS, by the address and the certificate that a configuration names. */

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1";

let cluster: SandboxCluster;
let client: HttpsClient;
let hooks: HookServer;
const errors: unknown[] = [];

beforeAll(async () => {
  hooks = await HookServer.start();
  cluster = await startSandboxCluster({
    name: "test",
    controllers: false,
    onError: (error) => void errors.push(error),
  });
  client = new HttpsClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
  await hooks[Symbol.asyncDispose]();
  expect(errors).toEqual([]);
});

beforeEach(() => {
  hooks.received.length = 0;
});

afterEach(async () => {
  for (const plural of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
    await client.send("DELETE", `${CONFIGURATIONS}/${plural}`);
  }
});

async function configure(kind: "mutating" | "validating", fields: Record<string, unknown> = {}): Promise<void> {
  const { status, text } = await client.send("POST", `${CONFIGURATIONS}/${kind}webhookconfigurations`, {
    metadata: { name: kind },
    webhooks: [
      {
        name: `${kind}.example.com`,
        clientConfig: { url: hooks.url(`/${kind}`), caBundle: hooks.caBundle },
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        ...fields,
      },
    ],
  });
  expect(text).toContain("webhooks");
  expect(status).toBe(201);
}

const on = (group: string, ...resources: string[]) => ({
  rules: [{ operations: ["*"], apiGroups: [group], apiVersions: ["*"], resources }],
});
const answering =
  (response: Record<string, unknown>) =>
  (received: ReceivedReview): unknown =>
    reviewed(received, response);
const requests = () => hooks.received.map(({ body }) => body.request);

describe("admission webhooks", () => {
  test("change what is written, and then judge it, for create, update, patch, apply and delete", async () => {
    hooks.reply(
      "/mutating",
      answering(patchOf({ op: "add", path: "/metadata/annotations", value: { "example.com/seen": "yes" } })),
    );
    hooks.reply("/validating", answering({ allowed: true, warnings: ["looked at"] }));
    await configure("mutating", {
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    });
    await configure("validating");
    const created = await client.send("POST", CONFIG_MAPS, configMap("judged", { a: "1" }));
    expect(created.body).toMatchObject({ metadata: { annotations: { "example.com/seen": "yes" } } });
    expect(created.headers["warning"]).toBe('299 - "looked at"');
    await client.patch(`${CONFIG_MAPS}/judged`, { data: { a: "2" } }, "merge");
    await client.patch(`${CONFIG_MAPS}/judged?fieldManager=tool&force=true`, configMap("judged", { a: "3" }), "apply");
    await client.send("DELETE", `${CONFIG_MAPS}/judged`);
    const judged = hooks.received.filter(({ path }) => path.startsWith("/validating")).map(({ body }) => body.request);
    expect(judged).toMatchObject([
      { operation: "CREATE", object: { metadata: { annotations: { "example.com/seen": "yes" } } }, oldObject: null },
      { operation: "UPDATE", object: { data: { a: "2" } }, oldObject: { data: { a: "1" } } },
      { operation: "UPDATE", object: { data: { a: "3" } }, options: { kind: "UpdateOptions" } },
      { operation: "DELETE", object: null, oldObject: { data: { a: "3" } } },
    ]);
  });

  test("that refuse keep the object out, in their own words", async () => {
    hooks.reply("/validating", answering({ allowed: false, status: { message: "not on a Saturday", code: 403 } }));
    await configure("validating");
    const { status, body } = await client.send("POST", CONFIG_MAPS, configMap("refused"));
    expect(status).toBe(403);
    expect(body["message"]).toBe('admission webhook "validating.example.com" denied the request: not on a Saturday');
    expect((await client.send("GET", `${CONFIG_MAPS}/refused`)).status).toBe(404);
  });

  test.each([
    { policy: "Fail", status: 500, found: 404 },
    { policy: "Ignore", status: 201, found: 200 },
  ])("that cannot be reached: $policy answers $status", async ({ policy, status, found }) => {
    const unreachable = { url: "https://127.0.0.1:1/gone", caBundle: hooks.caBundle };
    await configure("validating", { failurePolicy: policy, clientConfig: unreachable });
    const name = `policy-${policy.toLowerCase()}`;
    const answer = await client.send("POST", CONFIG_MAPS, configMap(name));
    expect(answer.status).toBe(status);
    if (policy === "Fail") {
      expect(answer.body["message"]).toContain('failed calling webhook "validating.example.com"');
    }
    expect((await client.send("GET", `${CONFIG_MAPS}/${name}`)).status).toBe(found);
  });

  test("whose certificate the caBundle does not vouch for count as failed", async () => {
    await using other = await HookServer.start();
    await configure("validating", { clientConfig: { url: hooks.url("/validating"), caBundle: other.caBundle } });
    const { body } = await client.send("POST", CONFIG_MAPS, configMap("untrusted"));
    expect(body["message"]).toContain("certificate");
    expect(hooks.received).toEqual([]);
  });

  test("are asked about a dry run only when they promise no side effects", async () => {
    hooks.reply("/validating", answering({ allowed: true }));
    // Of side effects the server takes None and NoneOnDryRun only, since v1.
    await configure("validating", { sideEffects: "NoneOnDryRun" });
    expect((await client.send("POST", `${CONFIG_MAPS}?dryRun=All`, configMap("dry"))).status).toBe(201);
    expect(requests()).toMatchObject([{ dryRun: true, options: { dryRun: ["All"] } }]);
    expect((await client.send("GET", `${CONFIG_MAPS}/dry`)).status).toBe(404);
  });

  test("of a scale see a Scale, and change it", async () => {
    await client.send("POST", DEPLOYMENTS, deployment("scaled", 1));
    hooks.reply("/mutating", answering(patchOf({ op: "replace", path: "/spec/replicas", value: 4 })));
    hooks.reply("/validating", answering({ allowed: true }));
    await configure("mutating", on("apps", "deployments/scale"));
    await configure("validating", on("apps", "deployments/scale"));
    const scaled = await client.patch(`${DEPLOYMENTS}/scaled/scale`, { spec: { replicas: 9 } }, "merge");
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 4 } });
    const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };
    expect(requests()).toMatchObject([
      {
        kind: scaleKind,
        resource: { group: "apps", version: "v1", resource: "deployments" },
        subResource: "scale",
        object: { kind: "Scale", metadata: { name: "scaled" }, spec: { replicas: 9 } },
        oldObject: { kind: "Scale", spec: { replicas: 1 } },
      },
      { kind: scaleKind, object: { kind: "Scale", spec: { replicas: 4 } } },
    ]);
    const stored = await client.send("GET", `${DEPLOYMENTS}/scaled`);
    expect(stored.body).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
    // The main resource is no business of theirs.
    await client.patch(`${DEPLOYMENTS}/scaled`, { spec: { replicas: 2 } }, "merge");
    expect(hooks.received).toHaveLength(2);
  });

  test("may ask in their conditions what the caller is allowed to do", async () => {
    hooks.reply("/validating", answering({ allowed: false }));
    const may = (verb: string) => `authorizer.group('').resource('secrets').namespace('default').check('${verb}')`;
    await configure("validating", {
      matchConditions: [{ name: "cannot-read", expression: `!${may("get")}.allowed()` }],
    });
    // The administrator may do everything, so the webhook is not asked.
    expect((await client.send("POST", CONFIG_MAPS, configMap("allowed"))).status).toBe(201);
    const issued = await makeRobot();
    const robot = new HttpsClient({ ...cluster, adminToken: issued });
    expect((await robot.send("POST", CONFIG_MAPS, configMap("by-robot"))).status).toBe(400);
    await robot.close();
  });

  async function makeRobot(): Promise<string> {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await client.send("POST", accounts, { metadata: { name: "robot" } });
    await client.send("POST", `${rbac}/roles`, {
      metadata: { name: "writer" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create"] }],
    });
    await client.send("POST", `${rbac}/rolebindings`, {
      metadata: { name: "writer" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "writer" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "robot" }],
    });
    const issued = await client.send("POST", `${accounts}/robot/token`, {});
    return (issued.body["status"] as { token: string }).token;
  }
});

describe("a conversion webhook", () => {
  const GROUP = "converted.example.com";
  const version = (name: string, field: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
      },
    },
  });
  const path = (name: string) => `/apis/${GROUP}/${name}/namespaces/default/widgets`;
  const object = (name: string, apiVersion: string, spec: object) => ({
    apiVersion: `${GROUP}/${apiVersion}`,
    kind: "Widget",
    metadata: { name },
    spec,
  });

  beforeAll(async () => {
    hooks.reply("/convert", ({ body }) => {
      const { uid, objects, desiredAPIVersion } = body.request as unknown as {
        uid: string;
        desiredAPIVersion: string;
        objects: { spec: { size?: number; length?: number } }[];
      };
      const field = desiredAPIVersion.endsWith("/v2") ? "length" : "size";
      const convertedObjects = objects.map(({ spec, ...rest }) => ({
        ...rest,
        apiVersion: desiredAPIVersion,
        spec: { [field]: spec.size ?? spec.length },
      }));
      return {
        apiVersion: body.apiVersion,
        kind: body.kind,
        response: { uid, result: { status: "Success" }, convertedObjects },
      };
    });
    const crd = widgetCrd({
      group: GROUP,
      versions: [version("v1", "size", true), version("v2", "length", false)],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: hooks.url("/convert"), caBundle: hooks.caBundle },
        },
      },
    });
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await using watch = await client.watch(`${crds}?watch=true&fieldSelector=metadata.name%3Dwidgets.${GROUP}`);
    expect((await client.send("POST", crds, crd)).status).toBe(201);
    await watch.until(({ object: one }) =>
      JSON.stringify(one["status"] ?? {}).includes('"Established","status":"True"'),
    );
  });

  test("lets both versions be read, written, listed and patched", async () => {
    const created = await client.send("POST", path("v2"), object("a", "v2", { length: 3 }));
    expect(created.body).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { length: 3 } });
    expect((await client.send("GET", `${path("v1")}/a`)).body).toMatchObject({ spec: { size: 3 } });
    const patched = await client.patch(`${path("v1")}/a`, { spec: { size: 4 } }, "merge");
    expect(patched.body).toMatchObject({ apiVersion: `${GROUP}/v1`, spec: { size: 4 } });
    expect((await client.send("GET", path("v2"))).body["items"]).toMatchObject([
      { apiVersion: `${GROUP}/v2`, metadata: { name: "a" }, spec: { length: 4 } },
    ]);
  });

  test("lets both versions be watched, each in its own form", async () => {
    await using one = await client.watch(`${path("v1")}?watch=true&fieldSelector=metadata.name%3Dwatched`);
    await using two = await client.watch(`${path("v2")}?watch=true&fieldSelector=metadata.name%3Dwatched`);
    await client.send("POST", path("v1"), object("watched", "v1", { size: 1 }));
    await client.patch(`${path("v2")}/watched`, { spec: { length: 2 } }, "merge");
    await client.send("DELETE", `${path("v2")}/watched`);
    const seen = async (watch: typeof one) =>
      (await watch.take(3)).map(({ type, object: { apiVersion, ...rest } }) => [type, apiVersion, rest["spec"]]);
    expect(await seen(one)).toEqual([
      ["ADDED", `${GROUP}/v1`, { size: 1 }],
      ["MODIFIED", `${GROUP}/v1`, { size: 2 }],
      ["DELETED", `${GROUP}/v1`, { size: 2 }],
    ]);
    expect(await seen(two)).toEqual([
      ["ADDED", `${GROUP}/v2`, { length: 1 }],
      ["MODIFIED", `${GROUP}/v2`, { length: 2 }],
      ["DELETED", `${GROUP}/v2`, { length: 2 }],
    ]);
  });

  test("lets both versions be applied, and owners of fields meet across them", async () => {
    const apply = (manager: string, apiVersion: string, spec: object, force = false) =>
      client.patch(
        `${path(apiVersion)}/applied?fieldManager=${manager}&force=${force}`,
        object("applied", apiVersion, spec),
        "apply",
      );
    expect((await apply("one", "v1", { size: 1 })).status).toBe(201);
    const refused = await apply("two", "v2", { length: 2 });
    expect(refused.body).toMatchObject({ code: 409, reason: "Conflict" });
    expect(refused.body["message"]).toContain('conflict with "one": .spec.size');
    const forced = await apply("two", "v2", { length: 2 }, true);
    expect(forced.body).toMatchObject({ spec: { length: 2 } });
    const { managedFields } = forced.body["metadata"] as { managedFields: unknown };
    expect(managedFields).toMatchObject([
      { manager: "two", apiVersion: `${GROUP}/v2`, fieldsV1: { "f:spec": { "f:length": {} } } },
    ]);
    expect((await client.send("GET", `${path("v1")}/applied`)).body).toMatchObject({ spec: { size: 2 } });
  });
});
