import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { saidWait, waitTexts } from "./waitText.ts";

const T0 = Date.parse("2026-11-22T10:00:00Z");
const LATER = T0 + 60_000;

describe("a wait reads", () => {
  test.each<{ wait: Parameters<typeof saidWait>[0]; want: string }>([
    { wait: { for: "contact", of: "b", since: T0 }, want: "for reports of cluster b since 2026-11-22T10:00:00Z" },
    {
      wait: { for: "contact", since: T0, until: LATER },
      want: "for reports of its clusters since 2026-11-22T10:00:00Z, until 2026-11-22T10:01:00Z at the latest",
    },
    { wait: { for: "dependency" }, want: "for an object that it needs, which is being read on the hub" },
    { wait: { for: "dependency", of: "shop" }, want: "for namespace shop, which is being read on the hub" },
    { wait: { for: "turn" }, want: "for its turn among the rollouts of its policy" },
    { wait: { for: "gate" }, want: "for the gate of its rollout" },
    { wait: { for: "gate", of: "eu" }, want: "for the gate of stage eu" },
    { wait: { for: "capacity", of: "a" }, want: "for room on cluster a" },
    { wait: { for: "capacity" }, want: "for room on its clusters" },
    { wait: { for: "approval" }, want: "for a person to let it go on" },
    { wait: { for: "approval", of: "eu" }, want: "for a person to approve stage eu" },
    { wait: { for: "hubSync" }, want: "for the caches of the hub and the first plans of all objects" },
    { wait: { for: "others", until: Infinity }, want: "for other hub objects or managers" },
    { wait: { for: "window", since: T0, until: LATER }, want: "until 2026-11-22T10:01:00Z" },
    { wait: { for: "window", since: T0, until: Infinity }, want: "for a time since 2026-11-22T10:00:00Z" },
  ])("$want", ({ wait, want }) => expect(saidWait(wait).message).toBe(want));
});

test("a wait carries its times in RFC 3339", () => {
  expect(saidWait({ for: "gate", of: "eu", since: T0, until: LATER })).toMatchObject({
    ...{ for: "gate", of: "eu", since: "2026-11-22T10:00:00Z", until: "2026-11-22T10:01:00Z" },
  });
});

test("waits for several clusters are one text, with the earliest start and the latest end", () => {
  const said = ["a", "b", "c", "d"].map((of, i) => saidWait({ for: "contact", of, since: T0 + i, until: LATER + i }));
  const want = "for reports of clusters a, b, c and 1 more since 2026-11-22T10:00:00Z";
  expect(waitTexts(said)).toEqual([`${want}, until 2026-11-22T10:01:00Z at the latest`]);
  // One of them has no end, so all together have none.
  expect(waitTexts([...said, saidWait({ for: "contact", of: "e" })])).toEqual([want.replace("1 more", "2 more")]);
  expect(waitTexts([...said, saidWait({ for: "contact" })])).toEqual([
    "for reports of its clusters since 2026-11-22T10:00:00Z",
  ]);
});

const arbitraryWait = fc.record(
  {
    for: fc.constantFrom("contact", "turn", "gate", "capacity", "approval", "window", "others"),
    of: fc.constantFrom("a", "b"),
    since: fc.integer({ min: T0, max: LATER }),
    until: fc.integer({ min: T0, max: LATER }),
  },
  { requiredKeys: ["for"] },
);

property.prop([arbitraryWait])("alone and in a list, a wait reads the same", (wait) => {
  const said = saidWait(wait);
  expect(waitTexts([said])).toEqual([said.message]);
});
