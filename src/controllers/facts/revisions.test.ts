import { describe, expect, test } from "vitest";
import {
  fullMessage,
  hashOf,
  type KeptRevision,
  type KubeObject,
  REVISION_ANNOTATION,
  REVISION_HASH_ANNOTATION,
  REVISION_OF_LABEL,
} from "../../apis/index.ts";
import type { RevisionContent } from "../../desiredstate/index.ts";
import { digestOf } from "../../hub/index.ts";
import { ApiError, CONTROLLERREVISIONS } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { contentHash, Revisions } from "./revisions.ts";

const { signal } = new AbortController();
const SHOP: KubeObject = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u" },
};
const named = (name: string): KubeObject => ({ ...SHOP, metadata: { ...SHOP.metadata, name } });
const content = (image: string): RevisionContent => ({ object: { ...SHOP, spec: { image } }, overrides: [] });
const refused = new ApiError(500, "InternalError", "etcd is away");

/** A hub with ControllerRevisions. `failing`: the error of the next call of a verb. */
function hub() {
  const client = new FakeClient();
  const failing = new Map<string, { error: Error; phase: "before" | "after" }>();
  client.gate = ({ verb, phase }) => {
    const failure = failing.get(verb);
    if (failure?.phase !== phase) return;
    failing.delete(verb);
    throw failure.error;
  };
  const manager = (): Revisions => new Revisions({ client, systemNamespace: "meridian-system" });
  const revisions = manager();
  /** The index of revisions in the status. */
  let index: KeptRevision[] | undefined;
  const wanted = (image: string) => ({
    ...{ content: content(image), hash: `hash of ${image}` },
    ...{ number: (index?.at(-1)?.revision ?? 0) + 1, index },
  });
  const keep = async (image: string, object = SHOP): Promise<KeptRevision> => {
    const kept = await revisions.keep(object, wanted(image), signal);
    if (kept.kind === "Refused") throw new Error(fullMessage(kept.why.message));
    index = [...(index ?? []), kept.revision];
    return kept.revision;
  };
  const read = (number: number, by = revisions) => by.read(SHOP, index, number, signal);
  const prune = async (limit: number, ...inUse: number[]): Promise<number[]> => {
    index = await revisions.prune(SHOP, index ?? [], { limit, inUse: new Set(inUse) }, signal);
    return index.map(({ revision }) => revision);
  };
  const calls = (): string[] => client.calls.splice(0).map((call) => call.split(" ")[0] ?? "");
  const stored = (): KubeObject[] => client.server.page(CONTROLLERREVISIONS, {}).items;
  /** Creates a ControllerRevision of another writer. */
  const put = (name: string, more: object = {}, metadata: object = {}): void => {
    const body = { apiVersion: "apps/v1", kind: "ControllerRevision", ...more };
    client.server.create(CONTROLLERREVISIONS, { ...body, metadata: { name, namespace: "default", ...metadata } });
  };
  /** Replaces the ControllerRevision, since the API server does not change its data. */
  const forge = ({ name }: { name: string }, data: unknown): void => {
    client.server.delete(CONTROLLERREVISIONS, "default", name);
    put(name, { data });
  };
  const leaveOut = (): KeptRevision[] | undefined => (index = undefined);
  return { client, failing, manager, revisions, wanted, keep, read, prune, calls, stored, put, forge, leaveOut };
}

