import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { FakeClock } from "../testing/fakeClock.ts";
import { BACKLOG_SHARE, KeyOrder } from "./keyOrder.ts";
import { from, Emitter } from "./sources.ts";
import { Workqueue } from "./workqueue.ts";

const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}${index}`);

test("a change goes before the backlog that was there first", () => {
  const order = new KeyOrder();
  for (const key of many(5_000, "old")) order.add(key, "Backlog");
  order.add("shop", "Change");
  expect(order.take()).toEqual({ key: "shop", class: "Change" });
  expect(order.take()).toEqual({ key: "old0", class: "Backlog" });
});

test("a key of the backlog that changes moves up, and is taken once", () => {
  const order = new KeyOrder();
  for (const key of ["a", "b", "c"]) order.add(key, "Backlog");
  order.add("c", "Change");
  order.add("c", "Backlog");
  expect([order.take(), order.take(), order.take(), order.take()]).toEqual([
    { key: "c", class: "Change" },
    { key: "a", class: "Backlog" },
    { key: "b", class: "Backlog" },
    undefined,
  ]);
});

const step = fc.oneof(
  fc.record({ key: fc.constantFrom(...many(6, "k")), class: fc.constantFrom("Change" as const, "Backlog" as const) }),
  fc.constant("take" as const),
);

property.prop([fc.array(step, { maxLength: 200, size: "max" })])(
  "each key is taken once for all of its waits, changes first",
  (steps) => {
    const order = new KeyOrder();
    const waiting = new Map<string, string>();
    let changes = 0;
    for (const one of [...steps, ...many(6, "").map(() => "take" as const)]) {
      if (one !== "take") {
        order.add(one.key, one.class);
        if (waiting.get(one.key) !== "Change") waiting.set(one.key, one.class);
        continue;
      }
      const taken = order.take();
      const classes = [...waiting.values()];
      if (taken === undefined) {
        expect(classes).toEqual([]);
        continue;
      }
      expect(waiting.get(taken.key)).toBe(taken.class);
      if (taken.class === "Backlog" && classes.includes("Change")) expect(changes).toBe(BACKLOG_SHARE - 1);
      waiting.delete(taken.key);
      changes = taken.class === "Change" && [...waiting.values()].includes("Backlog") ? changes + 1 : 0;
      expect(changes).toBeLessThan(BACKLOG_SHARE);
    }
    expect(waiting.size).toBe(0);
  },
);

test("a key that is woken stays in the backlog, and is a change where it does not wait", () => {
  const order = new KeyOrder();
  for (const key of many(5_000, "old")) order.add(key, "Backlog");
  for (const key of many(5_000, "old")) order.add(key, "Wake");
  order.add("woken", "Wake");
  order.add("shop", "Change");
  expect([order.take()?.key, order.take()?.key, order.take()?.key]).toEqual(["woken", "shop", "old0"]);
});

test("the backlog goes on while there are always changes", () => {
  const order = new KeyOrder();
  for (const key of many(10, "old")) order.add(key, "Backlog");
  const taken: string[] = [];
  for (let turn = 0; turn < 10 * BACKLOG_SHARE; turn += 1) {
    order.add(`new${turn}`, "Change");
    taken.push(order.take()?.key ?? "");
  }
  expect(taken.filter((key) => key.startsWith("old"))).toHaveLength(10);
});

test("events of an initial list are backlog; a retry keeps the class", async () => {
  const clock = new FakeClock();
  const queue = new Workqueue({ name: "test", clock, random: () => 0 });
  const events = new Emitter<{ key: string; initial?: boolean }>();
  using _source = from(events).subscribe((key, afterMs = 0, of) => {
    if (typeof key === "string") queue.addAfter(key, afterMs, of);
  });
  for (const key of ["a", "b"]) events.emit({ key, initial: true });
  events.emit({ key: "c" });
  expect([await queue.get(), queue.classOf("c")]).toEqual(["c", "Change"]);
  expect([await queue.get(), queue.classOf("a")]).toEqual(["a", "Backlog"]);
  queue.addRateLimited("a");
  queue.done("a");
  await clock.advance(60_000);
  events.emit({ key: "d" });
  expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["d", "b", "a"]);
});
