import { describe, expect, test } from "vitest";
import {
  hashOf,
  type KubeObject,
  REVISION_ANNOTATION,
  REVISION_HASH_ANNOTATION,
  REVISION_OF_LABEL,
  REVISION_SUCCEEDED_ANNOTATION,
} from "../apis/index.ts";
import type { RevisionContent } from "../desiredstate/index.ts";
import { ApiError, CONTROLLERREVISIONS } from "../runtime/index.ts";
import { FakeClient } from "../runtime/testing/fakeClient.ts";
import { Revisions } from "./revisions.ts";

const { signal } = new AbortController();
const SHOP: KubeObject = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u" },
};
const named = (name: string): KubeObject => ({ ...SHOP, metadata: { ...SHOP.metadata, name } });
const content = (image: string): RevisionContent => ({ object: { ...SHOP, spec: { image } }, overrides: [] });
const refused = new ApiError(500, "InternalError", "etcd is away");

/** A hub that keeps ControllerRevisions; `failing`: what becomes of the next call of a verb. */
function hub() {
  const client = new FakeClient();
  const failing = new Map<string, { error: Error; phase: "before" | "after" }>();
  client.gate = ({ verb, phase }) => {
    const failure = failing.get(verb);
    if (failure?.phase !== phase) return;
    failing.delete(verb);
    throw failure.error;
  };
  const revisions = new Revisions({ client, systemNamespace: "meridian-system" });
  const keep = (image: string, object = SHOP) => revisions.keep(object, content(image), `hash of ${image}`, signal);
  const numbers = async (): Promise<number[]> => (await revisions.of(SHOP, signal)).map(({ number }) => number);
  const calls = (): string[] => client.calls.splice(0).map((call) => call.split(" ")[0] ?? "");
  const stored = (): KubeObject[] => client.server.page(CONTROLLERREVISIONS, {}).items;
  /** As another manager has left it. */
  const leave = (name: string, annotations: Record<string, string>, namespace = "default"): void => {
    const metadata = { name, namespace, labels: { [REVISION_OF_LABEL]: "u" }, annotations };
    client.server.create(CONTROLLERREVISIONS, { apiVersion: "apps/v1", kind: "ControllerRevision", metadata });
  };
  return { client, failing, revisions, keep, numbers, calls, stored, leave };
}

describe("a revision on the hub", () => {
  test("says of what it is, which one it is, and goes with its object", async () => {
    const { keep, stored } = hub();
    const name = `shop-${hashOf(["u", "hash of a"])}`;
    expect(await keep("a")).toEqual({ kind: "Kept", revision: { name, number: 1, hash: "hash of a" } });
    expect(stored()).toMatchObject([
      {
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: {
          ...{ name, namespace: "default", labels: { [REVISION_OF_LABEL]: "u" } },
          annotations: { [REVISION_ANNOTATION]: "1", [REVISION_HASH_ANNOTATION]: "hash of a" },
          ownerReferences: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "shop", uid: "u" }],
        },
        revision: 1,
        data: content("a"),
      },
    ]);
  });

  test.each([
    { name: "Shop_1:A", want: "shop-1-a-" },
    { name: "a.b-c", want: "a.b-c-" },
    { name: ":shop", want: "x-shop-" },
    { name: "s".repeat(250), want: `${"s".repeat(200)}-` },
  ])("has a name that an API server takes: of $name", async ({ name, want }) => {
    const { keep } = hub();
    const kept = await keep("a", named(name));
    expect(kept).toMatchObject({ revision: { name: want + hashOf(["u", "hash of a"]) } });
  });

  test("of an object without a life yet is one of its own", async () => {
    const { keep, revisions, client } = hub();
    const { uid: _, ...metadata } = SHOP.metadata;
    const kept = await keep("a", { ...SHOP, metadata });
    expect(kept).toMatchObject({ revision: { name: `shop-${hashOf(["", "hash of a"])}` } });
    revisions.forget("");
    expect(await revisions.of({ ...SHOP, metadata }, signal)).toMatchObject([{ number: 1 }]);
    expect(client.calls).toEqual(["list", "create", "list"].map((verb) => `${verb} controllerrevisions`));
  });

  test("holds one MiB, and not a byte more", async () => {
    const { revisions } = hub();
    const filled = (bytes: number): RevisionContent => content("x".repeat(bytes - JSON.stringify(content("")).length));
    expect(await revisions.keep(SHOP, filled(1024 * 1024), "h1", signal)).toMatchObject({ kind: "Kept" });
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const full = { ...filled(1024 * 1024), configMaps: [configMap] };
    expect(await revisions.keep(SHOP, full, "h2", signal)).toMatchObject({ kind: "Kept" });
    expect(await revisions.content(SHOP, 2, signal)).not.toHaveProperty("configMaps");
    expect(await revisions.keep(SHOP, filled(1024 * 1024 + 1), "h3", signal)).toEqual({
      kind: "Refused",
      why: {
        reason: "RevisionTooLarge",
        message:
          "DemoApplication shop is larger than 1 MiB: no revision can hold it; remove the rollout from its policy",
      },
    });
  });

  test("keeps small ConfigMaps", async () => {
    const { revisions } = hub();
    const whole = { ...content("a"), configMaps: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }] };
    await revisions.keep(SHOP, whole, "h1", signal);
    expect(await revisions.content(SHOP, 1, signal)).toEqual(whole);
  });
});