describe("a revision on the hub", () => {
  test("says of what it is, and goes with its object; the index says what it is", async () => {
    const { keep, stored } = hub();
    const name = `shop-${hashOf(["u", "hash of a"])}`;
    const digest = digestOf(content("a"));
    expect(await keep("a")).toEqual({ name, revision: 1, hash: "hash of a", digest });
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
    expect(await hub().keep("a", named(name))).toMatchObject({ name: want + hashOf(["u", "hash of a"]) });
  });

  test("of a cluster-scoped object stands in Meridian's own namespace", async () => {
    const { keep, stored } = hub();
    const { namespace: _, ...metadata } = SHOP.metadata;
    await keep("a", { ...SHOP, metadata });
    expect(stored()).toMatchObject([{ apiVersion: "apps/v1", metadata: { namespace: "meridian-system" } }]);
  });

  test("holds one MiB, and not a byte more; ConfigMaps that are too much are left out", async () => {
    const { revisions, read, manager } = hub();
    const filled = (bytes: number): RevisionContent => content("x".repeat(bytes - JSON.stringify(content("")).length));
    const kept = (what: RevisionContent, number: number) =>
      revisions.keep(SHOP, { content: what, hash: `h${number}`, number, index: [] }, signal);
    expect(await kept(filled(1024 * 1024), 1)).toMatchObject({ kind: "Kept" });
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const full = await kept({ ...filled(1024 * 1024), configMaps: [configMap] }, 2);
    if (full.kind === "Refused") throw new Error("refused");
    expect(await manager().read(SHOP, [full.revision], 2, signal)).toEqual({
      kind: "Proven",
      content: filled(1024 * 1024),
    });
    expect(await kept(filled(1024 * 1024 + 1), 3)).toEqual({
      kind: "Refused",
      why: {
        reason: "RevisionTooLarge",
        message:
          "DemoApplication shop is larger than 1 MiB: no revision can hold it; remove the rollout from its policy",
      },
    });
    expect(await read(3)).toMatchObject({ kind: "Unusable" });
  });

  test("is not made of what is nested deeper than a revision may be", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(contentHash({ object: { ...SHOP, spec: deep }, overrides: [] })).toBeUndefined();
    expect(contentHash(content("a"))).toMatch(/^[\w-]{43}$/);
  });
});

describe("what a revision holds", () => {
  test("is believed as far as the index proves it, by the next manager too", async () => {
    const { keep, read, manager, calls } = hub();
    await keep("a");
    calls();
    const next = manager();
    expect(await read(1, next)).toEqual({ kind: "Proven", content: content("a") });
    expect(await read(1, next)).toEqual({ kind: "Proven", content: content("a") });
    expect(calls()).toEqual(["get"]);
  });

  test.each<[string, unknown]>([
    ["changed", content("evil")],
    ["malformed", 7],
    ["gone", undefined],
  ])("counts as missing where it is %s, and the hub is asked once", async (_name, data) => {
    const { keep, read, forge, manager, calls } = hub();
    const kept = await keep("a");
    forge(kept, data);
    calls();
    const next = manager();
    expect(await read(1, next)).toMatchObject({ kind: "Unusable" });
    expect(await read(1, next)).toMatchObject({ kind: "Unusable", why: { reason: "RevisionChanged" } });
    expect(calls()).toEqual(["get"]);
  });

  test("is missing where somebody removed it, and where only the ControllerRevision claims its number", async () => {
    const { keep, read, client, put, manager } = hub();
    const { name } = await keep("a");
    put("forged", { revision: 9, data: content("evil") }, { annotations: { [REVISION_ANNOTATION]: "9" } });
    expect(await read(9)).toMatchObject({ kind: "Unusable", why: { reason: "RevisionMissing" } });
    client.server.delete(CONTROLLERREVISIONS, "default", name);
    expect(await read(1, manager())).toMatchObject({ kind: "Unusable", why: { reason: "RevisionMissing" } });
  });

  test("is another thing than what cannot be read now", async () => {
    const { keep, read, failing, manager } = hub();
    await keep("a");
    const next = manager();
    failing.set("get", { error: refused, phase: "before" });
    await expect(read(1, next)).rejects.toBe(refused);
    expect(await read(1, next)).toMatchObject({ kind: "Proven" });
  });
});

