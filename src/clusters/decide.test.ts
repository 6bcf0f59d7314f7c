import { describe, expect, test } from "vitest";
import type { DesiredRow } from "../desiredstate/index.ts";
import { decide } from "./decide.ts";
import type { ObservedObject } from "./observed.ts";
import { refKey } from "../apis/index.ts";
import { CONFIG_REF, OWNER_KEY, row, seen, tableWithLog } from "./testing/builders.ts";

interface Case {
  name: string;
  desired?: DesiredRow;
  observed?: ObservedObject;
  release?: "Delete" | "Orphan";
  deletesAllowed?: boolean;
  want: string;
}

describe("decide", () => {
  test.each<Case>([
    { name: "what is wanted and not there is created", desired: row(), want: "Create" },
    { name: "what is as wanted is left alone", desired: row(), observed: seen(), want: "Nothing" },
    { name: "another hash is applied", desired: row({ hash: "h2" }), observed: seen(), want: "Update" },
    { name: "a lost field is taken back", desired: row(), observed: seen({ owns: false }), want: "Update" },
    {
      name: "what is held is neither written",
      desired: row({ mode: "Hold", hash: "h2" }),
      observed: seen(),
      want: "Nothing",
    },
    { name: "nor created", desired: row({ mode: "Hold" }), want: "Nothing" },
    {
      name: "what is on its way out is waited for",
      desired: row({ hash: "h2" }),
      observed: seen({ deleting: true }),
      want: "Nothing",
    },
    { name: "what nobody wants is deleted", observed: seen(), want: "Delete" },
    { name: "or let go of, when the policy says so", observed: seen(), release: "Orphan", want: "Release" },
    { name: "but not before every cache has synced", observed: seen(), deletesAllowed: false, want: "Held" },
    { name: "and only once", observed: seen({ deleting: true }), want: "Nothing" },
  ])("$name", ({ desired, observed, release = "Delete", deletesAllowed = true, want }) => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [desired ?? row()], { release: "Delete", monotonic: 0 });
    if (observed !== undefined) table.observe("shanghai-1", CONFIG_REF, observed, 1);
    if (desired === undefined) table.replace(OWNER_KEY, [], { release, monotonic: 2 });
    const entry = table.get("shanghai-1", refKey(CONFIG_REF));
    expect(entry && decide(entry, deletesAllowed).kind).toBe(want);
  });

  test("a delete names the life of the object that was seen", () => {
    const { table } = tableWithLog();
    table.observe("shanghai-1", CONFIG_REF, seen({ uid: "life-2" }), 1);
    const entry = table.get("shanghai-1", refKey(CONFIG_REF));
    expect(entry && decide(entry, true)).toEqual({ kind: "Delete", uid: "life-2" });
  });
});
