import { describe, expect, test } from "vitest";
import { type KubeObject, type OwnerRef, refKey } from "../../apis/index.ts";
import { replaceDependencies } from "./replacement.ts";
import { app, facts, other } from "../testing/builders.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import type { ApplyRow, HoldRow, Observation, RemovalFacts, Role, Row } from "../types.ts";

const owner = ownerRefOf(app());
const CLUSTER = "shanghai-1";

function applied(kind: string, role: Role, more: Partial<KubeObject> = {}, cluster = CLUSTER): ApplyRow {
  const ref = { apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, namespace: "default", name: "shop" };
  const plain: KubeObject = { ...ref, metadata: { name: "shop", namespace: "default" }, ...more } as never;
  const { object, hash } = reowned(plain, owner, "Delete");
  return { verb: "Apply", cluster, ref, owner, role, object, hash, conflictResolution: "Abort" };
}

function seen(row: ApplyRow, present: Partial<NonNullable<Observation["present"]>> = {}): Observation {
  const { cluster, ref } = row;
  return {
    cluster,
    ref,
    present: {
      uid: "u1",
      hash: "old",
      owner,
      proven: true,
      deleting: false,
      health: { state: "Available" },
      ...present,
    },
    writing: false,
    revision: 1,
  };
}

const config = applied("ConfigMap", "dependency", { data: { key: "new" } });
const deployment = applied("Deployment", "rendered");
const service = applied("Service", "rendered");
const elsewhere = applied("Deployment", "rendered", {}, "singapore-1");
const KEY = `${CLUSTER}/${refKey(config.ref)}`;
const running = [seen(deployment), seen(service, { hash: service.hash })];

const texts = (
  observations: readonly Observation[],
  more: Partial<RemovalFacts> = {},
  dependency = config,
): string[] => {
  const wanted: Row[] = [dependency, deployment, service, elsewhere];
  return replaceDependencies(wanted, [...observations, ...running], facts({ owner, ...more })).map(
    (row) => `${row.verb} ${row.ref.kind}${row.verb === "Delete" ? ` ${row.uid}` : ""}`,
  );
};

const ALL = ["Apply ConfigMap", "Apply Deployment", "Apply Service", "Apply Deployment"];
const WAITS = ["Apply ConfigMap", "Hold Deployment", "Apply Service", "Apply Deployment"];
const GOES = ["Delete ConfigMap u1", "Hold Deployment", "Apply Service", "Apply Deployment"];

describe("a copy of a ConfigMap", () => {
  test.each<{ name: string; copy?: Observation; facts?: Partial<RemovalFacts>; want: string[] }>([
    { name: "that is not there is in nobody's way", want: ALL },
    {
      name: "that cannot be changed and is as it should be is in nobody's way",
      copy: seen(config, { immutable: true, hash: config.hash, refused: ["h0"] }),
      want: ALL,
    },
    {
      name: "that cannot be changed is tried, and what reads it waits on that cluster",
      copy: seen(config, { immutable: true }),
      want: WAITS,
    },
    {
      name: "that has refused the change goes",
      copy: seen(config, { immutable: true, refused: [config.hash] }),
      want: GOES,
    },
    {
      name: "that is not proven to be ours stays",
      copy: seen(config, { immutable: true, refused: [config.hash], proven: false }),
      want: WAITS,
    },
    {
      name: "in which another manager has a part stays",
      copy: seen(config, { immutable: true, refused: [config.hash] }),
      facts: { othersCopies: new Set([KEY]) },
      want: WAITS,
    },
    {
      name: "stays while the hub holds deletions",
      copy: seen(config, { immutable: true, refused: [config.hash] }),
      facts: { hub: { synced: true, deletionsHeld: true, planned: true } },
      want: WAITS,
    },
    {
      name: "goes also when another application here refers to it",
      copy: seen(config, { immutable: true, refused: [config.hash] }),
      facts: { neededByOthers: new Set([KEY]) },
      want: GOES,
    },
  ])("$name", ({ copy, facts: more, want }) => {
    expect(texts(copy === undefined ? [] : [copy], more)).toEqual(want);
  });

  test("that names another application which shares it is judged in that one's name", () => {
    const { hash } = reowned(config.object, other as OwnerRef, "Delete");
    const shared = { owner: other, immutable: true } as const;
    expect(texts([seen(config, { ...shared, hash })])).toEqual(ALL);
    expect(texts([seen(config, shared)])).toEqual(WAITS);
    expect(texts([seen(config, { ...shared, refused: [hash] })])).toEqual(GOES);
  });
});

