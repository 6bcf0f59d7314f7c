import { expect, test } from "vitest";
import type { EventRecord } from "../../observability/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { DelayedWarnings } from "./delayedWarnings.ts";

function waiting() {
  const clock = new FakeClock(0);
  const recorded: string[] = [];
  const events = { record: ({ note }: EventRecord) => void recorded.push(note) };
  const warnings = new DelayedWarnings({ clock, events });
  const warn = (key: string, note: string, isTrue = () => true): void => {
    const regarding = { apiVersion: "v1", kind: "ConfigMap", name: "x" };
    warnings.warn(key, { regarding, type: "Warning", reason: "NoPlacement", action: "Schedule", note }, isTrue);
  };
  return { clock, recorded, warnings, warn };
}

test("a warning is recorded some seconds later, when it is still true", async () => {
  const { clock, recorded, warn } = waiting();
  warn("a", "true");
  warn("b", "not any more", () => false);
  await clock.advance(2_999);
  expect(recorded).toEqual([]);
  await clock.advance(1);
  expect(recorded).toEqual(["true"]);
});

test("the last of one key counts, and has its own time", async () => {
  const { clock, recorded, warn } = waiting();
  warn("a", "first");
  await clock.advance(2_000);
  warn("a", "second");
  await clock.advance(2_000);
  expect(recorded).toEqual([]);
  await clock.advance(1_000);
  expect(recorded).toEqual(["second"]);
});
