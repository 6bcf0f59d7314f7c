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

  test.each<{ name: string; response: Record<string, unknown>; why: string }>([
    {
      name: "without its type",
      response: { allowed: true, patch: Buffer.from("[]").toString("base64") },
      why: 'failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    },
    {
      name: "with its type alone",
      response: { allowed: true, patchType: "JSONPatch" },
      why: 'failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch',
    },
    {
      name: "that is not encoded",
      response: { allowed: true, patchType: "JSONPatch", patch: "a" },
      why: 'failed calling webhook "a.example.com": failed to call webhook: illegal base64 data',
    },
    {
      name: "that is no JSON",
      response: { allowed: true, patchType: "JSONPatch", patch: Buffer.from("nope").toString("base64") },
      why: 'failed calling webhook "a.example.com": received undecodable patch in webhook response: ',
    },
    {
      name: "that does not apply",
      response: patchOf({ op: "replace", path: "/nothere/x", value: 1 }),
      why: 'the patch of webhook "a.example.com" does not apply: ',
    },
  ])("fails by a patch $name", async ({ response, why }) => {
    hooks.reply("/a", answering(response));
    const status = await failureOf(mutatingBy(webhook("a")).mutate(creation()));
    expect(status.code).toBe(500);
    expect(status.message).toContain(`Internal error occurred: ${why}`);
  });
});
