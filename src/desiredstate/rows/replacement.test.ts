import { describe, expect, test } from "vitest";
import { type KubeObject, type OwnerRef, refKey } from "../../apis/index.ts";
import { replaceDependencies } from "./replacement.ts";
import { app, facts, other } from "../testing/builders.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import type { ApplyRow, Observation, RemovalFacts, Role, Row } from "../types.ts";

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
  const wanted: Row[] = [config, deployment];
  const rowsOf = (...copies: Observation[]) => replaceDependencies(wanted, copies, facts({ owner }));
  const message = "ConfigMap shop was replaced on the hub; its old copy goes first";
  const why = { reason: "DependencyReplaced", message };
  const { ref, hash } = deployment;
  const waits = { verb: "Hold", cluster: CLUSTER, ref, owner, role: "rendered", hash, why, wanted: true };
  const goes = { verb: "Delete", cluster: CLUSTER, ref: config.ref, owner, role: "dependency", uid: "u1", why };

  test("name the life of the copy that goes, and the row's own owner, whomever the copy names", () => {
    expect(rowsOf(seen(config, { refused: [config.hash] }))).toStrictEqual([goes, waits]);
    const theirs = reowned(config.object, other, "Delete").hash;
    expect(rowsOf(seen(config, { immutable: true, owner: other, refused: [theirs] }))).toStrictEqual([goes, waits]);
  });

  test("leave alone what is there as it should be", () => {
    const [, second] = rowsOf(seen(config, { refused: [config.hash] }), seen(deployment, { hash }));
    expect(second).toBe(deployment);
  });

  test.each<[string, Parameters<typeof seen>[1]]>([
    ["can be changed", {}],
    ["is as it should be", { immutable: true, hash: config.hash }],
    ["has the type of every ConfigMap", { secretType: "Opaque" }],
    ["has refused another change", { refused: ["another"] }],
  ])("are the same ones where the copy %s", (_what, present) => expect(rowsOf(seen(config, present))).toBe(wanted));

  test("judge a shared copy by the policy that it names", () => {
    const [kept, deleted] = [
      reowned(config.object, other, "Orphan").hash,
      reowned(config.object, other, "Delete").hash,
    ];
    const verbs = (present: Parameters<typeof seen>[1]) =>
      rowsOf(seen(config, { owner: other, policy: "Orphan", immutable: true, ...present })).map(({ verb }) => verb);
    expect(verbs({ hash: kept })).toEqual(["Apply", "Apply"]);
    expect(verbs({ refused: [kept] })).toEqual(["Delete", "Hold"]);
    expect(verbs({ refused: [deleted] })).toEqual(["Apply", "Hold"]);
  });
});

test.each<{ type?: string; secretType: string; isInTheWay: boolean }>([
  { secretType: "Opaque", isInTheWay: false },
  { secretType: "kubernetes.io/tls", isInTheWay: true },
  { type: "kubernetes.io/tls", secretType: "kubernetes.io/tls", isInTheWay: false },
])("a Secret of type $type where the copy has $secretType is in the way: $isInTheWay", (given) => {
  const secret = applied("Secret", "dependency", given.type === undefined ? {} : { type: given.type });
  const [, verb] = texts([seen(secret, { secretType: given.secretType })], {}, secret);
  expect(verb).toBe(given.isInTheWay ? "Hold Deployment" : "Apply Deployment");
});

test("a claim is never made anew, whatever of it has changed: it holds data", () => {
  const claim = applied("PersistentVolumeClaim", "dependency");
  const [first] = texts([seen(claim, { immutable: true, refused: [claim.hash] })], {}, claim);
  expect(first).toBe("Apply PersistentVolumeClaim");
});
