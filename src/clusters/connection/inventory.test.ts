import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError } from "../../runtime/index.ts";
import { takeInventory } from "./inventory.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const { signal } = new AbortController();
const node = (name: string, cpu: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { allocatable: { cpu, memory: "1Gi", pods: "110" } },
});
const group = (...versions: string[]) => ({ versions: versions.map((groupVersion) => ({ groupVersion })) });
const groups = (...given: object[]) => ({ "/apis": { kind: "APIGroupList", groups: given } });
const versions = (given: unknown) => ({ "/api": { kind: "APIVersions", versions: given } });
const NOTHING_SERVED = { "/api": { kind: "APIVersions" }, "/apis": { kind: "APIGroupList" } };

/** Inventory of a member with these answers by path and these pages of nodes. */
function inventory(answers: Record<string, unknown>, pages: (KubeObject[] | Error)[] = [[]], nodes = true) {
  const given: Record<string, unknown> = { ...NOTHING_SERVED, ...answers };
  const lists: unknown[] = [];
  const client = new ScriptedClient(({ verb, what, options }) => {
    if (verb === "raw") return given[what.replace("GET ", "")];
    lists.push([what, options["continue"]]);
    const page = pages[lists.length - 1] ?? [];
    const next = lists.length >= pages.length ? "" : `page-${lists.length}`;
    return page instanceof Error ? page : { items: page, resourceVersion: "1", continue: next };
  });
  return { client, lists, taken: takeInventory(client.client, { nodes }, signal) };
}

describe("the inventory of a cluster", () => {
  test("has the version, the sorted APIs, and the capacity over all pages", async () => {
    const { lists, taken } = inventory(
      {
        "/version": { gitVersion: "v1.35.4" },
        ...versions(["v1"]),
        ...groups(group("batch/v1", "batch/v1beta1"), group("apps/v1")),
      },
      [[node("a", "2")], [node("b", "3")]],
    );
    const apis = ["apps/v1", "batch/v1", "batch/v1beta1", "v1"];
    expect(await taken).toMatchObject({ kubernetesVersion: "v1.35.4", apis, capacity: { nodes: 2, cpu: "5" } });
    expect(lists.map((list) => (list as unknown[])[1])).toEqual([undefined, "page-1"]);
  });

  test.each([{}, { "/version": {} }])("has no version that the cluster does not give: %j", async (answers) => {
    expect(await inventory(answers).taken).toStrictEqual({ apis: [], capacity: { nodes: 0 } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a version that is no text", { "/version": { gitVersion: 1 } }, "Protocol"],
    ["an endless version", { "/version": { gitVersion: "v".repeat(1_000_000) } }, "Protocol"],
    ["versions that are no list", versions(5), "Protocol"],
    ["versions that are no texts", versions([{}]), "Protocol"],
    ["an endless API name", groups(group("a".repeat(1_000_000))), "Protocol"],
    ["groups that are no list", { "/apis": { kind: "APIGroupList", groups: "apps" } }, "Protocol"],
    ["another kind", { "/apis": { kind: "PodList", groups: [] } }, "Protocol"],
    ["a text", { "/apis": "hello" }, "Protocol"],
    ["too many groups", groups(...Array.from({ length: 6_000 }, (_, n) => group(`g${n}/v1`))), "TooLarge"],
  ])("fails when the cluster sends %s", async (_, answers, reason) => {
    await expect(inventory(answers).taken).rejects.toMatchObject({ reason });
  });

  test.each([["1".repeat(30_000_000)], [5], [{}]])("fails for a malformed quantity of a node: %#", async (cpu) => {
    const message = expect.stringMatching(/\/api\/v1\/nodes/) as string;
    await expect(inventory({}, [[node("a", cpu)]]).taken).rejects.toMatchObject({ reason: "Protocol", message });
  });

  test("fails when the list of nodes does not end", async () => {
    const client = new ScriptedClient(({ verb, what }) => {
      if (verb === "raw") return (NOTHING_SERVED as Record<string, unknown>)[what.replace("GET ", "")];
      return { items: [], resourceVersion: "1", continue: "more" };
    });
    await expect(takeInventory(client.client, { nodes: true }, signal)).rejects.toMatchObject({ reason: "Protocol" });
  });

  test("has no capacity if nodes may not be listed or need not be read, and fails for another error", async () => {
    expect((await inventory({}, [new ApiError(403, "Forbidden", "no")]).taken).capacity).toBeNull();
    const bounded = inventory({}, [[node("a", "2")]], false);
    expect([(await bounded.taken).capacity, bounded.lists]).toEqual([null, []]);
    const broken = new ApiError(500, "InternalError", "broken");
    await expect(inventory({}, [broken]).taken).rejects.toBe(broken);
  });
});
