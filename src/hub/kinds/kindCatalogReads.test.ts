import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, MANIFESTBUNDLES, TransportError } from "../../runtime/index.ts";
import type { KindCatalog } from "./kindCatalog.ts";
import { catalogByHand, GADGETS, selects } from "../testing/discoveryHub.ts";
import { WIDGETS } from "../testing/placedByHand.ts";

describe("how often the hub is asked what it serves", () => {
  test("once for each kind that is new, and then no more", async () => {
    const { hub, catalog, clock, run, settle } = catalogByHand();
    hub.served.push(WIDGETS, GADGETS);
    void run();
    await settle(60_000);
    expect(hub.asked).toBe(0);
    catalog.select(selects("Widget"));
    await settle();
    expect([hub.asked, clock.pending]).toEqual([1, 0]);
    catalog.select([
      ...selects("Widget"),
      ...selects("Event", "v1"),
      ...selects("DemoApplication", "paas.cmft.com/v1"),
    ]);
    await settle(600_000);
    expect(hub.asked).toBe(1);
    catalog.select(selects("Gadget"));
    await settle();
    expect(hub.asked).toBe(2);
  });

  test.each<[number, number]>([
    [0, 5_000],
    [0.8, 6_000],
  ])("again while one is missing, sooner or later by chance (%d)", async (random, afterMs) => {
    const { hub, catalog, run, settle, clock } = catalogByHand({ random });
    void run();
    catalog.select(selects("Widget"));
    await settle();
    expect([hub.asked, clock.pending]).toEqual([1, 1]);
    await settle(afterMs - 1);
    expect(hub.asked).toBe(1);
    await settle(1);
    expect([hub.asked, clock.pending]).toEqual([2, 1]);
  });

  test("again after a failure, and at once when there is a reason", async () => {
    const { hub, catalog, run, settle, clock } = catalogByHand();
    hub.served.push(WIDGETS, GADGETS);
    hub.failure = new TransportError("ConnectionReset", "connection reset");
    void run();
    catalog.select(selects("Widget"));
    await settle(9_999);
    expect([hub.asked, clock.pending]).toEqual([1, 1]);
    catalog.select(selects("Gadget"));
    await settle();
    expect([hub.asked, clock.pending]).toEqual([2, 1]);
    hub.failure = undefined;
    await settle(9_999);
    expect(hub.asked).toBe(2);
    await settle(1);
    expect([hub.asked, clock.pending]).toEqual([3, 0]);
    expect(catalog.settled).toBe(true);
  });

  test("not more often than once a second, whoever wants to know", async () => {
    const { hub, clock, catalog } = catalogByHand();
    const { signal } = new AbortController();
    const { resources, unavailable } = await catalog.served(0, signal);
    expect(resources.map(({ kind }) => kind)).toEqual(["DemoApplication", "ManifestBundle"]);
    expect([...unavailable]).toEqual([]);
    const steps: [ms: number, maximumAgeMs: number, asked: number][] = [
      [1_000, 0, 1],
      [1, 0, 2],
      [3_000, 3_000, 2],
      [1, 3_000, 3],
      [3_001, 5_000, 3],
      [0, 0, 4],
    ];
    for (const [ms, maximumAgeMs, asked] of steps) {
      await clock.advance(ms);
      await catalog.served(maximumAgeMs, signal);
      expect(hub.asked).toBe(asked);
    }
  });

  test("during a question is no failure of the hub", async () => {
    const { hub, catalog, end, run, settle, lines } = catalogByHand();
    hub.opened = new Promise(() => undefined);
    const running = run();
    catalog.select(selects("Widget"));
    await settle();
    end.abort(new Error("over"));
    await running;
    expect([hub.asked, lines]).toEqual([1, []]);
  });
});

describe("a hub that does not say what it serves", () => {
  test("is told of once, and again after it has answered", async () => {
    const { hub, catalog, run, settle, lines, news } = catalogByHand();
    hub.served.push(WIDGETS);
    const failure = new TransportError("ConnectionReset", "connection reset");
    const msg = "the hub does not say which kinds it serves; those known stay as they are";
    hub.failure = failure;
    void run();
    catalog.select(selects("Widget"));
    await settle(10_000);
    expect(lines).toMatchObject([
      { level: "warn", msg, error: { message: "connection reset" } },
      { level: "debug", msg },
    ]);
    expect([catalog.settled, news]).toEqual([false, { changes: 0, settlements: 0 }]);
    hub.failure = undefined;
    await settle(10_000);
    await settle(1_001);
    hub.failure = failure;
    catalog.notFound(WIDGETS);
    await settle();
    expect(lines.slice(2)).toMatchObject([{ level: "warn", msg }]);
  });
});