describe("what was there before", () => {
  test("is read once, in the order of its numbers, and what is no revision of Meridian's is left out", async () => {
    const { numbers, leave, keep, calls, client } = hub();
    leave("c", { [REVISION_ANNOTATION]: "10", [REVISION_HASH_ANNOTATION]: "h10" });
    leave("b", { [REVISION_ANNOTATION]: "9", [REVISION_HASH_ANNOTATION]: "h9" });
    leave("d", { [REVISION_ANNOTATION]: "11" });
    leave("e", { [REVISION_ANNOTATION]: "first", [REVISION_HASH_ANNOTATION]: "h" });
    leave("f", { [REVISION_HASH_ANNOTATION]: "h" });
    leave("g", { [REVISION_ANNOTATION]: "12", [REVISION_HASH_ANNOTATION]: "h12" }, "elsewhere");
    client.server.create(CONTROLLERREVISIONS, {
      ...{ apiVersion: "apps/v1", kind: "ControllerRevision" },
      metadata: {
        name: "h",
        namespace: "default",
        annotations: { [REVISION_ANNOTATION]: "13", [REVISION_HASH_ANNOTATION]: "h" },
      },
    });
    expect(await numbers()).toEqual([9, 10]);
    expect(await numbers()).toEqual([9, 10]);
    expect(await keep("a")).toMatchObject({ revision: { number: 11 } });
    expect(calls()).toEqual(["list", "create"]);
  });

  test("is read anew of an object that was forgotten", async () => {
    const { revisions, keep, numbers, calls } = hub();
    await keep("a");
    revisions.forget("another");
    await numbers();
    revisions.forget("u");
    expect(await numbers()).toEqual([1]);
    expect(calls()).toEqual(["list", "create", "list"]);
  });

  test("is not read again for what a revision holds: two are kept in memory, those that were asked for last", async () => {
    const { keep, revisions, calls } = hub();
    for (const image of ["a", "b", "c"]) await keep(image);
    calls();
    expect(await revisions.content(SHOP, 3, signal)).toEqual(content("c"));
    expect(await revisions.content(SHOP, 2, signal)).toEqual(content("b"));
    expect(calls()).toEqual([]);
    expect(await revisions.content(SHOP, 1, signal)).toEqual(content("a"));
    expect(await revisions.content(SHOP, 1, signal)).toEqual(content("a"));
    expect(await revisions.content(SHOP, 3, signal)).toEqual(content("c"));
    expect(calls()).toEqual(["get"]);
    expect(await revisions.content(SHOP, 2, signal)).toEqual(content("b"));
    expect(await revisions.content(SHOP, 9, signal)).toBeUndefined();
    expect(calls()).toEqual(["get"]);
  });
});

describe("a write whose answer is lost", () => {
  const lost = new ApiError(409, "AlreadyExists", "it exists");

  test("has happened: what is there is the revision", async () => {
    const { keep, failing, numbers } = hub();
    await keep("a");
    failing.set("create", { error: refused, phase: "after" });
    await expect(keep("b")).rejects.toBe(refused);
    expect(await keep("b")).toMatchObject({ kind: "Kept", revision: { number: 2 } });
    expect(await numbers()).toEqual([1, 2]);
  });

  test("is found by reading anew when the same one is written once more", async () => {
    const { keep, failing, calls } = hub();
    failing.set("create", { error: lost, phase: "after" });
    expect(await keep("a")).toMatchObject({ kind: "Kept", revision: { number: 1, hash: "hash of a" } });
    expect(calls()).toEqual(["list", "create", "list"]);
  });

  test("is an error where another object has that name", async () => {
    const { keep, failing, numbers } = hub();
    failing.set("create", { error: lost, phase: "before" });
    await expect(keep("a")).rejects.toBe(lost);
    expect(await numbers()).toEqual([]);
  });
});

