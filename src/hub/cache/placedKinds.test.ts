import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { ApiError, DEMOAPPLICATIONS, type ResourceType, TransportError } from "../../runtime/index.ts";
import { ownerKey } from "./placedKinds.ts";
import { placeByHand, placedObject, WIDGETS, ZONES } from "../testing/placedByHand.ts";
import type { KubeObject } from "../../apis/index.ts";
import type { HubEvent } from "./events.ts";

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

  const names = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
  property.prop([names, names, fc.constantFrom("", "apps", "example.com"), fc.boolean()])(
    "have objects that are found by their key, whatever they are called",
    (namespace, name, group, namespaced) => {
      const type = { ...WIDGETS, group, namespaced };
      const { placed, informer } = placeByHand(type);
      const object = placedObject(type, name, namespaced ? { namespace } : {});
      informer(type).emit("Added", object);
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
    informer(WIDGETS).emit("Added", widget);
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
    for (const one of [widget, other]) informer(WIDGETS).emit("Added", one);
    serve();
    const heard: unknown[] = [];
    placed.onEvent(({ type, object }) => void heard.push([type, object.metadata.name, listed()]));
    heard.length = 0;
    news();
    informer(WIDGETS).emit("Updated", widget);
    await rest();
    expect(news()).toEqual([]);
    informer(WIDGETS).emit("Deleted", widget);
    await rest();
    expect([listed(), news()]).toEqual([["Widget v1"], ["departs Widget", "changed"]]);
    informer(WIDGETS).emit("Deleted", other);
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
});