describe("a kind that is missing", () => {
  test.each<[string, string[], boolean]>([
    ["can be listed and watched", ["list", "watch"], true],
    ["cannot be listed", ["get", "watch"], false],
    ["cannot be watched", ["get", "list"], false],
  ])("is one that cannot be followed: one that %s", async (_what, verbs, want) => {
    const { hub, catalog, run, settle } = catalogByHand();
    hub.served.push({ ...WIDGETS, verbs });
    void run();
    catalog.select(selects("Widget"));
    await settle();
    expect(catalog.servingState({ apiVersion: "example.com/v1", kind: "Widget" }) === "Namespaced").toBe(want);
  });

  test("is one that is required, too, which is served in another version alone", async () => {
    const { hub, catalog, run, settle, versions } = catalogByHand();
    hub.served = [{ ...DEMOAPPLICATIONS, version: "v2" }, MANIFESTBUNDLES];
    void run();
    catalog.notFound(DEMOAPPLICATIONS);
    await settle();
    expect([versions(), catalog.complete]).toEqual([["ManifestBundle v1alpha1"], false]);
    hub.served = [{ ...DEMOAPPLICATIONS, version: "v2" }, DEMOAPPLICATIONS];
    await settle(5_000);
    expect([versions(), catalog.complete]).toEqual([["DemoApplication v1"], true]);
    expect(catalog.hubKinds()[0]).toBe(DEMOAPPLICATIONS);
  });
});

describe("a part of the API that is away", () => {
  const servingState = (catalog: KindCatalog) => catalog.servingState({ apiVersion: "example.com/v1", kind: "Widget" });

  test("says nothing of its kinds: one that was served counts as served", async () => {
    const { hub, catalog, run, settle, lines, news, versions } = catalogByHand();
    hub.served.push(WIDGETS);
    void run();
    catalog.select(selects("Widget"));
    await settle();
    const [, , before] = catalog.hubKinds();
    Object.assign(hub, { served: [DEMOAPPLICATIONS, MANIFESTBUNDLES], stale: ["example.com"] });
    catalog.notFound(WIDGETS);
    await settle(1_001);
    catalog.notFound(WIDGETS);
    await settle();
    expect(hub.asked).toBe(2);
    expect(versions()).toEqual(["DemoApplication v1", "ManifestBundle v1alpha1", "Widget v1"]);
    expect([catalog.hubKinds()[2] === before, lines, news.changes]).toEqual([true, [], 1]);
    hub.stale = ["other.example.com"];
    await settle(1_001);
    catalog.notFound(WIDGETS);
    await settle();
    expect(servingState(catalog)).toBe("NotServed");
  });

  test("leaves open whether a kind that was never seen is served, and nobody waits for it", async () => {
    const { hub, catalog, run, settle, lines } = catalogByHand();
    hub.stale = ["example.com"];
    void run();
    catalog.select(selects("Widget"));
    await settle();
    expect([servingState(catalog), catalog.settled, lines]).toEqual(["Unknown", true, []]);
  });

  test("does not make a kind served that was missing", async () => {
    const { hub, catalog, run, settle, versions } = catalogByHand();
    hub.served = [MANIFESTBUNDLES];
    void run();
    catalog.notFound(DEMOAPPLICATIONS);
    await settle();
    hub.stale = ["paas.cmft.com"];
    await settle(5_000);
    expect([hub.asked, versions(), catalog.complete]).toEqual([2, ["ManifestBundle v1alpha1"], false]);
  });

  test("is asked again, so that a kind that was never seen is placed when it is there", async () => {
    const { hub, catalog, run, settle } = catalogByHand();
    hub.stale = ["example.com"];
    void run();
    catalog.select(selects("Widget"));
    await settle();
    Object.assign(hub, { served: [DEMOAPPLICATIONS, MANIFESTBUNDLES, WIDGETS], stale: [] });
    await settle(4_999);
    expect([hub.asked, servingState(catalog)]).toEqual([1, "Unknown"]);
    await settle(1);
    expect(servingState(catalog)).toBe("Namespaced");
    await settle(60_000);
    expect(hub.asked).toBe(2);
  });
});

describe("the version in which a kind is read", () => {
  test("stays the same while it is served", async () => {
    const { hub, catalog, run, settle, versions } = catalogByHand();
    const [v2, v3] = ["v2", "v3"].map((version) => ({ ...WIDGETS, version }));
    if (v2 === undefined || v3 === undefined) throw new Error("there are two");
    hub.served.push(v2, v3);
    void run();
    catalog.select(selects("Widget"));
    await settle();
    expect(versions()[2]).toBe("Widget v2");
    hub.served = [DEMOAPPLICATIONS, MANIFESTBUNDLES, WIDGETS, v3, v2];
    await settle(1_001);
    catalog.notFound(WIDGETS);
    await settle();
    expect([hub.asked, versions()[2]]).toEqual([2, "Widget v2"]);
    hub.served = [DEMOAPPLICATIONS, MANIFESTBUNDLES, v3, WIDGETS];
    await settle(1_001);
    catalog.notFound(WIDGETS);
    await settle();
    expect(versions()[2]).toBe("Widget v1");
  });
});