describe("a revision that somebody removed", () => {
  test("holds nothing, and is none any more", async () => {
    const { leave, revisions, numbers, client, calls } = hub();
    leave("a", { [REVISION_ANNOTATION]: "1", [REVISION_HASH_ANNOTATION]: "h1" });
    leave("b", { [REVISION_ANNOTATION]: "2", [REVISION_HASH_ANNOTATION]: "h2" });
    await numbers();
    client.server.delete(CONTROLLERREVISIONS, "default", "a");
    expect(await revisions.content(SHOP, 1, signal)).toBeUndefined();
    expect(await numbers()).toEqual([2]);
    calls();
    expect(await revisions.content(SHOP, 1, signal)).toBeUndefined();
    expect(calls()).toEqual([]);
  });

  test("is another thing than one that cannot be read now", async () => {
    const { leave, revisions, numbers, failing } = hub();
    leave("a", { [REVISION_ANNOTATION]: "1", [REVISION_HASH_ANNOTATION]: "h1" });
    failing.set("get", { error: refused, phase: "before" });
    await expect(revisions.content(SHOP, 1, signal)).rejects.toBe(refused);
    expect(await numbers()).toEqual([1]);
  });

  test("needs no removal", async () => {
    const { keep, revisions, numbers, client } = hub();
    for (const image of ["a", "b"]) await keep(image);
    client.server.delete(CONTROLLERREVISIONS, "default", `shop-${hashOf(["u", "hash of a"])}`);
    await revisions.prune(SHOP, 0, new Set([2]), signal);
    expect(await numbers()).toEqual([2]);
  });
});

describe("a revision that was rolled out to the end", () => {
  const [ONCE, AGAIN] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];

  test("says when that was last, at one write for each time, for the next manager too", async () => {
    const { keep, revisions, stored, calls } = hub();
    await keep("a");
    calls();
    for (const at of [ONCE, ONCE, AGAIN]) await revisions.succeeded(SHOP, 1, at, signal);
    expect(calls()).toEqual(["patch", "patch"]);
    expect(stored()[0]?.metadata.annotations).toMatchObject({
      [REVISION_ANNOTATION]: "1",
      [REVISION_SUCCEEDED_ANNOTATION]: AGAIN,
    });
    revisions.forget("u");
    await revisions.succeeded(SHOP, 1, AGAIN, signal);
    expect([calls(), await revisions.of(SHOP, signal)]).toMatchObject([["list"], [{ succeededAt: AGAIN }]]);
  });

  test("is marked once more where nobody knows whether it is, and not where it is gone", async () => {
    const { keep, revisions, failing, calls, client, numbers } = hub();
    const { revision } = (await keep("a")) as { revision: { name: string } };
    failing.set("patch", { error: refused, phase: "after" });
    await expect(revisions.succeeded(SHOP, 1, ONCE, signal)).rejects.toBe(refused);
    await revisions.succeeded(SHOP, 1, ONCE, signal);
    await revisions.succeeded(SHOP, 9, ONCE, signal);
    expect(calls()).toEqual(["list", "create", "patch", "patch"]);
    client.server.delete(CONTROLLERREVISIONS, "default", revision.name);
    await revisions.succeeded(SHOP, 1, AGAIN, signal);
    expect(await numbers()).toEqual([]);
  });
});

describe("revisions beyond the limit", () => {
  test("are removed, with what is known of what they hold", async () => {
    const { keep, revisions, stored, calls } = hub();
    for (const image of ["a", "b"]) await keep(image);
    calls();
    await revisions.prune(SHOP, 1, new Set(), signal);
    expect([calls(), stored().length]).toEqual([["delete"], 1]);
    expect(await revisions.content(SHOP, 1, signal)).toBeUndefined();
    expect(calls()).toEqual([]);
  });

  test("are none where there are fewer", async () => {
    const { keep, revisions, numbers, calls } = hub();
    for (const image of ["a", "b", "c"]) await keep(image);
    calls();
    await revisions.prune(SHOP, 4, new Set(), signal);
    await revisions.prune(SHOP, 3, new Set([9]), signal);
    expect([calls(), await numbers()]).toEqual([[], [1, 2, 3]]);
  });

  test("stay known where the hub does not remove them now", async () => {
    const { keep, revisions, numbers, failing } = hub();
    for (const image of ["a", "b"]) await keep(image);
    failing.set("delete", { error: refused, phase: "before" });
    await expect(revisions.prune(SHOP, 0, new Set([2]), signal)).rejects.toBe(refused);
    expect(await numbers()).toEqual([1, 2]);
  });
});
