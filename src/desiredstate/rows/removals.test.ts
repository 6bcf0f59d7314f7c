import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";

import { copy, facts, other } from "../testing/builders.ts";
import { placeOf, removalOf } from "../testing/oracle.ts";
import type { ClusterFacts, Observation, RemovalFacts } from "../types.ts";
import { decideRemovals } from "./removals.ts";

const service = copy("shanghai-1", "Service");
const KEY = placeOf(service);
const ready = { synced: true, deletionsHeld: false, planned: true };
const on = (cluster: Partial<ClusterFacts>): Partial<RemovalFacts> => ({
  clusters: new Map([["shanghai-1", { synced: true, ...cluster }]]),
});
const because = (reason: string) => ({ cause: { reason, message: "why" } });
const rowOf = (more: Partial<RemovalFacts> = {}, given: Observation = service) =>
  decideRemovals([given], facts(more))[0];
const textOf = (...given: Parameters<typeof rowOf>): string => {
  const row = rowOf(...given);
  return `${row?.verb} ${row?.why.reason}`;
};

describe("for any facts", () => {
  const names = ["shanghai-1", "frankfurt-1", "nowhere"];
  const kinds = ["Deployment", "Service", "PersistentVolumeClaim"];
  /** Mostly what lets a removal happen. */
  const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
    fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const arbitraryCopy = fc
    .record({
      cluster: fc.constantFrom(...names),
      kind: fc.constantFrom(...kinds),
      deleting: rarely(false, true),
      proven: rarely(true, false),
      owner: rarely("ours", "none", "other", "an earlier life"),
      policy: rarely(undefined, "Orphan" as const),
      there: rarely(true, false),
    })
    .map(({ cluster, kind, deleting, proven, owner, policy, there }): Observation => {
      const { present, ...absent } = copy(cluster, kind, {
        deleting,
        proven,
        ...(policy === undefined ? {} : { policy }),
      });
      if (present === undefined || !there) return absent;
      const { owner: ours, ...unnamed } = present;
      if (owner === "none" || ours === undefined) return { ...absent, present: unnamed };
      const named = { ours, other, "an earlier life": { ...ours, uid: "earlier" } }[owner] ?? ours;
      return { ...absent, present: { ...unnamed, owner: named } };
    });
  const copies = fc.uniqueArray(arbitraryCopy, { selector: placeOf });
  const held = (reason: string) => rarely(undefined, { reason, message: "m" });
  const places = rarely<string[]>([], ...names.flatMap((name) => kinds.map((kind) => [placeOf(copy(name, kind))])));
  const arbitraryCluster: fc.Arbitrary<ClusterFacts> = fc
    .record({
      synced: rarely(true, false),
      leaving: rarely(undefined, "Keep" as const, "Drain" as const),
      held: held("HubWentBack"),
      namespaces: rarely(undefined, ["default", "bank"], ["bank"]),
      unreadable: rarely(
        undefined,
        new Map([["/Service", "no right"]]),
        new Map([["/Service in default", "no right"]]),
      ),
    })
    .map(
      (all) =>
        Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as unknown as ClusterFacts,
    );
  const arbitraryFacts = fc
    .record({
      policy: rarely<RemovalFacts["policy"]>("Delete", "Orphan", undefined),
      reason: rarely("NotSelected", "ObjectDeleted", "ObjectGone"),
      hub: fc.record({ synced: rarely(true, false), deletionsHeld: rarely(false, true), planned: rarely(true, false) }),
      ownership: rarely<RemovalFacts["ownership"]>("Ours", "OtherClass", "Unconfirmed"),
      held: held("KindBeingDeleted"),
      clusters: fc.tuple(arbitraryCluster, arbitraryCluster),
      needed: places,
      found: places,
    })
    .map(({ reason, held: ofKind, clusters: [shanghai, frankfurt], needed, found, ...more }) =>
      facts({
        ...more,
        ...because(reason),
        ...(ofKind === undefined ? {} : { held: ofKind }),
        clusters: new Map([
          ["shanghai-1", shanghai],
          ["frankfurt-1", frankfurt],
        ]),
        neededByOthers: new Set(needed),
        foundOnJoin: new Set(found),
      }),
    );
  const serving = rarely<[string, string][]>([], [["shanghai-1", "AwaitingReplacement"]]);

  test.prop([copies, arbitraryFacts, serving], { numRuns: 2_000 })(
    "each copy gets the row that the rules say, by its own life",
    (given, all, keeps) => {
      const whys = new Map(keeps.map(([name, reason]) => [name, { reason, message: "m" }]));
      const rows = decideRemovals(given, all, whys);
      const want = given.flatMap((one) => removalOf(one, all, new Map(keeps)) ?? []);
      expect(rows.map((row) => `${row.verb} ${row.why.reason}`)).toEqual(want);
      const there = given.filter(({ present }) => present !== undefined);
      expect(rows.map(placeOf)).toEqual(there.map(placeOf));
      for (const [i, row] of rows.entries()) {
        expect(row.why.message).not.toBe("");
        if (row.verb === "Hold") expect(row.wanted).toBe(false);
        else expect(row.uid).toBe(there[i]?.present?.uid);
      }
    },
  );
});

