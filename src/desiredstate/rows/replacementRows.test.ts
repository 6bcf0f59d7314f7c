import { describe, expect, test } from "vitest";
import { type KubeObject, refKey } from "../../apis/index.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import { replaceDependencies } from "./replacement.ts";
import { app, facts, other } from "../testing/builders.ts";
import type { ApplyRow, HoldRow, Observation, RemovalFacts, Role, Row } from "../types.ts";

/** The rows themselves: of what goes, of what waits, and of what nothing is in the way of. */

const owner = ownerRefOf(app());
const CLUSTER = "shanghai-1";

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
const more = applied("ConfigMap", "more", "dependency");
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

test("what has refused the change is in the way whatever else is said of it", () => {
  expect(rowsOf([seen(config, { refused: [config.hash] })]).map(({ verb }) => verb)).toEqual(["Delete", "Hold"]);
  expect(rowsOf([seen(config, { refused: ["x", config.hash] })]).map(({ verb }) => verb)).toEqual(["Delete", "Hold"]);
});

test("of several in the way the first is named, and all go", () => {
  expect(rowsOf([refusing(more), refusing(config)], {}, [config, more, web])).toMatchObject([
    { verb: "Delete", uid: "uid-of-config", why: why("config") },
    { verb: "Delete", uid: "uid-of-more", why: why("more") },
    waiting("config"),
  ]);
});

describe("what waits", () => {
  test("is not what is there as it should be", () => {
    const rows = rowsOf([refusing(config), seen(web, { hash: web.hash })]);
    expect(rows[1]).toBe(web);
  });

  test("is not what goes along, nor what is held already", () => {
    const held: HoldRow = {
      verb: "Hold",
      cluster: CLUSTER,
      ref: web.ref,
      owner,
      role: "rendered",
      why: why("x"),
      wanted: true,
    };
    expect(rowsOf([refusing(config)], {}, [config, more, held]).slice(1)).toEqual([more, held]);
  });

  test("is on that cluster alone", () => {
    const elsewhere = { ...web, cluster: "singapore-1" };
    expect(rowsOf([refusing(config)], {}, [config, elsewhere])[1]).toBe(elsewhere);
    expect(rowsOf([refusing({ ...config, cluster: "singapore-1" })])).toEqual([config, web]);
  });

  test("waits for a copy that is in the hands of others, too", () => {
    const othersCopies = new Set([`${CLUSTER}/${refKey(config.ref)}`]);
    expect(rowsOf([refusing(config)], { othersCopies })).toStrictEqual([config, waiting()]);
    const replacing = new Set([CLUSTER]);
    expect(rowsOf([seen(config)], { replacing })).toStrictEqual([config, waiting()]);
  });
});

describe("a Secret without a type", () => {
  const secret = applied("Secret", "secret", "dependency");

  test("is Opaque", () => {
    const verbs = (secretType: string) =>
      rowsOf([seen(secret, { secretType })], {}, [secret, web]).map(({ verb }) => verb);
    expect(verbs("Opaque")).toEqual(["Apply", "Apply"]);
    expect(verbs("kubernetes.io/tls")).toEqual(["Apply", "Hold"]);
  });
});

test("a copy that is to be left when it is forgotten is judged with that", () => {
  const theirs = reowned(config.object, other, "Orphan").hash;
  const shared = { owner: other, policy: "Orphan" as const, immutable: true as const };
  expect(rowsOf([seen(config, { ...shared, hash: theirs })])).toEqual([config, web]);
  expect(rowsOf([seen(config, { ...shared, refused: [theirs] })]).map(({ verb }) => verb)).toEqual(["Delete", "Hold"]);
  const asDeleted = reowned(config.object, other, "Delete").hash;
  expect(rowsOf([seen(config, { ...shared, refused: [asDeleted] })]).map(({ verb }) => verb)).toEqual([
    "Apply",
    "Hold",
  ]);
});