describe("a kind that changes", () => {
  test("is read in the other version, and what was known of its objects is known still", () => {
    const { placed, informer, informers, serve, listed } = placeByHand(WIDGETS, ZONES);
    void placed.run(new AbortController().signal);
    const nameless = { ...placedObject(WIDGETS, "b"), metadata: { name: "b", namespace: "shop" } };
    for (const one of [widget, nameless]) informer(WIDGETS).emit("Added", one);
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

const zone = placedObject(ZONES, "z");

function heardBy({ placed }: ReturnType<typeof placeByHand>) {
  const events: HubEvent<KubeObject>[] = [];
  const subscription = placed.onEvent((event) => void events.push(event));
  return { subscription, events, lines: () => events.map(({ type, key, initial }) => `${type} ${key} ${initial}`) };
}

describe("whoever follows the objects of all kinds", () => {
  test("has those that are there first, and then every change, by the keys among all kinds", () => {
    const made = placeByHand(WIDGETS, ZONES);
    made.informer(WIDGETS).emit("Added", widget);
    const { lines, events } = heardBy(made);
    expect(lines()).toEqual(["Added example.com/Widget/shop/a true"]);
    made.informer(ZONES).emit("Added", zone);
    const later = { ...widget, spec: {} };
    made.informer(WIDGETS).emit("Updated", later);
    made.informer(WIDGETS).emit("Deleted", later);
    expect(lines().slice(1)).toEqual([
      "Added example.com/Zone//z false",
      "Updated example.com/Widget/shop/a false",
      "Deleted example.com/Widget/shop/a false",
    ]);
    expect(events[2]).toEqual({
      type: "Updated",
      key: "example.com/Widget/shop/a",
      object: later,
      old: widget,
      initial: false,
    });
  });

  test("has those of kinds that come later, and none of a kind that has gone", () => {
    const made = placeByHand(WIDGETS);
    void made.placed.run(new AbortController().signal);
    const { lines } = heardBy(made);
    made.serve(ZONES);
    made.informer(ZONES).emit("Added", zone);
    made.informer(WIDGETS).emit("Added", widget);
    expect(lines()).toEqual(["Added example.com/Zone//z false"]);
  });

  test("has nothing after the end of the subscription, also of kinds that come later", () => {
    const made = placeByHand(WIDGETS);
    void made.placed.run(new AbortController().signal);
    const [one, other] = [heardBy(made), heardBy(made)];
    one.subscription[Symbol.dispose]();
    made.serve(WIDGETS, ZONES);
    made.informer(WIDGETS).emit("Added", widget);
    made.informer(ZONES).emit("Added", zone);
    expect([one.lines(), other.lines()]).toEqual([
      [],
      ["Added example.com/Widget/shop/a false", "Added example.com/Zone//z false"],
    ]);
    other.subscription[Symbol.dispose]();
    made.informer(ZONES).emit("Updated", zone);
    expect(other.lines()).toHaveLength(2);
  });
});

const FORBIDDEN = new ApiError(403, "Forbidden", "widgets is forbidden");
const NOT_FOUND = new ApiError(404, "NotFound", "no such resource");
const TOLD = {
  level: "warn",
  resource: "widgets",
  event_reason: "KindNotGranted",
  msg: "the manager may not read this kind on the hub; its objects are left as they are until it may",
};

function running(...types: Parameters<typeof placeByHand>) {
  const made = placeByHand(...types);
  void made.placed.run(new AbortController().signal);
  return made;
}

describe("a kind that the manager may not read", () => {
  test("is left out and told once, and the others are known without it", () => {
    const { placed, informer, listed, denied, news, lines } = running(ZONES, WIDGETS);
    informer(ZONES).sync();
    informer(WIDGETS).answered(FORBIDDEN);
    expect([listed(), denied(), placed.synced]).toEqual([["Zone v1"], ["Widget"], true]);
    expect(placed.get("example.com", "Widget")).toBeUndefined();
    expect(news()).toEqual(["changed", "denials"]);
    informer(WIDGETS).answered(FORBIDDEN);
    expect(news()).toEqual([]);
    expect(lines).toMatchObject([TOLD]);
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("is back when it may be read, and has been told of to those who came meanwhile", () => {
    const { placed, informer, listed, denied, news, lines } = running(ZONES, WIDGETS);
    informer(WIDGETS).answered(FORBIDDEN);
    const heard: HubEvent<KubeObject>[] = [];
    placed.onEvent((event) => void heard.push(event));
    news();
    informer(WIDGETS).answered();
    expect([listed(), denied(), news()]).toEqual([["Zone v1", "Widget v1"], [], ["changed", "denials"]]);
    informer(WIDGETS).answered();
    expect(news()).toEqual([]);
    informer(WIDGETS).emit("Added", widget);
    expect(heard.map(({ key }) => key)).toEqual(["example.com/Widget/shop/a"]);
    expect(lines).toHaveLength(1);
  });

  test("is another thing than one that fails otherwise", () => {
    const { informer, listed, denied, hub, lines } = running(WIDGETS);
    informer(WIDGETS).answered(new TransportError("ConnectionReset", "connection reset"));
    informer(WIDGETS).answered(new ApiError(500, "InternalError", "no"));
    informer(WIDGETS).answered();
    expect([listed(), denied(), hub.notFound, lines]).toEqual([["Widget v1"], [], [], []]);
  });

  test("is never one that is required", () => {
    const { informer, listed, denied, news } = running(DEMOAPPLICATIONS);
    informer(DEMOAPPLICATIONS).answered(FORBIDDEN);
    expect([listed(), denied(), news()]).toEqual([["DemoApplication v1"], [], []]);
  });

  test("stays where its objects are known already", () => {
    const { placed, informer, listed, denied } = running(WIDGETS);
    informer(WIDGETS).sync();
    informer(WIDGETS).emit("Added", widget);
    informer(WIDGETS).answered(FORBIDDEN);
    expect([listed(), denied(), placed.synced]).toEqual([["Widget v1"], ["Widget"], true]);
    const heard: HubEvent<KubeObject>[] = [];
    placed.onEvent((event) => void heard.push(event));
    expect(heard).toHaveLength(1);
    informer(WIDGETS).answered();
    expect([listed(), denied()]).toEqual([["Widget v1"], []]);
  });

  test("is not watched twice while others come and go", () => {
    const { informers, informer, serve, listed, denied } = running(WIDGETS);
    informer(WIDGETS).answered(FORBIDDEN);
    serve(WIDGETS, ZONES);
    expect([informers.length, listed(), denied()]).toEqual([2, ["Zone v1"], ["Widget"]]);
  });
});

describe("a kind that may not be read, and that the hub", () => {
  test("does not serve any more, is told of no longer", () => {
    const { informer, serve, denied, news } = running(ZONES, WIDGETS);
    informer(WIDGETS).answered(FORBIDDEN);
    news();
    serve(ZONES);
    expect([denied(), news()]).toEqual([[], ["denials", "changed"]]);
    expect(informer(WIDGETS).signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("serves in another version, is tried in that one", () => {
    const { informer, informers, serve, listed, denied, news } = running(WIDGETS);
    informer(WIDGETS).answered(FORBIDDEN);
    const before = informer(WIDGETS);
    news();
    serve(WIDGETS_V2);
    expect([listed(), denied(), news()]).toEqual([["Widget v2"], [], ["denials", "changed"]]);
    expect([informers.length, before.signals[0]?.aborted]).toEqual([2, true]);
    // What the one before still has to say is of no interest.
    before.answered(FORBIDDEN);
    expect([listed(), denied(), news()]).toEqual([["Widget v2"], [], []]);
  });

  test("does not serve any more, keeps the objects that are known", () => {
    const { placed, informer, serve, listed, denied } = running(WIDGETS);
    informer(WIDGETS).sync();
    informer(WIDGETS).emit("Added", widget);
    informer(WIDGETS).answered(FORBIDDEN);
    serve();
    expect([listed(), denied()]).toEqual([["Widget v1"], ["Widget"]]);
    expect(placed.object("example.com/Widget/shop/a")?.object).toBe(widget);
  });

  test("serves in another version, hands on the objects that are known", () => {
    const { informer, serve, listed, denied } = running(WIDGETS);
    informer(WIDGETS).sync();
    informer(WIDGETS).emit("Added", widget);
    informer(WIDGETS).answered(FORBIDDEN);
    serve(WIDGETS_V2);
    expect([listed(), denied()]).toEqual([["Widget v2"], []]);
    expect(informer(WIDGETS).known.map(([key]) => key)).toEqual(["shop/a"]);
  });
});

describe("a watch that is answered with 404", () => {
  test("makes the catalog ask, and takes nothing away", () => {
    const { informer, hub, listed, denied } = running(WIDGETS);
    informer(WIDGETS).answered(NOT_FOUND);
    expect([hub.notFound, listed(), denied()]).toEqual([[WIDGETS], ["Widget v1"], []]);
    informer(WIDGETS).answered();
    expect(hub.notFound).toHaveLength(1);
  });

  test("after it was refused, is refused no more", () => {
    const { informer, hub, denied } = running(WIDGETS);
    informer(WIDGETS).answered(FORBIDDEN);
    informer(WIDGETS).answered(NOT_FOUND);
    expect([hub.notFound, denied()]).toEqual([[WIDGETS], []]);
  });
});
