import { describe, expect, test } from "vitest";
import { type ClusterContact, sameSight } from "./ports.ts";

const BASE: ClusterContact = {
  ok: true,
  synced: false,
  partlySynced: true,
  pending: false,
  unseen: new Map([
    ["/Secret", "no right"],
    ["apps/Deployment", "not served"],
  ]),
};

describe("as much is known of a cluster", () => {
  test.each<{ name: string; other: Partial<ClusterContact> }>([
    { name: "where all of that is the same", other: {} },
    {
      name: "whatever else is said of its contact",
      other: { ok: false, reason: "Away", message: "no", lastContact: 5 },
    },
    { name: "whatever the order of what is not seen", other: { unseen: new Map([...BASE.unseen].toReversed()) } },
  ])("$name", ({ other }) => {
    expect(sameSight(BASE, { ...BASE, ...other })).toBe(true);
  });

  test.each<{ name: string; other: Partial<ClusterContact> }>([
    { name: "everything is known of one", other: { synced: true } },
    { name: "one is not even known in part", other: { partlySynced: false } },
    { name: "one has yet to be read", other: { pending: true } },
    { name: "less is hidden on one", other: { unseen: new Map([["/Secret", "no right"]]) } },
    { name: "nothing is hidden on one", other: { unseen: new Map() } },
    {
      name: "something else is hidden on one",
      other: {
        unseen: new Map([
          ["/Secret", "no right"],
          ["/Service", "not served"],
        ]),
      },
    },
    {
      name: "something is hidden for another reason",
      other: {
        unseen: new Map([
          ["/Secret", "no right"],
          ["apps/Deployment", "broken"],
        ]),
      },
    },
  ])("but not where $name", ({ other }) => {
    const changed = { ...BASE, ...other };
    expect([sameSight(BASE, changed), sameSight(changed, BASE)]).toEqual([false, false]);
  });
});
