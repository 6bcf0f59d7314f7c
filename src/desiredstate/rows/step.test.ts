import { describe, expect, test } from "vitest";
import { step } from "./step.ts";
import {
  app,
  copy,
  facts,
  frankfurt,
  hub,
  NOW,
  other,
  overrides,
  placedBy,
  placement,
  running,
  shanghai,
  singapore,
  stepInput,
  targetOf,
} from "../testing/builders.ts";
import { inChina, named, observed, rowsOf, target, texts } from "../testing/steps.ts";
import type { StepInput, Target } from "../types.ts";

describe("towards a target", () => {
  test("everything is made so where the object is to be", () => {
    const to = target({ placements: [inChina] });
    const rows = rowsOf({ target: to });
    const [objects = []] = to.clusters.map((cluster) => cluster.objects);
    expect(rows).toEqual(
      objects.map((object) => ({
        verb: "Apply",
        cluster: "shanghai-1",
        owner: to.owner,
        conflictResolution: "Abort",
        ...object,
      })),
    );
    expect(
      rows.map((row) => row.verb === "Apply" && row.object === objects.find(({ ref }) => ref === row.ref)?.object),
    ).toEqual([true, true]);
  });

  test("a copy where it is no longer to be goes, and so does what is rendered no more", () => {
    const observations = [
      copy("singapore-1", "Deployment"),
      copy("shanghai-1", "Deployment"),
      observed("shanghai-1", named("Service", "old-name")),
    ];
    expect(texts({ target: target({ placements: [inChina] }), observations })).toEqual([
      "Apply shanghai-1 Deployment/nginx-demo",
      "Apply shanghai-1 Service/nginx-demo",
      "Delete shanghai-1 Service/old-name NotSelected",
      "Delete singapore-1 Deployment/nginx-demo NotSelected",
    ]);
  });

  test("a copy that names another hub object is not this one's to remove", () => {
    const observations = [copy("singapore-1", "Service", { owner: other })];
    expect(
      texts({ target: target({ placements: [inChina] }), observations }).filter((row) => !row.startsWith("Apply")),
    ).toEqual([]);
  });

  test("a copy whose owner annotation was removed goes like any other", () => {
    const { owner: _, ...unnamed } = copy("singapore-1", "Service").present ?? {
      uid: "",
      proven: true,
      deleting: false,
      health: { state: "Available" as const },
    };
    const observations = [{ ...copy("singapore-1", "Service"), present: unnamed }];
    expect(texts({ target: target({ placements: [inChina] }), observations }).at(-1)).toBe(
      "Delete singapore-1 Service/nginx-demo NotSelected",
    );
  });

  test("what was only asked for and is not there gets no row", () => {
    const { present: _, ...absent } = copy("singapore-1", "Service");
    expect(texts({ target: target({ placements: [inChina] }), observations: [absent] })).toHaveLength(2);
  });

  test("without a target everything of the object goes", () => {
    const observations = [copy("shanghai-1", "Service"), copy("frankfurt-1", "Deployment")];
    const removal = facts({ cause: { reason: "ObjectDeleted", message: "the object is being deleted" } });
    expect(texts({ observations, removal })).toEqual([
      "Delete frankfurt-1 Deployment/nginx-demo ObjectDeleted",
      "Delete shanghai-1 Service/nginx-demo ObjectDeleted",
    ]);
  });

  test("hands on when to decide again", () => {
    const result = step(stepInput({ target: { ...target(), recheckAt: NOW + 5 } }));
    expect(result).toMatchObject({ recheckAt: NOW + 5 });
    expect(step(stepInput())).toEqual({ rows: [] });
  });
});

