import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { refKey } from "../../apis/index.ts";
import { decideRemovals } from "./removals.ts";
import { app, copy, facts, other } from "../testing/builders.ts";
import type { ClusterFacts, Observation, RemovalFacts } from "../types.ts";

const service = copy("shanghai-1", "Service");
const KEY = `shanghai-1/${refKey(service.ref)}`;
const on = (cluster: ClusterFacts): Partial<RemovalFacts> => ({
  clusters: new Map([["shanghai-1", cluster]]),
});
const ready = { synced: true, deletionsHeld: false, planned: true };

describe("decideRemovals", () => {
  test.each<{ name: string; facts?: Partial<RemovalFacts>; copy?: Observation; want: string }>([
    { name: "what every fact allows goes", want: "Delete shanghai-1-Service NotSelected" },
    {
      name: "what is orphaned is released",
      facts: { policy: "Orphan" },
      want: "Release shanghai-1-Service NotSelected",
    },
    {
      name: "for the reason that is given",
      facts: { cause: { reason: "ObjectGone", message: "gone" } },
      want: "Delete shanghai-1-Service ObjectGone",
    },
    { name: "not before the hub has synced", facts: { hub: { ...ready, synced: false } }, want: "Hold HubNotSynced" },
    {
      name: "not before everything is planned",
      facts: { hub: { ...ready, planned: false } },
      want: "Hold PlanningIncomplete",
    },
    {
      name: "not while deletions are held",
      facts: { hub: { ...ready, deletionsHeld: true } },
      want: "Hold DeletionsHeld",
    },
    {
      name: "whatever cannot be read there of other kinds",
      facts: on({ synced: true, unseen: new Map([["/Secret", "secrets cannot be watched"]]) }),
      want: "Delete shanghai-1-Service NotSelected",
    },
    {
      name: "not what is of a kind that cannot be read there",
      facts: on({ synced: true, unseen: new Map([["/Service", "services cannot be watched"]]) }),
      want: "Hold ClusterNotSynced",
    },
    {
      name: "not what cannot be read in its namespace",
      facts: on({ synced: true, unseen: new Map([["/Service in default", "services cannot be watched"]]) }),
      want: "Hold ClusterNotSynced",
    },
    {
      name: "what can be read there, whatever of it cannot be in other namespaces",
      facts: on({ synced: true, unseen: new Map([["/Service in bank", "services cannot be watched"]]) }),
      want: "Delete shanghai-1-Service NotSelected",
    },
    {
      name: "what is in a namespace that was granted",
      facts: on({ synced: true, namespaces: ["bank", "default"] }),
      want: "Delete shanghai-1-Service NotSelected",
    },
    {
      name: "not what is in a namespace that was not granted",
      facts: on({ synced: true, namespaces: ["bank"] }),
      want: "Hold NamespaceNotGranted",
    },
    { name: "not without a MemberCluster", facts: { clusters: new Map() }, want: "Hold ClusterUnknown" },
    {
      name: "what is on a cluster that leaves and keeps is released",
      facts: on({ synced: true, leaving: "Keep" }),
      want: "Release shanghai-1-Service ClusterLeaving",
    },
    {
      name: "whatever else is known of it",
      facts: {
        ...on({ synced: false, leaving: "Keep" }),
        hub: { ...ready, deletionsHeld: true },
        ownership: "OtherClass",
        neededByOthers: new Set([KEY]),
        foundOnJoin: new Set([KEY]),
      },
      want: "Release shanghai-1-Service ClusterLeaving",
    },
    {
      name: "but for what is on its way out",
      facts: on({ synced: true, leaving: "Keep" }),
      copy: copy("shanghai-1", "Service", { deleting: true }),
      want: "Hold Terminating",
    },
    {
      name: "not what was there before the cluster was joined",
      facts: { foundOnJoin: new Set([KEY]), hub: { ...ready, synced: false } },
      want: "Hold FoundOnJoin",
    },
    {
      name: "but on one that is drained",
      facts: on({ synced: true, leaving: "Drain" }),
      want: "Delete shanghai-1-Service NotSelected",
    },
    {
      name: "not while the object's kind is being deleted",
      facts: { held: { reason: "KindBeingDeleted", message: "m" } },
      want: "Hold KindBeingDeleted",
    },
    {
      name: "not where something holds everything",
      facts: on({ synced: true, held: { reason: "HubWentBack", message: "m" } }),
      want: "Hold HubWentBack",
    },
    { name: "not before the cluster has synced", facts: on({ synced: false }), want: "Hold ClusterNotSynced" },
    { name: "not what another class owns", facts: { ownership: "OtherClass" }, want: "Hold OtherOwner" },
    { name: "not while nobody is sure", facts: { ownership: "Unconfirmed" }, want: "Hold OwnerUnconfirmed" },
    {
      name: "not what names another hub object",
      copy: copy("shanghai-1", "Service", { owner: other }),
      want: "Hold OtherOwner",
    },
    {
      name: "not what Meridian is not proven to have applied",
      copy: copy("shanghai-1", "Service", { proven: false }),
      want: "Hold OwnershipUnproven",
    },
    {
      name: "nor is that released",
      facts: { policy: "Orphan" },
      copy: copy("shanghai-1", "Service", { proven: false }),
      want: "Hold OwnershipUnproven",
    },
    {
      name: "what names an earlier life of the object goes with it",
      copy: copy("shanghai-1", "Service", { owner: { ...other, name: "nginx-demo", uid: "of an earlier life" } }),
      want: "Delete shanghai-1-Service NotSelected",
    },
    { name: "not what others need", facts: { neededByOthers: new Set([KEY]) }, want: "Hold NeededByOthers" },
    {
      name: "what others need elsewhere goes",
      facts: { neededByOthers: new Set([KEY.replace("shanghai", "frankfurt")]) },
      want: "Delete shanghai-1-Service NotSelected",
    },
    {
      name: "what is on its way out needs nothing more",
      facts: { hub: { ...ready, synced: false } },
      copy: copy("shanghai-1", "Service", { deleting: true }),
      want: "Hold Terminating",
    },
  ])("$name", ({ facts: more, copy: given = service, want }) => {
    const [row, ...rest] = decideRemovals([given], facts(more));
    expect(rest).toEqual([]);
    expect([row?.verb, ...(row?.verb === "Hold" ? [] : [row?.uid]), row?.why.reason].join(" ")).toBe(want);
    expect(row?.why.message.length).toBeLessThanOrEqual(120);
    if (row?.verb === "Hold") expect(row.wanted).toBe(false);
  });

  const claim = copy("shanghai-1", "PersistentVolumeClaim");
  const broughtAlong = copy("shanghai-1", "PersistentVolumeClaim", { policy: "Orphan" });
  const cause = (reason: string) => ({ cause: { reason, message: "why" } });

  test.each<{ name: string; facts?: Partial<RemovalFacts>; copy?: Observation; want: string }>([
    { name: "stays while the object goes on", want: "Hold HoldsData" },
    { name: "stays though the object goes on with another one", copy: broughtAlong, want: "Hold HoldsData" },
    {
      name: "is let go of with the object that brought it along",
      facts: cause("ObjectDeleted"),
      copy: broughtAlong,
      want: "Release",
    },
    {
      name: "is let go of when the hub has forgotten that object",
      facts: cause("ObjectGone"),
      copy: broughtAlong,
      want: "Release",
    },
    { name: "goes when it is itself deleted on the hub", facts: cause("ObjectDeleted"), want: "Delete" },
    {
      name: "goes as its own policy says",
      facts: { ...cause("ObjectDeleted"), policy: "Orphan" },
      want: "Release",
    },
    {
      name: "is let go of when its cluster is drained",
      facts: on({ synced: true, leaving: "Drain" }),
      want: "Release",
    },
    {
      name: "stays for whoever else needs it",
      facts: { ...cause("ObjectDeleted"), neededByOthers: new Set([`shanghai-1/${refKey(claim.ref)}`]) },
      want: "Hold NeededByOthers",
    },
  ])("a claim $name", ({ facts: more, copy: given = claim, want }) => {
    const [row] = decideRemovals([given], facts(more));
    expect([row?.verb, ...(row?.verb === "Hold" ? [row.why.reason] : [])].join(" ")).toBe(want);
  });

  test.each([
    ["v1", "PersistentVolume"],
    ["snapshot.storage.k8s.io/v1", "VolumeSnapshot"],
    ["snapshot.storage.k8s.io/v1", "VolumeSnapshotContent"],
    ["groupsnapshot.storage.k8s.io/v1", "VolumeGroupSnapshot"],
    ["groupsnapshot.storage.k8s.io/v1", "VolumeGroupSnapshotContent"],
  ])("%s %s stays with its data as a claim does", (apiVersion, kind) => {
    const held = copy("shanghai-1", kind);
    const [row] = decideRemovals([{ ...held, ref: { ...held.ref, apiVersion } }], facts());
    expect([row?.verb, row?.why.reason]).toEqual(["Hold", "HoldsData"]);
    const [other] = decideRemovals([{ ...held, ref: { ...held.ref, apiVersion: "example.com/v1" } }], facts());
    expect(other?.verb).toBe("Delete");
  });

  test.each<{ name: string; facts?: Partial<RemovalFacts>; kind?: string; apiVersion?: string; want?: true }>([
    { name: "while the object goes on elsewhere", want: true },
    {
      name: "on a cluster that is drained",
      facts: { ...cause("ObjectDeleted"), ...on({ synced: true, leaving: "Drain" }) },
      want: true,
    },
    { name: "not when the object is deleted", facts: cause("ObjectDeleted") },
    { name: "not of a Deployment", kind: "Deployment" },
    { name: "not of another group's kind of that name", apiVersion: "apps.example.com/v1" },
  ])(
    "a StatefulSet leaves its claims behind: $name",
    ({ facts: more, kind = "StatefulSet", apiVersion = "apps/v1", want }) => {
      const workload = copy("shanghai-1", kind);
      const [row] = decideRemovals([{ ...workload, ref: { ...workload.ref, apiVersion } }], facts(more));
      expect(row).toMatchObject({ verb: "Delete" });
      expect(row?.verb === "Delete" ? row.keepsClaims : undefined).toBe(want);
    },
  );

  test("a claim that stays is named", () => {
    expect(decideRemovals([claim], facts()).map(({ why }) => why.message)).toEqual([
      "it stays with its data until somebody deletes it on the cluster: PersistentVolumeClaim nginx-demo",
    ]);
  });

  test.each<[string, Partial<RemovalFacts>, Observation]>([
    [
      "not everything on the hub is known yet; nothing is removed before",
      { hub: { ...ready, synced: false } },
      service,
    ],
    [
      "not every object that could want it has been planned since the start",
      { hub: { ...ready, planned: false } },
      service,
    ],
    ["there is no MemberCluster shanghai-1", { clusters: new Map() }, service],
    ["not everything on cluster shanghai-1 is known at present", on({ synced: false }), service],
    ["it belongs to DemoApplication other", {}, copy("shanghai-1", "Service", { owner: other })],
    ["the manager of another class owns DemoApplication nginx-demo", { ownership: "OtherClass" }, service],
    ["the hub has not confirmed yet that DemoApplication nginx-demo is gone", { ownership: "Unconfirmed" }, service],
    ["MemberCluster shanghai-1 goes, and keeps what runs there", on({ synced: true, leaving: "Keep" }), service],
    ["it is being deleted; its finalizers may take their time", {}, copy("shanghai-1", "Service", { deleting: true })],
  ])("says in a sentence: %s", (message, more, given) => {
    expect(decideRemovals([given], facts(more)).map(({ why }) => why.message)).toEqual([message]);
  });

  test("what is not there needs no row", () => {
    const { present: _, ...absent } = service;
    expect(decideRemovals([absent], facts())).toEqual([]);
  });

  const names = ["shanghai-1", "frankfurt-1", "nowhere"];
  const arbitraryCopy = fc
    .record({
      cluster: fc.constantFrom(...names),
      kind: fc.constantFrom("Deployment", "Service", "Secret"),
      deleting: fc.boolean(),
      proven: fc.boolean(),
      owner: fc.constantFrom("ours", "none", "other"),
      there: fc.boolean(),
    })
    .map(({ cluster, kind, deleting, proven, owner, there }): Observation => {
      const { present, ...absent } = copy(cluster, kind, {
        deleting,
        proven,
        ...(owner === "other" ? { owner: other } : {}),
      });
      if (present === undefined || !there) return absent;
      const { owner: _, ...unnamed } = present;
      return { ...absent, present: owner === "none" ? unnamed : present };
    });
  const copies = fc.uniqueArray(arbitraryCopy, { selector: ({ cluster, ref }) => `${cluster}/${refKey(ref)}` });
  const arbitraryFacts = fc
    .record({
      policy: fc.constantFrom<RemovalFacts["policy"]>("Delete", "Orphan"),
      hub: fc.record({ synced: fc.boolean(), deletionsHeld: fc.boolean(), planned: fc.boolean() }),
      ownership: fc.constantFrom<RemovalFacts["ownership"]>("Ours", "Ours", "OtherClass", "Unconfirmed"),
      known: fc.subarray(["shanghai-1", "frankfurt-1"]),
      synced: fc.boolean(),
      leaving: fc.constantFrom(undefined, "Keep" as const, "Drain" as const),
      needed: fc.subarray(names),
      found: fc.subarray(names),
    })
    .map(({ known, synced, leaving, needed, found, ...more }) =>
      facts({
        ...more,
        clusters: new Map(known.map((name) => [name, leaving === undefined ? { synced } : { synced, leaving }])),
        neededByOthers: new Set(needed.map((name) => `${name}/${refKey(service.ref)}`)),
        foundOnJoin: new Set(found.map((name) => `${name}/${refKey(service.ref)}`)),
      }),
    );

  test.prop([copies, arbitraryFacts])(
    "every copy that is there gets exactly one row, under its own name",
    (given, all) => {
      const rows = decideRemovals(given, all);
      const placeOf = ({ cluster, ref }: Pick<Observation, "cluster" | "ref">): string => `${cluster}/${refKey(ref)}`;
      expect(rows.map(placeOf)).toEqual(given.filter(({ present }) => present !== undefined).map(placeOf));
    },
  );

  test.prop([copies, arbitraryFacts])(
    "nothing goes unless every fact allows it, and then as the policy says",
    (given, all) => {
      for (const row of decideRemovals(given, all)) {
        const { present } = given.find(({ cluster, ref }) => cluster === row.cluster && ref === row.ref) ?? {};
        const { hub, ownership, neededByOthers, foundOnJoin } = all;
        const cluster = all.clusters.get(row.cluster);
        if (cluster?.leaving === "Keep") {
          expect(row.verb).toBe(present?.deleting === true ? "Hold" : "Release");
          continue;
        }
        const isAllowed =
          present?.deleting === false &&
          present.proven &&
          hub.synced &&
          hub.planned &&
          !hub.deletionsHeld &&
          cluster?.synced === true &&
          ownership === "Ours" &&
          (present.owner === undefined || present.owner.name === app().metadata.name) &&
          !foundOnJoin.has(`${row.cluster}/${refKey(row.ref)}`) &&
          !neededByOthers.has(`${row.cluster}/${refKey(row.ref)}`);
        expect(row.verb).toBe(isAllowed ? (all.policy === "Orphan" ? "Release" : "Delete") : "Hold");
        if (row.verb === "Hold") expect(row.wanted).toBe(false);
        else expect([row.uid, row.why]).toEqual([present?.uid, all.cause]);
      }
    },
  );
});
