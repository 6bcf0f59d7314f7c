import { describe, expect, onTestFinished, test } from "vitest";
import type { PlannerView } from "../../controllers/index.ts";
import { app, placement } from "../../controllers/testing/planning.ts";
import { degraded, reporting } from "../../controllers/testing/reporting.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { Engine } from "../ask/index.ts";
import { Feed } from "../feed/index.ts";
import { Table } from "../table/index.ts";
import { ALL } from "../testing/fleet.ts";
import { type FullObject, FullObjects, type FullOptions } from "./fullObjects.ts";

const SHOP = { kind: "DemoApplication", group: "paas.cmft.com", namespace: "default", name: "shop" };

/** Whole objects beside the placement and status controllers. */
async function full(...given: Parameters<typeof reporting>) {
  const all = await reporting(...given);
  const { clock, cache: hub, states, assignments, observations, contacts, reconciler: statuses, decisions } = all;
  const table = new Table({ now: () => clock.now() });
  const view: PlannerView = { states, assignments, observations, contacts, statuses, decisions };
  const feed = new Feed({ table, hub, view, clock, logger: logLines().logger });
  onTestFinished(() => feed[Symbol.dispose]());
  const outside = { now: () => clock.now(), random: () => 0.5, randomId: () => "id", pause: () => undefined };
  const engine = new Engine({ table, ...outside });
  const objects = new FullObjects({ table, hub, view, clock });
  const read = async (options: Partial<FullOptions> = {}): Promise<FullObject> => {
    await all.settle(100);
    await feed.caughtUp();
    const row = engine.get("federatedobjects", { object: SHOP }, ALL);
    return objects.of(row, engine.history(SHOP, ALL), { mayReadClusters: true, ...options });
  };
  return { ...all, read };
}

const three = { clusters: ["a", "b", "c"], placements: [placement(["a", "b"])] };

describe("a whole object", () => {
  test("has every cluster, the conditions, the explanation and the differences", async () => {
    const { complete, read, happens } = await full(three);
    await complete();
    happens("b", { ...degraded, hash: "an-older-hash" });
    const found = await read();
    expect(found).toMatchObject({
      ...SHOP,
      placed: [
        { cluster: "a", state: "Available", stale: false },
        { cluster: "b", stale: false },
      ],
      explanation: { scheduled: { status: "True" }, placement: { name: "everywhere" } },
      notes: [expect.stringContaining("no member was read")],
    });
    expect(found.conditions.map(({ type }) => type)).toContain("Scheduled");
    expect(found.explanation?.clusters.map(({ name, chosen, reason }) => [name, chosen, reason])).toEqual([
      ["a", true, "Selected"],
      ["b", true, "Selected"],
      ["c", false, "NotInAffinity"],
    ]);
    expect(found.differences.map(({ cluster, objects }) => [cluster, ...objects.map(({ change }) => change)])).toEqual([
      ["a", "None"],
      ["b", "Change"],
    ]);
  });

  test("lists more clusters than the written status does", async () => {
    const names = Array.from({ length: 120 }, (_, i) => `m${String(i).padStart(3, "0")}`);
    const { plan, carryOut, report, settle, read, status } = await full({
      clusters: names,
      placements: [placement(names)],
    });
    await plan();
    for (const name of names) carryOut(name);
    await report();
    await settle(1_000);
    const found = await read();
    expect(status()?.clusters ?? []).not.toHaveLength(names.length);
    expect(found.placed.map(({ cluster }) => cluster)).toEqual(names);
    expect(found.placed.every(({ state }) => state === "Available")).toBe(true);
  });

  test("says since when a lost cluster was not observed, and does not wait for it", async () => {
    const { complete, contact, clock, settle, read } = await full(three);
    await complete();
    const lastContact = clock.now();
    contact("b", { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact });
    await settle(60_000);
    const { placed, observedAt, stale } = await read();
    expect(placed.map((one) => [one.cluster, one.stale])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(Date.parse(placed[1]?.observedAt ?? "")).toBeLessThanOrEqual(lastContact);
    expect([observedAt, stale]).toEqual([placed[1]?.observedAt, true]);
  });

  test("is narrowed to the clusters that the request names", async () => {
    const { complete, read } = await full(three);
    await complete();
    const found = await read({ clusters: new Set(["b", "c"]) });
    expect(found.placed.map(({ cluster }) => cluster)).toEqual(["b"]);
    expect(found.explanation?.clusters.map(({ name }) => name)).toEqual(["b", "c"]);
    expect(found.differences.map(({ cluster }) => cluster)).toEqual(["b"]);
  });

  test("tells a reader without rights on clusters nothing of clusters where the object is not", async () => {
    const { complete, read } = await full(three);
    await complete();
    const { explanation, notes } = await read({ mayReadClusters: false });
    expect(explanation?.clusters).toMatchObject([
      { name: "a", chosen: true, steps: [], remedies: [] },
      { name: "b", chosen: true, steps: [], remedies: [] },
    ]);
    expect(notes).toContainEqual(expect.stringContaining("memberclusters"));
  });

  test("of an object that was not planned yet says that there is no explanation", async () => {
    const { read } = await full({ apps: [app()], placements: [placement(["a"])] });
    expect(await read()).toMatchObject({
      state: "Progressing",
      differences: [],
      notes: [expect.stringContaining("not planned it yet")],
    });
  });

  test("of an object that is being deleted says what the deletion waits for", async () => {
    const { complete, read, server, plan, report, settle } = await full(three);
    await complete();
    server.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { deletionTimestamp: "2026-05-01T12:00:00Z" } });
    await settle();
    await plan();
    await report();
    await settle(1_000);
    const { explanation, differences } = await read();
    expect(explanation?.deletion?.since).toEqual(expect.any(String));
    expect(differences.flatMap(({ objects }) => objects.map(({ change }) => change))).toEqual(["Remove", "Remove"]);
  });
});
