import { expect, test } from "vitest";
import { rolloutCommandIn } from "./rolloutCommand.ts";

test("a command is read as it stands", () => {
  const command = {
    revision: 3,
    run: "2026-11-22T08:00:00Z",
    paused: true,
    abort: false,
    resumedAt: "2026-11-22T09:00:00Z",
    approvals: { canary: "mia" },
  };
  expect(rolloutCommandIn(JSON.stringify(command))).toEqual(command);
  expect(rolloutCommandIn('{"revision":0}')).toEqual({ revision: 0 });
});

test.each<[string, string | undefined]>([
  ["there is none", undefined],
  ["it is no JSON", "{"],
  ["it is empty", ""],
  ["it names no revision", '{"paused":true}'],
  ["its revision is no whole number", '{"revision":1.5}'],
  ["its revision is below nothing", '{"revision":-1}'],
  ["it has a field that nobody knows", '{"revision":1,"skip":true}'],
  ["its run is too long", JSON.stringify({ revision: 1, run: "x".repeat(65) })],
  ["its time is too long", JSON.stringify({ revision: 1, resumedAt: "x".repeat(65) })],
  ["it approves a stage without a name", '{"revision":1,"approvals":{"":"mia"}}'],
  ["a stage's name is too long", JSON.stringify({ revision: 1, approvals: { ["x".repeat(64)]: "mia" } })],
  ["who approved is too long", JSON.stringify({ revision: 1, approvals: { canary: "x".repeat(1025) } })],
])("nothing is understood where %s", (_what, text) => expect(rolloutCommandIn(text)).toBeUndefined());

test("an annotation is read up to 64 KiB", () => {
  const text = '{"revision":1}';
  expect(rolloutCommandIn(text.padEnd(64 * 1024))).toEqual({ revision: 1 });
  expect(rolloutCommandIn(text.padEnd(64 * 1024 + 1))).toBeUndefined();
});
