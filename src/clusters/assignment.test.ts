import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { refKey } from "../apis/index.ts";
import { RowSum, type WorkDelta } from "../ports/index.ts";
import { CONFIGMAPS } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Assignment } from "./assignment.ts";
import { Phases } from "./model/phases.ts";
import { CONFIG_REF, deleteRow, objectsWithLog, row } from "./testing/builders.ts";

/** An assignment whose listener keeps its calls, and whose phases keep what they release. */
function assigned() {
  const parts = objectsWithLog();
  const calls: string[] = [];
  const released: string[] = [];
  const phases = new Phases(parts.objects, ({ ref }) => void released.push(ref.name));
  const assignment = new Assignment(parts.objects, phases, new FakeClock(), {
    epochBegan: (epoch) => void calls.push(`epoch ${epoch}`),
    kindsChanged: () => void calls.push("kinds"),
    expectedChanged: () => void calls.push("expected"),
    capacityChanged: () => void calls.push("capacity"),
  });
  return { ...parts, assignment, calls, released, phases };
}

describe("the rows of an assignment", () => {
  test("are withdrawn when a complete set lacks them, with the revision that they had", () => {
    const { assignment, take, see, find } = assigned();
    take(row());
    see();
    const rows = (): string[] => [...assignment.withRows()];
    expect(rows()).toEqual([find().key]);
    assignment.withdraw(rows());
    assignment.withdraw([find().key, "/ConfigMap/default/unknown"]);
    expect(rows()).toEqual([]);
    expect(find()).toMatchObject({ row: undefined, observed: { uid: "member-1" }, revision: 1 });
  });

  test("of one epoch do not acknowledge those of the next", () => {
    const { assignment, take, find, calls } = assigned();
    take(row());
    assignment.beginEpoch(2);
    expect([find().revision, find().row?.verb, calls]).toEqual([0, "Apply", ["epoch 2"]]);
  });

  test.each(["the last delta", "the end of the stream"])("wait for %s if they have phases", async (until) => {
    const { assignment, phases, find, released } = assigned();
    const delta = { kind: "Rows", rows: [{ ref: CONFIG_REF, row: row({ phase: 1 }), revision: 1 }] } as const;
    await assignment.take({ ...delta, more: true });
    expect(phases.mustWait(find())).toBe(true);
    phases.awaitTurn(find());
    if (until === "the last delta") await assignment.take({ kind: "Rows", rows: [] });
    else assignment.endStream();
    expect([phases.mustWait(find()), released]).toEqual([false, ["shop"]]);
  });
});

type Step = { name: string; has: "Apply" | "Delete" | "nothing" } | "epoch" | "withdraw all";
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        name: fc.constantFrom("a", "b", "c"),
        has: fc.constantFrom("Apply", "Delete", "nothing"),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom("epoch", "withdraw all") },
  ) as fc.Arbitrary<Step>,
  { maxLength: 20 },
);

test.prop([steps])("the checksum is that of the rows that were taken in this epoch", async (given) => {
  const { assignment, objects } = assigned();
  const revisions = new Map<string, number>();
  let revision = 0;
  for (const step of given) {
    if (step === "epoch") {
      assignment.beginEpoch(1);
      revisions.clear();
    } else if (step === "withdraw all") {
      assignment.withdraw(assignment.withRows());
      revisions.clear();
    } else {
      const ref = { ...CONFIG_REF, name: step.name };
      revision += 1;
      const asked = { Apply: row({ ref }), Delete: deleteRow({ ref }), nothing: undefined }[step.has];
      if (asked === undefined) revisions.delete(refKey(ref));
      else revisions.set(refKey(ref), revision);
      await assignment.take({ kind: "Rows", rows: [{ ref, row: asked, revision }] });
    }
    const sum = new RowSum();
    for (const [key, last] of revisions) sum.add(key, last);
    expect(assignment.checksum).toBe(sum.value);
    expect(objects.asked).toBe([...assignment.withRows()].length);
  }
});

describe("an assignment", () => {
  const kinds: WorkDelta = { kind: "Kinds", kinds: [CONFIGMAPS] };

  test("keeps kinds, the hub's record and the wish for capacity, and tells of each", async () => {
    const { assignment, calls } = assigned();
    expect([assignment.kinds, assignment.expected, assignment.isCapacityWanted]).toEqual([undefined, undefined, false]);
    await assignment.take(kinds);
    await assignment.take({ kind: "Expected", owners: ["a"] });
    await assignment.take({ kind: "Capacity", wanted: true });
    const served = { served: [CONFIGMAPS], others: [] };
    expect([assignment.kinds, assignment.expected, assignment.isCapacityWanted]).toEqual([served, ["a"], true]);
    expect(calls).toEqual(["kinds", "expected", "capacity"]);
  });

  test("expects nothing more after the first initial sync", async () => {
    const { assignment, calls } = assigned();
    assignment.expectNoMore();
    await assignment.take({ kind: "Expected", owners: ["a"] });
    expect([assignment.expected, calls]).toEqual([[], []]);
  });
});
