import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { CONFIGMAPS, DEMOAPPLICATIONS, type ResourceType } from "../../runtime/index.ts";
import { ownerKey } from "./placedKinds.ts";
import { placeByHand, placedObject, WIDGETS, ZONES } from "../testing/placedByHand.ts";

/** Lets what has been promised come true. */
const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const widget = placedObject(WIDGETS, "a");
const WIDGETS_V2: ResourceType = { ...WIDGETS, version: "v2" };

describe("the kinds that are placed", () => {
  test("are those that the hub serves, each with what is known of it", () => {
    const { placed, informers, listed, news } = placeByHand(DEMOAPPLICATIONS, WIDGETS);
    expect(listed()).toEqual(["DemoApplication v1", "Widget v1"]);
    const [application, propagated] = placed.list;
    expect([application?.propagated, propagated?.propagated]).toEqual([false, true]);
    expect([application?.interpreter.kind, propagated?.interpreter.kind]).toEqual(["DemoApplication", "Widget"]);
    expect(placed.get("example.com", "Widget")).toBe(propagated);
    expect([placed.get("", "Widget"), placed.get("example.com", "Zone")]).toEqual([undefined, undefined]);
    expect(informers.map(({ type, known }) => [type, known])).toEqual([
      [DEMOAPPLICATIONS, []],
      [WIDGETS, []],
    ]);
    expect([[...placed.denied()], news()]).toEqual([[], []]);
  });

  test("are known when the catalog and every informer are", async () => {
    const { placed, hub, informer, news } = placeByHand(DEMOAPPLICATIONS, WIDGETS);
    informer(DEMOAPPLICATIONS).sync();
    await rest();
    expect([placed.synced, news()]).toEqual([false, ["changed", "read DemoApplication"]]);
    informer(WIDGETS).sync();
    await rest();
    expect([placed.synced, news()]).toEqual([true, ["changed", "read Widget"]]);
    hub.settled = false;
    expect(placed.synced).toBe(false);
    Object.assign(hub, { settled: true, complete: false });
    expect(placed.synced).toBe(false);
  });

  test.each<[string, ResourceType, string, string]>([
    ["of a namespace", WIDGETS, "shop/a", "example.com/Widget/shop/a"],
    ["without a namespace", ZONES, "a", "example.com/Zone//a"],
    ["of the core group", CONFIGMAPS, "shop/a", "/ConfigMap/shop/a"],
  ])("have objects that are found by their key: one %s", (_what, type, key, owner) => {
    const { placed, informer } = placeByHand(type);
    const object = placedObject(type, "a");
    informer(type).tell("Added", object);
    expect(ownerKey(type, key)).toBe(owner);
    expect(placed.object(owner)).toEqual({ object, kind: placed.list[0] });
    expect(placed.object(ownerKey(type, `${key}b`))).toBeUndefined();
    expect(placed.object(ownerKey({ ...type, kind: "Other" }, key))).toBeUndefined();
  });

  const names = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
  property.prop([names, names, fc.constantFrom("", "apps", "example.com"), fc.boolean()])(
    "have objects that are found by their key, whatever they are called",
    (namespace, name, group, namespaced) => {
      const type = { ...WIDGETS, group, namespaced };
      const { placed, informer } = placeByHand(type);
      const object = placedObject(type, name, namespaced ? { namespace } : {});
      informer(type).tell("Added", object);
      expect(placed.object(ownerKey(type, namespaced ? `${namespace}/${name}` : name))?.object).toBe(object);
    },
  );
});

