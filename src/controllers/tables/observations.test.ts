import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { type ObservationChange, Observations } from "./observations.ts";
import { absent, CLUSTER, CONFIG_KEY, CONFIG_REF, inContact, observation, owner, SHOP } from "../testing/builders.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);

function table() {
  const observations = new Observations();
  const changes: ObservationChange[] = [];
  const contacts: string[] = [];
  observations.changes.subscribe((change) => void changes.push(change));
  observations.contacts.subscribe((cluster) => void contacts.push(cluster));
  return { observations, changes, contacts };
}

test.each([
  ["nothing is there and nothing is under way", absent(), false],
  ["a write is under way", absent({ writing: true }), true],
  ["a write has failed", absent({ failure: { reason: "Forbidden", message: "no", final: false } }), true],
])("what a worker reports is remembered or forgotten where %s", (_what, report, isKnown) => {
  const { observations, changes } = table();
  observations.report(CLUSTER, [observation()]);
  observations.report(CLUSTER, [report]);
  expect(observations.get(CLUSTER, CONFIG_KEY)).toBe(isKnown ? report : undefined);
  expect(changes.at(-1)?.after).toBe(report);
  expect(observations.isInUse(CLUSTER, "default")).toBe(isKnown);
  expect([...observations.naming(SHOP_KEY)]).toEqual([]);
});

test("the hub object that a member object names has the member object as long as it is named", () => {
  const { observations } = table();
  const [config, secret] = [observation(), observation({ ref: { ...CONFIG_REF, kind: "Secret" } })];
  observations.report(CLUSTER, [config, secret]);
  expect([...observations.naming(SHOP_KEY)]).toEqual([config, secret]);
  expect(observations.ownersNamed).toBe(1);
  const renamed = observation({ present: { owner: CART } });
  observations.report(CLUSTER, [renamed]);
  expect([...observations.naming(SHOP_KEY)]).toEqual([secret]);
  expect([...observations.naming(refKey(CART))]).toEqual([renamed]);
  expect(observations.ownersNamed).toBe(2);
  observations.report(CLUSTER, [absent({ ref: { ...CONFIG_REF, kind: "Secret" } })]);
  expect([...observations.naming(SHOP_KEY)]).toEqual([]);
  expect(observations.ownersNamed).toBe(1);
});

