import { expect, test } from "vitest";
import { allOf } from "./allOf.ts";

test("the results come in the order of the requests", async () => {
  const late = Promise.withResolvers<string>();
  const all = allOf([late.promise, Promise.resolve(2)]);
  late.resolve("one");
  expect(await all).toEqual(["one", 2]);
});

test("the error is that of the first in the list, though another one fails sooner", async () => {
  const late = Promise.withResolvers<string>();
  const all = allOf([Promise.resolve(1), late.promise, Promise.reject(new Error("sooner"))]);
  await Promise.resolve();
  late.reject(new Error("first in the list"));
  await expect(all).rejects.toThrow("first in the list");
});
