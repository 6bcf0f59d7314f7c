import fc from "fast-check";
import { expect, test } from "vitest";
import type { WaitFor } from "../../desiredstate/index.ts";
import { ObjectStates } from "./objectStates.ts";

const wait: fc.Arbitrary<WaitFor> = fc.record(
  { for: fc.constantFrom("contact", "turn", "others"), of: fc.constantFrom("a", "b") },
  { requiredKeys: ["for"] },
);
const step = fc.record({ owner: fc.constantFrom("shop", "cart"), waits: fc.array(wait, { maxLength: 3 }) });

test("finds, after any changes, exactly the objects that wait", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const waits = new ObjectStates().waits;
      const present = new Map<string, readonly WaitFor[]>();
      for (const [now, { owner, waits: next }] of steps.entries()) {
        waits.set(owner, next, now);
        present.set(owner, next);
      }
      for (const reason of ["contact", "turn", "others"] as const)
        for (const of of [undefined, "a", "b"]) {
          const meant = (one: WaitFor): boolean =>
            one.for === reason && (of === undefined || one.of === undefined || one.of === of);
          const want = [...present].flatMap(([owner, all]) => (all.some(meant) ? [owner] : []));
          expect(waits.for(reason, of).toSorted()).toEqual(want.toSorted());
          if (of === undefined)
            for (const owner of ["shop", "cart"]) expect(waits.has(owner, reason)).toBe(want.includes(owner));
        }
    }),
  );
});

test("a wait that goes on keeps its start; an added wait leaves the others", () => {
  const waits = new ObjectStates().waits;
  waits.set("shop", [{ for: "contact", of: "a" }], 1);
  waits.set("shop", [{ for: "contact", of: "a", until: 9 }, { for: "turn" }], 2);
  expect(waits.of("shop")).toEqual([
    { for: "contact", of: "a", until: 9, since: 1 },
    { for: "turn", since: 2 },
  ]);
  expect([waits.since("shop", "turn"), waits.since("shop", "gate")]).toEqual([2, undefined]);
  waits.add("shop", [{ for: "gate" }], 3);
  expect(waits.of("shop").map((one) => [one.for, one.since])).toEqual([
    ["contact", 1],
    ["turn", 2],
    ["gate", 3],
  ]);
});

test("are tallied by reason, with the start of the longest", () => {
  const { waits } = new ObjectStates();
  waits.set("shop", [{ for: "contact", of: "a" }, { for: "turn" }], 5);
  waits.set("cart", [{ for: "contact", of: "b" }], 3);
  const tally = waits.tally();
  expect(tally.get("contact")).toEqual({ objects: 2, since: 3 });
  expect(tally.get("turn")).toEqual({ objects: 1, since: 5 });
  expect(tally.get("gate")).toMatchObject({ objects: 0 });
});
