import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import {
  answering,
  creation,
  failureOf,
  hooks,
  mutatingBy,
  RULE,
  useHookServer,
  webhook,
  WIDGETS,
} from "./testing/admissions.ts";
import { patchOf } from "./testing/hookServer.ts";

useHookServer();

describe("a mutating webhook", () => {
  const add = (path: string, value: unknown) => answering(patchOf({ op: "add", path, value }));

  test("that changes nothing leaves the very object", async () => {
    hooks.reply("/a", answering({ allowed: true }));
    const request = creation();
    expect(await mutatingBy(webhook("a")).mutate(request)).toBe(request.object);
  });

  test("speaks its own version of the object", async () => {
    hooks.reply("/a", add("/spec", { size: 1 }));
    const rules = [{ ...RULE, apiGroups: ["example.com"], apiVersions: ["v1beta1"], resources: ["widgets"] }];
    const object: KubeObject = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
    const changed = await mutatingBy(webhook("a", { rules })).mutate(creation(object, { resource: WIDGETS }));
    expect(changed).toEqual({ ...object, spec: { size: 1 } });
  });

  const calling = 'failed calling webhook "a.example.com": ';
  const invalid = `${calling}received invalid webhook response: webhook returned `;
  const base64 = (text: string) => Buffer.from(text).toString("base64");

  test.each<[name: string, response: Record<string, unknown>, why: string]>([
    ["without its type", { patch: base64("[]") }, `${invalid}response.patch but not response.patchType`],
    ["with its type alone", { patchType: "JSONPatch" }, `${invalid}response.patchType but not response.patch`],
    [
      "that is not encoded",
      { patchType: "JSONPatch", patch: "a" },
      `${calling}failed to call webhook: illegal base64 data`,
    ],
    [
      "that is no JSON",
      { patchType: "JSONPatch", patch: base64("nope") },
      `${calling}received undecodable patch in webhook response: `,
    ],
    [
      "that does not apply",
      patchOf({ op: "replace", path: "/nothere/x", value: 1 }),
      'the patch of webhook "a.example.com" does not apply: ',
    ],
  ])("fails by a patch %s", async (_, response, why) => {
    hooks.reply("/a", answering({ allowed: true, ...response }));
    const status = await failureOf(mutatingBy(webhook("a")).mutate(creation()));
    expect(status.code).toBe(500);
    expect(status.message).toContain(`Internal error occurred: ${why}`);
  });
});
