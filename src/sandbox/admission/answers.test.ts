import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import type { AdmissionEnvironment } from "./index.ts";
import {
  admission,
  answering,
  configMap,
  configuration,
  context,
  creation,
  failureOf,
  hooks,
  mutatingBy,
  raw,
  useHookServer,
  validatingBy,
  webhook,
} from "./testing/admissions.ts";
import { HookServer, patchOf, type Reply } from "./testing/hookServer.ts";

useHookServer();

describe("a refusal", () => {
  const denied = 'admission webhook "a.example.com" denied the request';

  const causes = { causes: [{ field: "data.a", message: "no" }] };

  test.each<[name: string, status: Record<string, unknown> | undefined, want: Record<string, unknown>]>([
    ["without a word", undefined, { code: 400, message: `${denied} without explanation` }],
    ["with a message", { message: "no" }, { code: 400, message: `${denied}: no` }],
    ["with a reason", { reason: "NotLucky" }, { code: 400, reason: "NotLucky", message: `${denied}: NotLucky` }],
    ["with a code of success", { message: "x", code: 200 }, { code: 400, message: `${denied}: x` }],
    [
      "with everything",
      { message: "teapot", code: 418, reason: "Teapot", details: causes },
      { code: 418, reason: "Teapot", message: `${denied}: teapot`, details: causes },
    ],
  ])("%s reaches the client", async (_, status, want) => {
    hooks.reply("/a", answering({ allowed: false, ...(status === undefined ? {} : { status }) }));
    const answer = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...want };
    expect(await failureOf(validatingBy(webhook("a")).validate(creation()))).toEqual(answer);
    expect(await failureOf(mutatingBy(webhook("a")).mutate(creation()))).toEqual(answer);
  });

  test("of the first configuration by name is given", async () => {
    hooks.reply("/a", answering({ allowed: false }));
    hooks.reply("/b", answering({ allowed: false }));
    const webhooks = admission({
      validating: () => [configuration("2", webhook("b")), configuration("1", webhook("a"))],
    });
    expect((await failureOf(webhooks.validate(creation()))).message).toContain("a.example.com");
  });
});

test("a dry run is refused when a webhook has side effects", async () => {
  const request = creation(configMap(), { context: context({ dryRun: true }) });
  const status = await failureOf(validatingBy(webhook("a", { sideEffects: "Some" })).validate(request));
  expect(status).toMatchObject({ code: 400, message: 'admission webhook "a.example.com" does not support dry run' });
});

describe("a webhook that fails", () => {
  const failed = "failed to call webhook:";
  const invalid = "received invalid webhook response:";

  test.each<[name: string, reply: Reply, why: string]>([
    ["with 500", raw(500, "boom"), `${failed} the server answered 500: boom`],
    ["with 404", raw(404, ""), `${failed} the server answered 404`],
    ["with a redirect", raw(302, ""), `${failed} the server answered 302`],
    [
      "with nothing",
      raw(200, ""),
      `${failed} 0-length response with status code: 200 and content type: application/json`,
    ],
    [
      "with another kind",
      () => ({ response: {} }),
      `${invalid} expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
    ],
    [
      "without a response",
      ({ body: { apiVersion, kind } }) => ({ apiVersion, kind }),
      `${invalid} webhook response was absent`,
    ],
    ["with another uid", answering({ uid: "x", allowed: true }), `${invalid} expected response.uid="uid-1", got "x"`],
    ["with a patch", answering(patchOf()), `${invalid} validating webhook may not return response.patch`],
    [
      "with a type of patch",
      answering({ allowed: true, patchType: "JSONPatch" }),
      `${invalid} validating webhook may not return response.patchType`,
    ],
  ])("%s stops the request, or is ignored", async (_, reply, why) => {
    hooks.reply("/a", reply);
    const message = `failed calling webhook "a.example.com": ${why}`;
    expect(await failureOf(validatingBy(webhook("a")).validate(creation()))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    });
    await validatingBy(webhook("a", { failurePolicy: "Ignore" })).validate(creation());
  });

  const call = async (more: Record<string, unknown>, environment: Partial<AdmissionEnvironment> = {}) =>
    (
      await failureOf(
        admission({ validating: () => [configuration("c", webhook("a", more))], ...environment }).validate(creation()),
      )
    ).message;
  const prefix = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post';

  test("to be there", async () => {
    const closed = await HookServer.start();
    await closed[Symbol.asyncDispose]();
    const clientConfig = { url: closed.url("/a"), caBundle: closed.caBundle };
    expect(await call({ clientConfig })).toContain("ECONNREFUSED");
  });

  test("to show a certificate of the authority", async () => {
    await using other = await HookServer.start();
    for (const more of [{ caBundle: other.caBundle }, {}]) {
      const clientConfig = { url: hooks.url("/a"), ...more };
      expect(await call({ clientConfig })).toContain("certificate");
    }
    expect(hooks.received).toEqual([]);
  });

  test("because its Service is missing, has no such port, or leads nowhere", async () => {
    const clientConfig = { service: { namespace: "default", name: "hook", path: "/a" }, caBundle: hooks.caBundle };
    const url = "https://hook.default.svc:443/a?timeout=5s";
    const service = (port: number) => ({
      service: (): KubeObject => ({ ...configMap(), kind: "Service", spec: { ports: [{ port }] } }),
    });
    expect(await call({ clientConfig })).toBe(`${prefix} "${url}": service "hook" not found`);
    expect(await call({ clientConfig }, service(80))).toBe(
      `${prefix} "${url}": no service port 443 found for service "hook"`,
    );
    expect(await call({ clientConfig }, service(443))).toBe(
      `${prefix} "${url}": no endpoints available for service "hook"`,
    );
  });
});

test("a Service of type ExternalName leads to its host, whose certificate is for the Service", async () => {
  hooks.reply("/a", answering({ allowed: true }));
  const clientConfig = {
    service: { namespace: "default", name: "hook", path: "/a", port: hooks.port },
    caBundle: hooks.caBundle,
  };
  const webhooks = admission({
    validating: () => [configuration("c", webhook("a", { clientConfig }))],
    service: () => ({ ...configMap(), kind: "Service", spec: { type: "ExternalName", externalName: "127.0.0.1" } }),
  });
  await webhooks.validate(creation());
  expect(hooks.received[0]?.headers.host).toBe(`hook.default.svc:${hooks.port}`);
});
