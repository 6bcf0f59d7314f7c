import { describe, expect, test } from "vitest";
import { Feed } from "./feed.ts";

describe("a feed", () => {
  test("gives each item once, in the order of its first change", () => {
    using feed = new Feed<string>(new AbortController().signal);
    for (const item of ["b", "a", "b"]) feed.push(item);
    expect(feed.take()).toEqual(["b", "a"]);
    expect(feed.take()).toEqual([]);
    feed.push("b");
    expect(feed.take()).toEqual(["b"]);
  });

  test("wakes its reader for an item, for a call, and at the end", async () => {
    const stop = new AbortController();
    using feed = new Feed<string>(stop.signal);
    let woken = 0;
    const next = () => feed.filled().then(() => (woken += 1));
    let waiting = next();
    await Promise.resolve();
    expect(woken).toBe(0);
    feed.push("a");
    await waiting;
    waiting = next();
    await Promise.resolve();
    expect(woken).toBe(1);
    feed.wake();
    await waiting;
    waiting = next();
    stop.abort();
    await waiting;
    expect(woken).toBe(3);
    await feed.filled();
  });

  test("that was filled before is read at once", async () => {
    using feed = new Feed<string>(new AbortController().signal);
    feed.push("a");
    await feed.filled();
    expect(feed.take()).toEqual(["a"]);
  });
});
