import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, CONFIGMAPS } from "../../runtime/index.ts";
import { changeMetadata } from "./metadataPatch.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const CONFLICT = new ApiError(409, "Conflict", "the object has been modified");
const sameVersion = ({ metadata: { resourceVersion } }: KubeObject) => ({ metadata: { resourceVersion } });

/** Changes a ConfigMap whose version grows with each read. */
async function changing(answer: Answer, patchOf: Parameters<typeof changeMetadata>[4] = sameVersion) {
  let reads = 0;
  const client = new ScriptedClient((call) => {
    const answered = answer(call);
    if (call.verb !== "get" || answered !== undefined) return answered;
    return { metadata: { name: "a", resourceVersion: String((reads += 1)) } };
  });
  const { signal } = new AbortController();
  const change = changeMetadata(client.client, CONFIGMAPS, { namespace: "team", name: "a" }, signal, patchOf);
  const error: unknown = await change.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(client.signals.every((given) => given === signal)).toBe(true);
  return { client, calls: client.calls, error };
}

describe("a change of metadata", () => {
  test.each([
    [2, 3, undefined],
    [9, 5, CONFLICT],
  ])("after %d conflicts has read and patched %d times", async (conflicts, attempts, want) => {
    let left = conflicts;
    const { error, calls } = await changing(({ verb }) =>
      verb === "patch" && (left -= 1) >= 0 ? CONFLICT : undefined,
    );
    expect(error).toBe(want);
    const versions = Array.from({ length: attempts }, (_, index) => ({
      metadata: { resourceVersion: String(index + 1) },
    }));
    expect(calls.flatMap(({ verb, body }) => (verb === "patch" ? [body] : []))).toEqual(versions);
  });

  const gone = new ApiError(404, "NotFound", "gone");
  const refused = new ApiError(403, "Forbidden", "no");
  test.each([
    ["get", gone, undefined],
    ["patch", gone, undefined],
    ["patch", refused, refused],
  ])("ends with a %s that fails: %#", async (verb, answer, want) => {
    const { error, calls } = await changing((call) => (call.verb === verb ? answer : undefined));
    expect([error, calls.at(-1)?.verb, calls.length]).toEqual([want, verb, verb === "get" ? 1 : 2]);
  });
});
