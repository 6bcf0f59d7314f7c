import { expect, test } from "vitest";
import { Handlers } from "./handlers.ts";

test("handlers are called in the order in which they were added, until they are removed", () => {
  const handlers = new Handlers<string>();
  const calls: string[] = [];
  const first = handlers.add((subject) => void calls.push(`first ${subject}`));
  handlers.add((subject) => void calls.push(`second ${subject}`));
  handlers.call("a");
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  handlers.call("b");
  expect(calls).toEqual(["first a", "second a", "second b"]);
});

test("a handler that adds or removes handlers changes the next call", () => {
  const handlers = new Handlers<string>();
  const calls: string[] = [];
  const once = handlers.add((subject) => {
    calls.push(`once ${subject}`);
    once[Symbol.dispose]();
    handlers.add((later) => void calls.push(`new ${later}`));
  });
  handlers.add((subject) => void calls.push(`last ${subject}`));
  handlers.call("a");
  handlers.call("b");
  expect(calls).toEqual(["once a", "last a", "last b", "new b"]);
});
