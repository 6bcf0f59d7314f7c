import { describe, expect, test } from "vitest";
import { ApiError, type Client, type ResourceType } from "../../runtime/index.ts";
import { Feed } from "./feed.ts";
import { setFinalizers } from "../facts/finalizers.ts";

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

describe("the finalizers of an object", () => {
  const type = { plural: "demoapplications" } as ResourceType;
  const signal = new AbortController().signal;
  const answer = { apiVersion: "v1", kind: "X", metadata: { name: "shop" } };
  const set = async (metadata: object, next: readonly string[], error?: unknown) => {
    const calls: unknown[][] = [];
    const patch = (...call: unknown[]) => {
      calls.push(call);
      return error === undefined ? Promise.resolve(answer) : Promise.reject(error as Error);
    };
    const object = { metadata: { name: "shop", namespace: "default", uid: "u", ...metadata } };
    const result = await setFinalizers({ patch } as unknown as Client, type, object, next, signal);
    return { result, calls };
  };
  const isThisLife = { op: "test", path: "/metadata/uid", value: "u" };
  const isAlive = { op: "test", path: "/metadata/deletionTimestamp", value: null };
  const path = "/metadata/finalizers";

  test("are set where there were none", async () => {
    const { result, calls } = await set({}, ["a"]);
    expect(result).toBe(answer);
    expect(calls).toEqual([
      [
        type,
        "default",
        "shop",
        "application/json-patch+json",
        [isAlive, isThisLife, { op: "test", path, value: null }, { op: "add", path, value: ["a"] }],
        { signal },
      ],
    ]);
  });

  test("are taken away, provided that they are those that were seen, of the life that was seen", async () => {
    const deletionTimestamp = "2026-11-22T10:00:00Z";
    const { calls } = await set({ finalizers: ["a"], deletionTimestamp }, []);
    expect(calls[0]?.[4]).toEqual([
      { ...isAlive, value: deletionTimestamp },
      isThisLife,
      { op: "test", path, value: ["a"] },
      { op: "remove", path },
    ]);
  });

  test.each([
    [422, "Invalid"],
    [409, "Conflict"],
    [404, "NotFound"],
  ])("are not set on an object that has changed: %d", async (status, reason) => {
    const { result } = await set({}, ["a"], new ApiError(status, reason, "no"));
    expect(result).toBeUndefined();
  });

  test("fail aloud otherwise", async () => {
    const error = new ApiError(403, "Forbidden", "no");
    await expect(set({}, ["a"], error)).rejects.toBe(error);
  });
});