describe("a frozen cluster", () => {
  const suspended = (): Target =>
    targetOf({ placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"], placedBy("p")) });

  test("is neither written nor cleaned, and says why", () => {
    const to = suspended();
    const left = observed("shanghai-1", named("ConfigMap", "left-over"));
    const rows = rowsOf({ target: to, observations: [copy("shanghai-1", "Deployment"), left] });
    expect(rows.map((row) => `${row.verb} ${row.ref.kind}/${row.ref.name} ${row.role}`)).toEqual([
      "Hold Deployment/nginx-demo rendered",
      "Hold Service/nginx-demo rendered",
      "Hold ConfigMap/left-over dependency",
    ]);
    const hashes = to.clusters[0]?.objects.map(({ hash }) => hash) ?? [];
    expect(rows.map((row) => row.verb === "Hold" && [row.wanted, row.hash, row.why.reason])).toEqual([
      [true, hashes[0], "Suspended"],
      [true, hashes[1], "Suspended"],
      [true, "an-older-hash", "Suspended"],
    ]);
  });

  test("gives the reason of its own where it has one", () => {
    const object = app({ envFrom: [{ secretRef: { name: "s" } }] });
    const unreadable = new Set(["/Secret/default/s"]);
    const to = target({ object, unreadable, previous: running(["shanghai-1"], placedBy("p")), clusters: [shanghai] });
    const observations = [observed("shanghai-1", named("Secret", "s"))];
    expect(texts({ target: to, observations })).toEqual([
      "Hold shanghai-1 Deployment/nginx-demo SecretAccessDenied",
      "Hold shanghai-1 Service/nginx-demo SecretAccessDenied",
      "Hold shanghai-1 Secret/s SecretAccessDenied",
    ]);
  });

  test("retains also what names another hub object: both may need it", () => {
    const shared = copy("shanghai-1", "Service", { owner: other }, { ref: named("Secret", "shared") });
    expect(texts({ target: suspended(), observations: [shared] }).at(-1)).toBe(
      "Hold shanghai-1 Secret/shared Suspended",
    );
  });

  test("does not keep what is elsewhere", () => {
    expect(texts({ target: suspended(), observations: [copy("singapore-1", "Service")] }).at(-1)).toBe(
      "Delete singapore-1 Service/nginx-demo NotSelected",
    );
  });
});

describe("where nobody can say what is to be there", () => {
  test("nothing goes because of an override that cannot be applied", () => {
    const bad = overrides("bad", { patches: [{ op: "remove", path: "/none" }] });
    const to = target({ overrides: [bad], clusters: [shanghai], previous: running(["shanghai-1"], {}, "Removing") });
    expect(to.clusters).toMatchObject([{ frozen: false, objects: [], problem: { reason: "InvalidPatch" } }]);
    expect(texts({ target: to, observations: [copy("shanghai-1", "Deployment")] })).toEqual([
      "Hold shanghai-1 Deployment/nginx-demo InvalidPatch",
    ]);
  });

  const object = app({ envFrom: [{ secretRef: { name: "database" } }] });
  const database = named("Secret", "database");

  test("the copy of a dependency that is gone from the hub stays where the object is, and only there", () => {
    const to = target({ object, placements: [inChina] });
    const observations = [observed("shanghai-1", database), observed("singapore-1", database)];
    expect(texts({ target: to, observations }).filter((row) => !row.startsWith("Apply"))).toEqual([
      "Hold shanghai-1 Secret/database DependencyMissing",
      "Delete singapore-1 Secret/database NotSelected",
    ]);
    expect(rowsOf({ target: to, observations }).find((row) => row.ref.name === "database")).toMatchObject({
      wanted: true,
      hash: "an-older-hash",
      role: "dependency",
    });
  });

  test("it goes when the object refers to it no more", () => {
    expect(
      texts({ target: target({ placements: [inChina] }), observations: [observed("shanghai-1", database)] }),
    ).toContain("Delete shanghai-1 Secret/database NotSelected");
  });
});

describe("a cluster that waits in a rollout", () => {
  const before = target({ object: app({ image: "nginx:1" }) });
  const after = target({ object: app({ image: "nginx:2", ports: [] }) });
  const waiting = (...names: string[]): Pick<StepInput, "rollout" | "target" | "lastGood"> => ({
    target: after,
    lastGood: before,
    rollout: { waiting: new Set(names) },
  });
  const hashAt = (to: Target, name: string): string | undefined =>
    to.clusters.find((cluster) => cluster.name === name)?.objects[0]?.hash;

  test("keeps and heals its old revision, while the others get the new one", () => {
    const rows = rowsOf({ ...waiting("singapore-1"), observations: [copy("singapore-1", "Service")] });
    expect(rows.map((row) => row.verb === "Apply" && `${row.cluster} ${row.ref.kind} ${row.hash}`)).toEqual([
      `frankfurt-1 Deployment ${hashAt(after, "frankfurt-1")}`,
      `shanghai-1 Deployment ${hashAt(after, "shanghai-1")}`,
      `singapore-1 Deployment ${hashAt(before, "singapore-1")}`,
      expect.stringMatching(/^singapore-1 Service /),
    ]);
  });

  test("gets nothing where there was nothing, and loses nothing that is there all the same", () => {
    const lastGood = { ...before, clusters: before.clusters.filter(({ name }) => name !== "singapore-1") };
    const observations = [copy("singapore-1", "Deployment")];
    const others = (rows: string[]): string[] => rows.filter((row) => row.includes("singapore-1"));
    expect(others(texts({ ...waiting("singapore-1"), lastGood }))).toEqual([]);
    expect(others(texts({ ...waiting("singapore-1"), lastGood, observations }))).toEqual([
      "Hold singapore-1 Deployment/nginx-demo RolloutWaiting",
    ]);
    expect(others(texts({ target: after, rollout: { waiting: new Set(["singapore-1"]) }, observations }))).toEqual([
      "Hold singapore-1 Deployment/nginx-demo RolloutWaiting",
    ]);
  });

  test("keeps its old revision also when the new target does not name it: going is a change like any other", () => {
    const to = { ...after, clusters: after.clusters.filter(({ name }) => name !== "singapore-1") };
    expect(texts({ ...waiting("singapore-1"), target: to }).filter((row) => row.includes("singapore-1"))).toEqual([
      "Apply singapore-1 Deployment/nginx-demo",
      "Apply singapore-1 Service/nginx-demo",
    ]);
  });

  test("is not written while the object is suspended", () => {
    const to = targetOf({ placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"]) });
    const rows = texts({
      ...waiting("shanghai-1", "singapore-1"),
      target: to,
      observations: [copy("singapore-1", "Service")],
    });
    expect(rows).toEqual([
      "Hold shanghai-1 Deployment/nginx-demo Suspended",
      "Hold shanghai-1 Service/nginx-demo Suspended",
      "Hold singapore-1 Service/nginx-demo RolloutWaiting",
    ]);
  });

  test("does not wait when its MemberCluster is being removed", () => {
    const clusters = new Map([["singapore-1", { synced: true, leaving: "Drain" as const }]]);
    const to = { ...after, clusters: after.clusters.filter(({ name }) => name !== "singapore-1") };
    const rows = texts({
      ...waiting("singapore-1"),
      target: to,
      removal: facts({ clusters }),
      observations: [copy("singapore-1", "Service")],
    });
    expect(rows.at(-1)).toBe("Delete singapore-1 Service/nginx-demo NotSelected");
  });

  test("is not written when it is being removed, or not there any more", () => {
    const to = target({ clusters: [shanghai, { ...singapore, deleting: true }] });
    expect(texts({ ...waiting("singapore-1", "frankfurt-1"), target: to })).toEqual([
      "Apply shanghai-1 Deployment/nginx-demo",
      "Apply shanghai-1 Service/nginx-demo",
    ]);
  });

  test("does not get the revision of an earlier life of the object", () => {
    const lastGood = { ...before, owner: { ...before.owner, uid: "of an earlier life" } };
    expect(texts({ ...waiting("singapore-1"), lastGood }).some((row) => row.includes("singapore-1"))).toBe(false);
  });

  test("waits for nothing when the object is being deleted", () => {
    const observations = [copy("singapore-1", "Service")];
    expect(texts({ lastGood: before, rollout: { waiting: new Set(["singapore-1"]) }, observations })).toEqual([
      "Delete singapore-1 Service/nginx-demo NotSelected",
    ]);
  });
});

test("on the hub itself rows are made like anywhere else", () => {
  expect(texts({ target: target({ clusters: [hub, frankfurt, singapore] }) })).toContain(
    "Apply hub Deployment/nginx-demo",
  );
});