describe("the order of the obstacles", () => {
  const needed = new Set([KEY]);
  const held = { reason: "Held", message: "m" };
  const notReady = { synced: false, planned: false, deletionsHeld: true };
  test.each<[string, Partial<RemovalFacts>, Observation?]>([
    ["Hold Terminating", on({ leaving: "Keep" }), copy("shanghai-1", "Service", { deleting: true })],
    [
      "Release ClusterLeaving",
      { ...on({ leaving: "Keep" }), hub: notReady, ownership: "OtherClass", foundOnJoin: needed },
    ],
    ["Hold FoundOnJoin", { foundOnJoin: needed, hub: notReady }],
    ["Hold HubNotSynced", { hub: notReady, held }],
    ["Hold PlanningIncomplete", { hub: { ...notReady, synced: true }, held }],
    ["Hold DeletionsHeld", { hub: { ...ready, deletionsHeld: true }, held }],
    ["Hold Held", { held, clusters: new Map() }],
    ["Hold ClusterUnknown", { clusters: new Map(), ownership: "OtherClass" }],
    ["Hold NamespaceNotGranted", { ...on({ synced: false, namespaces: ["x"] }), ownership: "OtherClass" }],
    ["Hold ClusterNotSynced", { ...on({ synced: false, held }), ownership: "OtherClass" }],
    ["Hold ClusterNotSynced", { ...on({ unreadable: new Map([["/Service", "no right"]]), held }) }],
    ["Hold Held", { ...on({ held }), ownership: "Unconfirmed" }],
    ["Hold OtherOwner", { ownership: "OtherClass", neededByOthers: needed }],
    ["Hold OwnerUnconfirmed", { ownership: "Unconfirmed" }, copy("shanghai-1", "Service", { proven: false })],
    ["Hold OwnershipUnproven", { policy: "Orphan" }, copy("shanghai-1", "Service", { proven: false })],
    ["Hold ClusterNotSynced", on({ unreadable: new Map([["/Service in default", "m"]]) })],
    ["Delete NotSelected", on({ unreadable: new Map([["/Service in bank", "m"]]) })],
    ["Release NotSelected", { policy: undefined }, copy("shanghai-1", "Service", { policy: "Orphan" })],
    ["Delete NotSelected", {}, copy("shanghai-1", "Service", { policy: "Orphan" })],
  ])("%s", (want, more, given) => expect(textOf(more, given)).toBe(want));
});

test("a row of objects that go in phases has its phase", () => {
  expect(
    ["ServiceAccount", "Deployment"].map((kind) => rowOf({ inPhases: true }, copy("shanghai-1", kind))?.phase),
  ).toEqual([1, 2]);
  expect(rowOf()).not.toHaveProperty("phase");
});