describe("the contact with a cluster", () => {
  test("says which kinds are not seen though it answers", () => {
    const { observations } = table();
    const unreadable = new Map([["apps/Deployment", "forbidden"]]);
    observations.contact(CLUSTER, { ...inContact, unreadable });
    expect(observations.whyUnreadable(CLUSTER, { apiVersion: "apps/v1", kind: "Deployment", name: "x" })).toBe(
      "forbidden",
    );
    expect(observations.whyUnreadable(CLUSTER, CONFIG_REF)).toBeUndefined();
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
    expect(observations.unreadableReason(CLUSTER, deployment)).toBe("NotObserved");
    observations.contact(CLUSTER, { ...inContact, unreadable, unserved: new Set(["apps/Deployment"]) });
    expect(observations.unreadableReason(CLUSTER, deployment)).toBe("KindNotServed");
    expect(observations.unreadableReason(CLUSTER, CONFIG_REF)).toBe("NotObserved");
  });

  test("names a missing right as the reason, of a kind or of a kind in one namespace", () => {
    const { observations } = table();
    const inShop = { ...CONFIG_REF, namespace: "shop" };
    const unreadable = new Map([
      ["apps/Deployment", "not granted"],
      ["/ConfigMap in shop", "not granted"],
      ["/ConfigMap in bank", "too large"],
    ]);
    const ungranted = new Set(["apps/Deployment", "/ConfigMap in shop"]);
    observations.contact(CLUSTER, { ...inContact, unreadable, ungranted });
    const reasons = [
      { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
      inShop,
      { ...inShop, namespace: "bank" },
    ];
    expect(reasons.map((ref) => observations.unreadableReason(CLUSTER, ref))).toEqual([
      ...["Forbidden", "Forbidden", "NotObserved"],
    ]);
  });

  test("ends with everything that was known there", () => {
    const { observations, changes, contacts } = table();
    const [config, other] = [observation(), observation({ ref: { ...CONFIG_REF, name: "b" } })];
    observations.contact(CLUSTER, inContact);
    observations.report(CLUSTER, [config]);
    observations.report("frankfurt-1", [other]);
    changes.length = 0;
    observations.contact(CLUSTER, undefined);
    expect(changes).toEqual([
      {
        cluster: CLUSTER,
        key: CONFIG_KEY,
        ref: CONFIG_REF,
        before: config,
        after: undefined,
        named: { before: SHOP_KEY, after: undefined },
      },
    ]);
    expect(observations.get(CLUSTER, CONFIG_KEY)).toBeUndefined();
    expect(observations.contactOf(CLUSTER).reason).toBe("ClusterUnknown");
    expect([...observations.naming(SHOP_KEY)]).toEqual([other]);
    expect(contacts).toEqual([CLUSTER, CLUSTER]);
    observations.contact("nowhere", undefined);
    expect(changes).toHaveLength(1);
  });
});

describe("what is known of a cluster", () => {
  const unreadable = new Map([
    ["apps/Deployment", "forbidden"],
    ["/ConfigMap in bank", "forbidden"],
  ]);

  test.each<{ name: string; contact: Partial<typeof inContact>; kinds: readonly string[]; want: boolean }>([
    { name: "is everything, when all was read", contact: { unreadable }, kinds: ["apps/Deployment"], want: true },
    { name: "is nothing, when nothing was", contact: { synced: false }, kinds: [], want: false },
    {
      name: "are the kinds that were read, when some were not",
      contact: { synced: false, partlySynced: true, unreadable },
      kinds: ["/Secret", "apps/DaemonSet"],
      want: true,
    },
    {
      name: "is not enough, when one of several kinds was not read",
      contact: { synced: false, partlySynced: true, unreadable },
      kinds: ["/Secret", "apps/Deployment"],
      want: false,
    },
    {
      name: "is not enough, when a kind was not read in one namespace",
      contact: { synced: false, partlySynced: true, unreadable },
      kinds: ["/ConfigMap"],
      want: false,
    },
  ])("$name", ({ contact, kinds, want }) => {
    const { observations } = table();
    observations.contact(CLUSTER, { ...inContact, ...contact });
    expect([observations.knows(CLUSTER, kinds), observations.knows("nowhere", kinds)]).toEqual([want, false]);
  });

  test.each([
    { name: "answers", contact: { ok: true, pending: false }, want: ["reached"] },
    { name: "does not answer", contact: { ok: false, pending: false }, want: ["lost"] },
    { name: "was not tried", contact: { ok: false, pending: true }, want: [] },
    { name: "was not tried again, and answered before", contact: { ok: true, pending: true }, want: [] },
  ])("is reached or lost: one that $name", ({ contact, want }) => {
    const { observations } = table();
    observations.contact(CLUSTER, { ...inContact, ...contact });
    const said = [
      ...(observations.isReached(CLUSTER) ? ["reached"] : []),
      ...(observations.isLost(CLUSTER) ? ["lost"] : []),
    ];
    expect(said).toEqual(want);
  });
});

test("what is known to be absent is remembered, and counts for its namespace until it is forgotten", () => {
  const { observations } = table();
  const gone = absent({ absent: true });
  observations.report(CLUSTER, [gone]);
  observations.report(CLUSTER, [absent({ ref: { ...CONFIG_REF, name: "never there", namespace: "other" } })]);
  expect([observations.get(CLUSTER, CONFIG_KEY), observations.isInUse(CLUSTER, "default")]).toEqual([gone, true]);
  expect(observations.isInUse(CLUSTER, "other")).toBe(false);
  observations.contact(CLUSTER, undefined);
  expect(observations.isInUse(CLUSTER, "default")).toBe(false);
});
