import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, DEMOAPPLICATIONS, TransportError } from "../../runtime/index.ts";
import type { HubEvent } from "./events.ts";
import { placeByHand, placedObject, WIDGETS, ZONES } from "../testing/placedByHand.ts";

const FORBIDDEN = new ApiError(403, "Forbidden", "widgets is forbidden");
const NOT_FOUND = new ApiError(404, "NotFound", "no such resource");
const WIDGETS_V2 = { ...WIDGETS, version: "v2" };
const widget = placedObject(WIDGETS, "a");
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
    placed.subscribe((event) => void heard.push(event));
    news();
    informer(WIDGETS).answered();
    expect([listed(), denied(), news()]).toEqual([["Zone v1", "Widget v1"], [], ["changed", "denials"]]);
    informer(WIDGETS).answered();
    expect(news()).toEqual([]);
    informer(WIDGETS).tell("Added", widget);
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
    informer(WIDGETS).tell("Added", widget);
    informer(WIDGETS).answered(FORBIDDEN);
    expect([listed(), denied(), placed.synced]).toEqual([["Widget v1"], ["Widget"], true]);
    const heard: HubEvent<KubeObject>[] = [];
    placed.subscribe((event) => void heard.push(event));
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
    informer(WIDGETS).tell("Added", widget);
    informer(WIDGETS).answered(FORBIDDEN);
    serve();
    expect([listed(), denied()]).toEqual([["Widget v1"], ["Widget"]]);
    expect(placed.object("example.com/Widget/shop/a")?.object).toBe(widget);
  });

  test("serves in another version, hands on the objects that are known", () => {
    const { informer, serve, listed, denied } = running(WIDGETS);
    informer(WIDGETS).sync();
    informer(WIDGETS).tell("Added", widget);
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

test("the kinds that are no longer watched are told of no more: no denial is news", () => {
  const { serve, news } = running(ZONES, WIDGETS);
  serve(ZONES);
  expect(news()).toEqual(["changed"]);
});