describe("what holds data", () => {
  const claim = copy("shanghai-1", "PersistentVolumeClaim");
  const broughtAlong = copy("shanghai-1", "PersistentVolumeClaim", { policy: "Orphan" });

  test.each<[string, Partial<RemovalFacts>, Observation, string]>([
    ["stays while the object goes on, whatever its policy", { policy: "Orphan" }, claim, "Hold HoldsData"],
    ["stays if it came with the object", {}, broughtAlong, "Hold HoldsData"],
    [
      "is released when the object that brought it is deleted",
      because("ObjectDeleted"),
      broughtAlong,
      "Release ObjectDeleted",
    ],
    ["is deleted with its own hub object", because("ObjectDeleted"), claim, "Delete ObjectDeleted"],
    ["is released when its cluster is drained", on({ leaving: "Drain" }), claim, "Release NotSelected"],
    ["is released when the hub has forgotten that object", because("ObjectGone"), broughtAlong, "Release ObjectGone"],
    [
      "stays while others need it",
      { ...because("ObjectDeleted"), neededByOthers: new Set([placeOf(claim)]) },
      claim,
      "Hold NeededByOthers",
    ],
  ])("%s", (_what, more, given, want) => expect(textOf(more, given)).toBe(want));

  test.each([
    ["v1", "PersistentVolume"],
    ["snapshot.storage.k8s.io/v1", "VolumeSnapshot"],
    ["snapshot.storage.k8s.io/v1", "VolumeSnapshotContent"],
    ["groupsnapshot.storage.k8s.io/v1", "VolumeGroupSnapshot"],
    ["groupsnapshot.storage.k8s.io/v1", "VolumeGroupSnapshotContent"],
  ])("is a %s %s as well, of that group only", (apiVersion, kind) => {
    const of = (version: string) => ({
      ...copy("shanghai-1", kind),
      ref: { ...copy("shanghai-1", kind).ref, apiVersion: version },
    });
    expect([textOf({}, of(apiVersion)), textOf({}, of("example.com/v1"))]).toEqual([
      "Hold HoldsData",
      "Delete NotSelected",
    ]);
  });

  test.each<[string, Partial<RemovalFacts>, string, string, true?]>([
    ["while the object goes on", {}, "apps/v1", "StatefulSet", true],
    [
      "on a drained cluster",
      { ...because("ObjectDeleted"), ...on({ leaving: "Drain" }) },
      "apps/v1",
      "StatefulSet",
      true,
    ],
    ["not when the object is deleted", because("ObjectDeleted"), "apps/v1", "StatefulSet"],
    ["not of a Deployment", {}, "apps/v1", "Deployment"],
    ["not of another group", {}, "apps.example.com/v1", "StatefulSet"],
  ])("stays behind a StatefulSet: %s", (_what, more, apiVersion, kind, keepsClaims) => {
    const { ref, ...workload } = copy("shanghai-1", kind);
    const row = rowOf(more, { ...workload, ref: { ...ref, apiVersion } });
    expect(row).toMatchObject({ verb: "Delete" });
    expect(row?.verb === "Delete" ? row.keepsClaims : "").toBe(keepsClaims);
  });
});

test.each([
  ["widgets.example.com", true],
  [" a.example.com , widgets.example.com ", true],
  ["a.example.com, *", true],
  ["", undefined],
  ["widgets", undefined],
  [undefined, undefined],
])("a CRD with objects goes with the agreement %j: %j", (agreed, want) => {
  const ref = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: "widgets.example.com" };
  const agreement = (given: Observation, more: Partial<RemovalFacts> = {}) => {
    const row = rowOf({ ...(agreed === undefined ? {} : { agreed }), ...more }, given);
    return row?.verb === "Delete" ? row.agreed : row?.verb;
  };
  expect(agreement({ ...service, ref })).toBe(want);
  expect(agreement({ ...service, ref }, { policy: "Orphan" })).toBe("Release");
  expect(agreement(service)).toBeUndefined();
});
