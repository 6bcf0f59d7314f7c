import { expect, test } from "vitest";
import { type ClusterContact, sameReadability } from "./clusterContact.ts";

const unreadable = (...kinds: [string, string][]) => ({ unreadable: new Map(kinds) });
const SECRET: [string, string] = ["/Secret", "no permission"];
const DEPLOYMENT: [string, string] = ["apps/Deployment", "not served"];
const BASE: ClusterContact = {
  ...{ ok: true, synced: false, partlySynced: true, pending: false },
  ...unreadable(SECRET, DEPLOYMENT),
};

test.each<[string, Partial<ClusterContact>, boolean]>([
  ["nothing changed", {}, true],
  ["only the contact changed", { ok: false, reason: "Away", message: "no", lastContact: 5 }, true],
  ["only the order changed", unreadable(DEPLOYMENT, SECRET), true],
  ["one is synced", { synced: true }, false],
  ["one is not partly synced", { partlySynced: false }, false],
  ["one is pending", { pending: true }, false],
  ["one kind more is readable", unreadable(SECRET), false],
  ["all kinds are readable", unreadable(), false],
  ["another kind is unreadable", unreadable(SECRET, ["/Service", "not served"]), false],
  ["the reason changed", unreadable(SECRET, ["apps/Deployment", "broken"]), false],
])("when %s, it is known whether the readability is the same", (_, change, want) => {
  const changed = { ...BASE, ...change };
  expect([sameReadability(BASE, changed), sameReadability(changed, BASE)]).toEqual([want, want]);
});
