import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { HubEvent } from "./events.ts";
import { placeByHand, placedObject, WIDGETS, ZONES } from "../testing/placedByHand.ts";

const widget = placedObject(WIDGETS, "a");
const zone = placedObject(ZONES, "z");

function heardBy({ placed }: ReturnType<typeof placeByHand>) {
  const events: HubEvent<KubeObject>[] = [];
  const subscription = placed.subscribe((event) => void events.push(event));
  return { subscription, events, lines: () => events.map(({ type, key, initial }) => `${type} ${key} ${initial}`) };
}

describe("whoever follows the objects of all kinds", () => {
  test("has those that are there first, and then every change, by the keys among all kinds", () => {
    const made = placeByHand(WIDGETS, ZONES);
    made.informer(WIDGETS).tell("Added", widget);
    const { lines, events } = heardBy(made);
    expect(lines()).toEqual(["Added example.com/Widget/shop/a true"]);
    made.informer(ZONES).tell("Added", zone);
    const later = { ...widget, spec: {} };
    made.informer(WIDGETS).tell("Updated", later);
    made.informer(WIDGETS).tell("Deleted", later);
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
    made.informer(ZONES).tell("Added", zone);
    made.informer(WIDGETS).tell("Added", widget);
    expect(lines()).toEqual(["Added example.com/Zone//z false"]);
  });

  test("has those of the version that is read now", () => {
    const made = placeByHand(WIDGETS);
    void made.placed.run(new AbortController().signal);
    const { lines } = heardBy(made);
    const before = made.informer(WIDGETS);
    made.serve({ ...WIDGETS, version: "v2" });
    before.tell("Added", widget);
    expect(lines()).toEqual([]);
    made.informer(WIDGETS).tell("Added", widget);
    expect(lines()).toEqual(["Added example.com/Widget/shop/a false"]);
  });

  test("has nothing after the end of the subscription, also of kinds that come later", () => {
    const made = placeByHand(WIDGETS);
    void made.placed.run(new AbortController().signal);
    const [one, other] = [heardBy(made), heardBy(made)];
    one.subscription[Symbol.dispose]();
    made.serve(WIDGETS, ZONES);
    made.informer(WIDGETS).tell("Added", widget);
    made.informer(ZONES).tell("Added", zone);
    expect([one.lines(), other.lines()]).toEqual([
      [],
      ["Added example.com/Widget/shop/a false", "Added example.com/Zone//z false"],
    ]);
    other.subscription[Symbol.dispose]();
    made.informer(ZONES).tell("Updated", zone);
    expect(other.lines()).toHaveLength(2);
  });

  test("shares each event with the others, and none with another change", () => {
    const made = placeByHand(WIDGETS);
    const [one, other] = [heardBy(made), heardBy(made)];
    made.informer(WIDGETS).tell("Added", widget);
    made.informer(WIDGETS).tell("Updated", { ...widget, spec: {} });
    expect(one.lines()).toEqual(["Added example.com/Widget/shop/a false", "Updated example.com/Widget/shop/a false"]);
    expect(other.events[0]).toBe(one.events[0]);
    expect(other.events[1]).toBe(one.events[1]);
  });
});

describe("that an object goes", () => {
  const leaving = placedObject(WIDGETS, "a", { deletionTimestamp: "2026-11-22T10:00:00Z" });

  test("is told before anybody has the event", () => {
    const made = placeByHand(WIDGETS);
    made.placed.subscribe(({ type }) => void made.told.push(`heard ${type}`));
    made.informer(WIDGETS).tell("Added", widget);
    made.informer(WIDGETS).tell("Updated", leaving);
    expect(made.news()).toEqual(["heard Added", "departs Widget", "heard Updated"]);
  });

  test("is told once of each life", () => {
    const made = placeByHand(WIDGETS);
    made.informer(WIDGETS).tell("Added", widget);
    made.informer(WIDGETS).tell("Updated", leaving);
    made.informer(WIDGETS).tell("Updated", leaving);
    made.informer(WIDGETS).tell("Deleted", leaving);
    expect(made.news()).toEqual(["departs Widget"]);
  });
});