describe("the watches", () => {
  test("run from when they may until the signal, and are waited for", async () => {
    const { placed, informer, informers } = placeByHand(DEMOAPPLICATIONS, WIDGETS);
    expect(informers.flatMap(({ signals }) => signals)).toEqual([]);
    const end = new AbortController();
    let isOver = false;
    const running = placed.run(end.signal).then(() => (isOver = true));
    expect(informers.map(({ signals }) => signals.map(({ aborted }) => aborted))).toEqual([[false], [false]]);
    informer(DEMOAPPLICATIONS).end();
    await rest();
    expect(isOver).toBe(false);
    end.abort(new Error("enough"));
    await rest();
    expect([isOver, informer(WIDGETS).signals[0]?.aborted]).toEqual([false, true]);
    informer(WIDGETS).end();
    await running;
  });

  test("of kinds that come later begin at once", async () => {
    const { placed, informer, serve } = placeByHand(DEMOAPPLICATIONS);
    const end = new AbortController();
    const running = placed.run(end.signal);
    serve(DEMOAPPLICATIONS, WIDGETS);
    expect(informer(DEMOAPPLICATIONS).signals).toHaveLength(1);
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([false]);
    end.abort();
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([true]);
    informer(DEMOAPPLICATIONS).end();
    informer(WIDGETS).end();
    await running;
  });

  test("do not begin after the signal", async () => {
    const { placed, informer, serve } = placeByHand(DEMOAPPLICATIONS);
    await placed.run(AbortSignal.abort());
    expect(informer(DEMOAPPLICATIONS).signals).toEqual([]);
    const late = placeByHand(DEMOAPPLICATIONS);
    const end = new AbortController();
    const running = late.placed.run(end.signal);
    end.abort();
    late.serve(DEMOAPPLICATIONS, WIDGETS);
    expect(late.informer(WIDGETS).signals).toEqual([]);
    late.informer(DEMOAPPLICATIONS).end();
    await running;
    late.serve(DEMOAPPLICATIONS);
    expect(late.listed()).toEqual(["DemoApplication v1", "Widget v1"]);
    serve();
    expect(placed.list).toHaveLength(1);
  });

  test("of a kind that has gone are waited for, too", async () => {
    const { placed, informer, serve } = placeByHand(WIDGETS);
    const end = new AbortController();
    let isOver = false;
    const running = placed.run(end.signal).then(() => (isOver = true));
    serve();
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([true]);
    end.abort();
    await rest();
    expect(isOver).toBe(false);
    informer(WIDGETS).end();
    await running;
  });

  test("tell that the kinds have changed, or that the hub has said more of them", async () => {
    const { placed, informer, serve, settlements, news } = placeByHand();
    const end = new AbortController();
    const running = placed.run(end.signal);
    await rest();
    settlements.emit();
    expect(news()).toEqual(["changed"]);
    serve(WIDGETS);
    expect(news()).toEqual(["changed"]);
    serve();
    expect(news()).toEqual(["changed"]);
    informer(WIDGETS).end();
    end.abort();
    await running;
    settlements.emit();
    serve(WIDGETS);
    expect(news()).toEqual([]);
  });
});