test("what has gone is waited for until it is there again", () => {
  const replacing = new Set([CLUSTER]);
  expect(texts([], { replacing })).toEqual(WAITS);
  expect(texts([seen(config, { hash: config.hash })], { replacing })).toEqual(ALL);
  expect(texts([], { replacing: new Set(["singapore-1"]) })).toEqual(ALL);
});

describe("the rows of a replacement", () => {
  function applied(kind: string, name: string, role: Role, more: Partial<KubeObject> = {}): ApplyRow {
    const ref = { apiVersion: "v1", kind, namespace: "default", name };
    const plain: KubeObject = { apiVersion: "v1", kind, metadata: { name, namespace: "default" }, ...more };
    const { object, hash } = reowned(plain, owner, "Delete");
    return { verb: "Apply", cluster: CLUSTER, ref, owner, role, object, hash, conflictResolution: "Abort" };
  }

  type Present = NonNullable<Observation["present"]>;
  function seen({ cluster, ref }: ApplyRow, present: Partial<Present> = {}): Observation {
    const health = { state: "Available" as const };
    const base = { uid: `uid-of-${ref.name}`, hash: "old", owner, proven: true, deleting: false, health };
    return { cluster, ref, present: { ...base, ...present }, writing: false, revision: 1 };
  }

  const config = applied("ConfigMap", "config", "dependency");
  const web = applied("Deployment", "web", "rendered");
  const rowsOf = (
    observations: readonly Observation[],
    given: Partial<RemovalFacts> = {},
    wanted: Row[] = [config, web],
  ) => replaceDependencies(wanted, observations, facts({ owner, ...given }));
  const why = (name: string) => ({
    reason: "DependencyReplaced",
    message: `ConfigMap ${name} was replaced on the hub; its old copy goes first`,
  });
  const waiting = (name = "config"): HoldRow => ({
    verb: "Hold",
    cluster: CLUSTER,
    ref: web.ref,
    owner,
    role: "rendered",
    hash: web.hash,
    why: why(name),
    wanted: true,
  });
  const refusing = (row: ApplyRow, present: Partial<Present> = {}): Observation =>
    seen(row, { immutable: true, refused: [row.hash], ...present });

  test("the row that takes a copy away names its life, and the row's own owner", () => {
    const goes = {
      verb: "Delete",
      cluster: CLUSTER,
      ref: config.ref,
      owner,
      role: "dependency",
      uid: "uid-of-config",
      why: why("config"),
    };
    expect(rowsOf([refusing(config)])).toStrictEqual([goes, waiting()]);
    const theirs = reowned(config.object, other, "Delete").hash;
    expect(rowsOf([refusing(config, { owner: other, refused: [theirs] })])).toStrictEqual([goes, waiting()]);
    const { present, ...copy } = refusing(config);
    if (present === undefined) throw new Error("the copy is not there");
    const { owner: _, ...unnamed } = present;
    expect(rowsOf([{ ...copy, present: unnamed }])).toStrictEqual([goes, waiting()]);
  });

  test("the same rows where nothing is in the way", () => {
    const wanted: Row[] = [config, web];
    for (const observations of [
      [],
      [seen(config)],
      [seen(config, { immutable: true, hash: config.hash })],
      [seen(config, { secretType: "Opaque" })],
      [seen(config, { refused: ["another"] })],
      [seen(web, { immutable: true, refused: [web.hash] })],
    ])
      expect(rowsOf(observations, {}, wanted)).toBe(wanted);
    expect(rowsOf([seen(config, { hash: config.hash })], { replacing: new Set([CLUSTER]) }, wanted)).toBe(wanted);
  });

  describe("what waits", () => {
    test("is not what is there as it should be", () => {
      const rows = rowsOf([refusing(config), seen(web, { hash: web.hash })]);
      expect(rows[1]).toBe(web);
    });
  });

  test("a copy that is to be left when it is forgotten is judged with that", () => {
    const theirs = reowned(config.object, other, "Orphan").hash;
    const shared = { owner: other, policy: "Orphan" as const, immutable: true as const };
    expect(rowsOf([seen(config, { ...shared, hash: theirs })])).toEqual([config, web]);
    expect(rowsOf([seen(config, { ...shared, refused: [theirs] })]).map(({ verb }) => verb)).toEqual([
      "Delete",
      "Hold",
    ]);
    const asDeleted = reowned(config.object, other, "Delete").hash;
    expect(rowsOf([seen(config, { ...shared, refused: [asDeleted] })]).map(({ verb }) => verb)).toEqual([
      "Apply",
      "Hold",
    ]);
  });
});