describe("a write whose answer is lost, or whose name is taken", () => {
  const lost = new ApiError(409, "AlreadyExists", "it exists");
  test("has happened: what is there is the revision", async () => {
    const { keep, failing, stored } = hub();
    failing.set("create", { error: refused, phase: "after" });
    await expect(keep("a")).rejects.toBe(refused);
    expect(await keep("a")).toMatchObject({ revision: 1, name: `shop-${hashOf(["u", "hash of a"])}` });
    expect(stored()).toHaveLength(1);
  });

  test("is not repeated while the status does not name the revision yet", async () => {
    const { revisions, wanted, calls } = hub();
    await revisions.keep(SHOP, wanted("a"), signal);
    await revisions.keep(SHOP, wanted("a"), signal);
    expect(calls()).toEqual(["create"]);
  });

  test.each<[string, object, object]>([
    ["another thing has its name", { data: content("evil") }, {}],
    ["the same thing is on its way out", { data: content("a") }, { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ])("gets another name where %s in advance", async (_name, body, metadata) => {
    const { keep, read, put, manager } = hub();
    const usual = `shop-${hashOf(["u", "hash of a"])}`;
    put(usual, body, metadata);
    const { name } = await keep("a");
    expect(name).toMatch(new RegExp(`^${usual}-[0-9a-f]{8}$`));
    expect(await read(1, manager())).toEqual({ kind: "Proven", content: content("a") });
  });

  test("is an error where it is refused twice", async () => {
    const { keep, failing, client } = hub();
    failing.set("create", { error: lost, phase: "before" });
    client.gate = ({ verb, phase }) => {
      if (verb === "create" && phase === "before") throw lost;
    };
    await expect(keep("a")).rejects.toBe(lost);
  });
});

describe("revisions beyond the limit", () => {
  test("are removed, the oldest first, and never those in use", async () => {
    const { keep, prune, stored, read, calls } = hub();
    for (const image of ["a", "b", "c", "d", "e"]) await keep(image);
    calls();
    expect(await prune(1, 1, 5)).toEqual([1, 4, 5]);
    expect([calls(), stored().length]).toEqual([["delete", "delete"], 3]);
    expect(await read(2)).toMatchObject({ kind: "Unusable" });
    expect(await prune(4)).toEqual([1, 4, 5]);
    expect(calls()).toEqual([]);
  });

  test("are removed once, whatever the status still names, and none where somebody was faster", async () => {
    const { keep, revisions, prune, client, calls } = hub();
    const [first, second] = [await keep("a"), await keep("b")];
    client.server.delete(CONTROLLERREVISIONS, "default", first.name);
    const bounds = { limit: 0, inUse: new Set([2]) };
    calls();
    for (const _ of [1, 2]) expect(await revisions.prune(SHOP, [first, second], bounds, signal)).toEqual([second]);
    expect(calls()).toEqual(["delete"]);
    expect(await prune(9)).toEqual([1, 2]);
  });

  test("stay where the hub does not remove them now", async () => {
    const { keep, prune, failing } = hub();
    for (const image of ["a", "b"]) await keep(image);
    failing.set("delete", { error: refused, phase: "before" });
    await expect(prune(0, 2)).rejects.toBe(refused);
    expect(await prune(0, 2)).toEqual([2]);
  });
});

describe("what the index does not name", () => {
  const labels = { [REVISION_OF_LABEL]: "u" };
  const ours = {
    labels,
    ownerReferences: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "s", uid: "u" }],
  };

  test("is removed once, where the index has begun anew, and nothing that is not marked as its own", async () => {
    const { keep, revisions, put, stored, calls } = hub();
    put("old", {}, ours);
    put("unowned", {}, { labels });
    const kept = await keep("a");
    calls();
    await revisions.removeLeftovers(SHOP, [kept], signal);
    await revisions.removeLeftovers(SHOP, [kept], signal);
    expect(calls()).toEqual(["list", "delete"]);
    expect(stored().map(({ metadata: { name } }) => name)).toEqual(["unowned", kept.name]);
  });
});
