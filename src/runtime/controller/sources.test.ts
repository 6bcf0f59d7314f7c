import { describe, expect, test } from "vitest";
import { Emitter, from, type Keys } from "./sources.ts";

/** What a source enqueues, as `key` or `key+ms`. */
function enqueued(): { list: string[]; enqueue: (keys: Keys, afterMs?: number) => void } {
  const list: string[] = [];
  const enqueue = (keys: Keys, afterMs?: number): void => {
    for (const key of typeof keys === "string" ? [keys] : (keys ?? []))
      if (key !== undefined) list.push(afterMs === undefined ? key : `${key}+${afterMs}`);
  };
  return { list, enqueue };
}

describe("a source", () => {
  test("enqueues the key of an event, or the event itself when it is a string", () => {
    const { list, enqueue } = enqueued();
    const objects = new Emitter<{ key: string }>();
    const names = new Emitter<string>();
    using _objects = from(objects).subscribe(enqueue);
    using _names = from(names).subscribe(enqueue);
    objects.emit({ key: "ns/a" });
    names.emit("b");
    expect(list).toEqual(["ns/a", "b"]);
  });

  test("takes only the events that its predicates hold for, and maps them to none, one or many keys", () => {
    const { list, enqueue } = enqueued();
    const numbers = new Emitter<number>();
    const source = from(numbers)
      .when((n) => n > 0)
      .when((n) => n < 10)
      .map((n) => (n === 1 ? undefined : n === 2 ? "two" : Array.from({ length: n }, (_, i) => `${n}.${i}`)));
    using _subscription = source.subscribe(enqueue);
    for (const n of [-1, 1, 2, 3, 10]) numbers.emit(n);
    expect(list).toEqual(["two", "3.0", "3.1", "3.2"]);
  });

  test("puts off what it should, by the event or in general", () => {
    const { list, enqueue } = enqueued();
    const names = new Emitter<string>();
    using _general = from(names).after(200).subscribe(enqueue);
    using _each = from(names)
      .map((name) => `each-${name}`)
      .after((name) => (name === "late" ? 5 : undefined))
      .subscribe(enqueue);
    names.emit("late");
    names.emit("now");
    expect(list).toEqual(["late+200", "each-late+5", "now+200", "each-now"]);
  });

  test("is only a declaration until it is subscribed, and ends with its subscription", () => {
    const { list, enqueue } = enqueued();
    const names = new Emitter<string>();
    const source = from(names);
    names.emit("before");
    const subscription = source.subscribe(enqueue);
    names.emit("during");
    subscription[Symbol.dispose]();
    names.emit("after");
    expect(list).toEqual(["during"]);
  });

  test("takes an informer, by its follow", () => {
    const { list, enqueue } = enqueued();
    const informer = {
      follow(handler: (event: { key: string }) => void): Disposable {
        handler({ key: "present" });
        return { [Symbol.dispose]: () => undefined };
      },
    };
    using _subscription = from(informer).subscribe(enqueue);
    expect(list).toEqual(["present"]);
  });
});

describe("an emitter", () => {
  test("hands every event to every subscriber in order, also what a handler causes", () => {
    const numbers = new Emitter<number>();
    const seen: number[] = [];
    using _first = numbers.subscribe((n) => {
      if (n === 1) numbers.emit(2);
    });
    using _second = numbers.subscribe((n) => void seen.push(n));
    numbers.emit(1);
    expect(seen).toEqual([1, 2]);
  });

  test("throws what a handler threw when all have had the event", () => {
    const numbers = new Emitter<number>();
    const seen: number[] = [];
    using _first = numbers.subscribe(() => {
      throw new Error("broken handler");
    });
    using _second = numbers.subscribe((n) => void seen.push(n));
    expect(() => numbers.emit(1)).toThrow("broken handler");
    expect(seen).toEqual([1]);
  });

  test("knows two subscriptions of one function apart", () => {
    const numbers = new Emitter<number>();
    const seen: number[] = [];
    const handler = (n: number): void => void seen.push(n);
    const first = numbers.subscribe(handler);
    using _second = numbers.subscribe(handler);
    first[Symbol.dispose]();
    numbers.emit(1);
    expect(seen).toEqual([1]);
  });
});
