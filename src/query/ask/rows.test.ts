import { expect, test } from "vitest";
import { type ObjectFacts, Table } from "../table/index.ts";
import { identity, object, placed, T0 } from "../testing/fleet.ts";
import { SharedRows } from "./rows.ts";

function valuesOf(...states: readonly Partial<ObjectFacts>[]) {
  const table = new Table({ now: () => T0 });
  return states.map((state) => {
    table.commit({ objects: [object("shop", [placed("eu-1")], state)] });
    const value = table.object(identity("shop"));
    const row = value?.placed[0];
    if (value === undefined || row === undefined) throw new Error("the row is not there");
    return { value, row };
  });
}

test("a shared row is made once in a second, and again for another second or another object of it", () => {
  const shared = new SharedRows();
  const [old, changed] = valuesOf({ labels: { tier: "tin" } }, { labels: { tier: "gold" } });
  if (old === undefined || changed === undefined) throw new Error("there are two states");
  // The copy itself did not change.
  expect(changed.row).toBe(old.row);
  const first = shared.of(old.value, old.row, T0);
  expect(shared.of(old.value, old.row, T0 + 999)).toBe(first);
  expect(shared.of(old.value, old.row, T0 + 1_000)).toMatchObject({ observedAt: "2026-05-01T12:00:01Z" });
  expect(shared.of(changed.value, changed.row, T0 + 1_000)).toMatchObject({ labels: { tier: "gold" } });
  expect(shared.of(changed.value, undefined, T0)).toMatchObject({ clusters: { total: 1 } });
});
