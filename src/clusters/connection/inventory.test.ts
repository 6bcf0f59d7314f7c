import { describe, expect, test } from "vitest";
import { HUB_VERSION_ANNOTATION, type KubeObject } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { ApiError, type Client } from "../../runtime/index.ts";
import { hubVersionOf, withHubVersion } from "../model/hubVersion.ts";
import { takeInventory } from "./inventory.ts";

const signal = new AbortController().signal;
const node = (name: string, cpu: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { capacity: { cpu, memory: "1Gi", pods: "110" }, allocatable: { cpu, memory: "1Gi", pods: "110" } },
});

const NOTHING_SERVED = { "/api": { kind: "APIVersions" }, "/apis": { kind: "APIGroupList" } };

describe("the inventory of a cluster", () => {
  function member(answers: Record<string, unknown>, pages: (KubeObject[] | Error)[], nodes = true) {
    const asked: unknown[] = [];
    const client = {
      raw: (_method: string, path: string) => Promise.resolve(answers[path]),
      list: (type: { plural: string }, options: { continue?: string }) => {
        asked.push([type.plural, options.continue]);
        const page = pages[asked.length - 1];
        if (page instanceof Error) return Promise.reject(page);
        const isLast = asked.length >= pages.length;
        return Promise.resolve({
          items: page ?? [],
          resourceVersion: "1",
          continue: isLast ? "" : `page-${asked.length}`,
        });
      },
    };
    return { asked, taken: takeInventory(client as unknown as Client, { nodes }, signal) };
  }
  const group = (...versions: string[]) => ({ versions: versions.map((groupVersion) => ({ groupVersion })) });

  test("has the version, the APIs in order, and the capacity over all pages", async () => {
    const { asked, taken } = member(
      {
        "/version": { gitVersion: "v1.35.4" },
        "/api": { kind: "APIVersions", versions: ["v1"] },
        "/apis": { kind: "APIGroupList", groups: [group("batch/v1", "batch/v1beta1"), group("apps/v1")] },
      },
      [[node("a", "2")], [node("b", "3")]],
    );
    const findings = await taken;
    expect(findings).toMatchObject({
      kubernetesVersion: "v1.35.4",
      apis: ["apps/v1", "batch/v1", "batch/v1beta1", "v1"],
      capacity: { nodes: 2 },
    });
    expect(asked).toEqual([
      ["nodes", undefined],
      ["nodes", "page-1"],
    ]);
  });

  test("lacks what the cluster does not say", async () => {
    const { taken } = member({ "/version": {}, ...NOTHING_SERVED }, [[]]);
    const findings = await taken;
    expect(findings).not.toHaveProperty("kubernetesVersion");
    expect(findings.apis).toEqual([]);
    expect(await member(NOTHING_SERVED, [[]]).taken).not.toHaveProperty("kubernetesVersion");
  });

  test.each<[string, Record<string, unknown>]>([
    ["a version that is no text", { "/version": { gitVersion: 1 } }],
    ["a version without an end", { "/version": { gitVersion: "v".repeat(1_000_000) } }],
    ["APIs that are no list", { "/api": { kind: "APIVersions", versions: 5 } }],
    ["APIs that are no texts", { "/api": { kind: "APIVersions", versions: [{}] } }],
    [
      "an API with a name without an end",
      { "/apis": { kind: "APIGroupList", groups: [group("a".repeat(1_000_000))] } },
    ],
    ["groups that are no list", { "/apis": { kind: "APIGroupList", groups: "apps" } }],
    ["something else", { "/apis": { kind: "PodList", groups: [] } }],
    ["a text", { "/apis": "hello" }],
  ])("is a fault of the cluster where it sends %s", async (_what, answers) => {
    const { taken } = member({ ...NOTHING_SERVED, ...answers }, [[]]);
    await expect(taken).rejects.toMatchObject({ reason: "Protocol" });
  });

  test("is a fault of the cluster where it serves more than anybody reads", async () => {
    const groups = Array.from({ length: 6_000 }, (_, n) => group(`g${n}/v1`));
    const { taken } = member({ ...NOTHING_SERVED, "/apis": { kind: "APIGroupList", groups } }, [[]]);
    await expect(taken).rejects.toMatchObject({ reason: "TooLarge" });
  });

  test.each<[string, unknown]>([
    ["30 million digits", "1".repeat(30_000_000)],
    ["a number", 5],
    ["a map", {}],
  ])("is a fault of the cluster where a node has %s for a quantity", async (_what, cpu) => {
    const { taken } = member(NOTHING_SERVED, [[node("a", cpu as string)]]);
    await expect(taken).rejects.toMatchObject({
      reason: "Protocol",
      message: expect.stringMatching(/\/api\/v1\/nodes/),
    });
  });

  test("is a fault of the cluster where the same page comes again and again", async () => {
    const client = {
      cluster: "shanghai-1",
      raw: (_method: string, path: string) => Promise.resolve((NOTHING_SERVED as Record<string, unknown>)[path]),
      list: () => Promise.resolve({ items: [], resourceVersion: "1", continue: "more" }),
    } as unknown as Client;
    await expect(takeInventory(client, { nodes: true }, new AbortController().signal)).rejects.toMatchObject({
      reason: "Protocol",
    });
  });

  test("has no capacity where nodes may not be listed, and is none where they cannot be", async () => {
    const answers = NOTHING_SERVED;
    const { taken } = member(answers, [new ApiError(403, "Forbidden", "no")]);
    expect((await taken).capacity).toBeNull();
    const bounded = member(answers, [[node("a", "2")]], false);
    expect((await bounded.taken).capacity).toBeNull();
    expect(bounded.asked).toEqual([]);
    const broken = new ApiError(500, "InternalError", "broken");
    await expect(member(answers, [broken]).taken).rejects.toBe(broken);
  });
});

describe("the state of the hub on a member object", () => {
  const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", annotations: { b: "c" } } };
  const row = { verb: "Apply", object } as unknown as ApplyRow;

  test("is sent along, where it is known", () => {
    expect(withHubVersion(row)).toBe(row);
    const sent = withHubVersion({ ...row, hubVersion: "12" }).object;
    expect(sent.metadata.annotations).toEqual({ b: "c", [HUB_VERSION_ANNOTATION]: "12" });
    expect(object.metadata.annotations).toEqual({ b: "c" });
    expect(hubVersionOf(sent)).toBe("12");
  });

  test.each(["", "0", "012", "1x", "x1", "-1", "1".repeat(21)])("is unknown when it is %j", (version) => {
    expect(
      hubVersionOf({ ...object, metadata: { name: "a", annotations: { [HUB_VERSION_ANNOTATION]: version } } }),
    ).toBeUndefined();
  });

  test("may have twenty digits, and may be missing", () => {
    const annotations = { [HUB_VERSION_ANNOTATION]: "9".repeat(20) };
    expect(hubVersionOf({ ...object, metadata: { name: "a", annotations } })).toBe("9".repeat(20));
    expect(hubVersionOf({ ...object, metadata: { name: "a" } })).toBeUndefined();
  });
});
