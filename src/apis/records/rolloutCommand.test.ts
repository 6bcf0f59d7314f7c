import { expect, test } from "vitest";
import { holdsOldApprovals, rolloutCommandIn } from "./rolloutCommand.ts";

test("a command is read as it stands", () => {
  const command = {
    revision: 3,
    run: "2026-11-22T08:00:00Z",
    paused: true,
    abort: false,
    resumedAt: "2026-11-22T09:00:00Z",
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
])("nothing is understood where %s", (_what, text) => expect(rolloutCommandIn(text)).toBeUndefined());

test("approvals of an earlier release count no more, and the pause beside them does", () => {
  const text = '{"revision":3,"paused":true,"approvals":{"canary":"mia"}}';
  expect(rolloutCommandIn(text)).toEqual({ revision: 3, paused: true });
  expect([text, '{"revision":3}', "{", undefined].map(holdsOldApprovals)).toEqual([true, false, false, false]);
});

test("an annotation is read up to 64 KiB", () => {
  const text = '{"revision":1}';
  expect(rolloutCommandIn(text.padEnd(64 * 1024))).toEqual({ revision: 1 });
  expect(rolloutCommandIn(text.padEnd(64 * 1024 + 1))).toBeUndefined();
});