describe("a kind that the hub does not serve any more", () => {
  async function running(...types: ResourceType[]) {
    const made = placeByHand(...types);
    void made.placed.run(new AbortController().signal);
    for (const type of types) made.informer(type).sync();
    await rest();
    made.news();
    return made;
  }

  test("is let go of where it has no objects", async () => {
    const { placed, informer, serve, listed, lines, news } = await running(ZONES, WIDGETS);
    serve(ZONES);
    expect([listed(), placed.get("example.com", "Widget")]).toEqual([["Zone v1"], undefined]);
    expect([informer(WIDGETS).signals[0]?.aborted, informer(ZONES).signals[0]?.aborted]).toEqual([true, false]);
    expect([lines, news()]).toEqual([[], ["changed"]]);
    serve(ZONES, WIDGETS);
    expect(listed()).toEqual(["Zone v1", "Widget v1"]);
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("stays while objects of it are known, which is told once", async () => {
    const { informer, informers, serve, listed, lines, placed } = await running(WIDGETS);
    informer(WIDGETS).tell("Added", widget);
    serve();
    serve(ZONES);
    expect(listed()).toEqual(["Widget v1", "Zone v1"]);
    expect(placed.object("example.com/Widget/shop/a")?.object).toBe(widget);
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([false]);
    const line = {
      level: "warn",
      resource: "widgets",
      objects: 1,
      event_reason: "KindNotServed",
      msg: "the hub serves this kind no longer, but its objects were not seen deleted; what is on the members stays as it is",
    };
    expect(lines).toMatchObject([line]);
    expect(informer(WIDGETS).retries).toBe(0);

    serve(WIDGETS);
    expect([informer(WIDGETS).retries, listed(), informers.length]).toEqual([1, ["Widget v1"], 2]);
    serve(WIDGETS);
    expect(informer(WIDGETS).retries).toBe(1);
    serve();
    expect(lines).toMatchObject([line, line]);
  });

  test("goes with its last object, once everybody has heard of that", async () => {
    const { informer, placed, serve, listed, news } = await running(WIDGETS);
    const other = placedObject(WIDGETS, "b");
    for (const one of [widget, other]) informer(WIDGETS).tell("Added", one);
    serve();
    const heard: unknown[] = [];
    placed.subscribe(({ type, object }) => void heard.push([type, object.metadata.name, listed()]));
    heard.length = 0;
    news();
    informer(WIDGETS).tell("Updated", widget);
    await rest();
    expect(news()).toEqual([]);
    informer(WIDGETS).tell("Deleted", widget);
    await rest();
    expect([listed(), news()]).toEqual([["Widget v1"], ["departs Widget", "changed"]]);
    informer(WIDGETS).tell("Deleted", other);
    expect(listed()).toEqual(["Widget v1"]);
    await rest();
    expect([listed(), news()]).toEqual([[], ["departs Widget", "changed"]]);
    expect(heard).toEqual([
      ["Updated", "a", ["Widget v1"]],
      ["Deleted", "a", ["Widget v1"]],
      ["Deleted", "b", ["Widget v1"]],
    ]);
    expect(informer(WIDGETS).signals[0]?.aborted).toBe(true);
  });

  test("is not asked about with a deletion while the hub serves it", async () => {
    const { informer, listed, news } = await running(WIDGETS);
    informer(WIDGETS).tell("Added", widget);
    informer(WIDGETS).tell("Deleted", widget);
    await rest();
    expect([listed(), news()]).toEqual([["Widget v1"], ["departs Widget"]]);
  });
});

describe("a kind that changes", () => {
  test("is read in the other version, and what was known of its objects is known still", () => {
    const { placed, informer, informers, serve, listed } = placeByHand(WIDGETS, ZONES);
    void placed.run(new AbortController().signal);
    const nameless = { ...placedObject(WIDGETS, "b"), metadata: { name: "b", namespace: "shop" } };
    for (const one of [widget, nameless]) informer(WIDGETS).tell("Added", one);
    const before = informer(WIDGETS);
    serve(WIDGETS_V2, ZONES);
    expect(listed()).toEqual(["Zone v1", "Widget v2"]);
    expect(informers).toHaveLength(3);
    expect(informer(WIDGETS).known).toEqual([
      ["shop/a", { uid: "uid-a", object: widget }],
      ["shop/b", { uid: "", object: nameless }],
    ]);
    expect([before.signals[0]?.aborted, informer(WIDGETS).signals[0]?.aborted]).toEqual([true, false]);
  });

  test("is told where its objects keep their replicas elsewhere, and only then", () => {
    const { placed, informers, serve, news } = placeByHand(WIDGETS);
    void placed.run(new AbortController().signal);
    const scaled = { ...WIDGETS, scale: { spec: ["spec", "replicas"] } };
    serve(scaled);
    expect([news(), placed.list[0]?.type]).toEqual([["rescaled Widget", "changed"], scaled]);
    const same = { ...WIDGETS, scale: { spec: ["spec", "replicas"] } };
    serve(same);
    expect(news()).toEqual(["changed"]);
    expect(placed.list[0]?.type).toBe(same);
    serve(WIDGETS);
    expect(news()).toEqual(["rescaled Widget", "changed"]);
    expect(informers).toHaveLength(1);
  });
});
