import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, CONFIGMAPS } from "../../runtime/index.ts";
import { changeMetadata } from "./metadataPatch.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const CONFLICT = new ApiError(409, "Conflict", "the object has been modified");
const GONE = new ApiError(404, "NotFound", "gone");

/** Changes a ConfigMap whose version grows with each read. */
async function changing(answer: Answer, patchOf?: (live: KubeObject) => { metadata: object } | undefined) {
  let reads = 0;
  const client = new ScriptedClient((call) => {
    const answered = answer(call);
    if (call.verb !== "get" || answered !== undefined) return answered;
    return { metadata: { name: "a", resourceVersion: String((reads += 1)) } };
  });
  const end = new AbortController();
  const patch = patchOf ?? (({ metadata: { resourceVersion } }) => ({ metadata: { resourceVersion } }));
  const change = changeMetadata(client.client, CONFIGMAPS, { namespace: "team", name: "a" }, end.signal, patch);
  const error: unknown = await change.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { client, calls: client.calls, end, error };
}

describe("a change of metadata", () => {
  test("is a merge patch that follows from what was read, of the metadata alone", async () => {
    const { client, calls, end, error } = await changing(() => undefined);
    expect(error).toBeUndefined();
    const place = { what: "configmaps", namespace: "team", name: "a" };
    expect(calls).toEqual([
      { ...place, verb: "get", options: { metadataOnly: true } },
      {
        ...place,
        verb: "patch",
        body: { metadata: { resourceVersion: "1" } },
        options: { patchType: "application/merge-patch+json" },
      },
    ]);
    expect(client.signals).toEqual([end.signal, end.signal]);
  });

  test("is no request where there is nothing to change", async () => {
    const { client } = await changing(
      () => undefined,
      () => undefined,
    );
    expect(client.lines).toEqual(["get configmaps"]);
  });

  test("is made anew from a new read when somebody wrote in between, five times at most", async () => {
    let conflicts = 2;
    const twice = await changing(({ verb }) => (verb === "patch" && (conflicts -= 1) >= 0 ? CONFLICT : undefined));
    expect(twice.error).toBeUndefined();
    expect(twice.calls.filter(({ verb }) => verb === "patch").map(({ body }) => body)).toEqual(
      ["1", "2", "3"].map((resourceVersion) => ({ metadata: { resourceVersion } })),
    );
    const always = await changing(({ verb }) => (verb === "patch" ? CONFLICT : undefined));
    expect(always.error).toBe(CONFLICT);
    expect(always.calls.filter(({ verb }) => verb === "patch")).toHaveLength(5);
  });

  test.each(["get", "patch"])("of what is gone at the %s is done", async (gone) => {
    const { error, calls } = await changing(({ verb }) => (verb === gone ? GONE : undefined));
    expect(error).toBeUndefined();
    expect(calls.at(-1)?.verb).toBe(gone);
  });

  test("that is refused is not tried again", async () => {
    const refused = new ApiError(403, "Forbidden", "no");
    const { error, client } = await changing(({ verb }) => (verb === "patch" ? refused : undefined));
    expect(error).toBe(refused);
    expect(client.lines).toEqual(["get configmaps", "patch configmaps"]);
  });
});
