import { describe, expect, test } from "vitest";
import { type KubeObject, type OwnerRef, refKey } from "../../apis/index.ts";
import { reowned } from "./marks.ts";
import { replaceDependencies } from "./replacement.ts";
import { app, facts, other } from "../testing/builders.ts";
import { ownerRefOf } from "./marks.ts";
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
const tls = applied("Secret", "dependency", { type: "kubernetes.io/tls" });
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
    { name: "that can be changed is in nobody's way", copy: seen(config), want: ALL },
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
      name: "that has refused another change is tried first",
      copy: seen(config, { immutable: true, refused: ["h0"] }),
      want: WAITS,
    },
    {
      name: "that is going already is waited for",
      copy: seen(config, { immutable: true, refused: [config.hash], deleting: true }),
      want: WAITS,
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
    {
      name: "goes also of an application that leaves its copies when it is deleted",
      copy: seen(config, { immutable: true, refused: [config.hash] }),
      facts: { policy: "Orphan" },
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

test("a Secret of another type is in the way, and one of the same type is not", () => {
  const kinds = (present: Partial<NonNullable<Observation["present"]>>): string[] =>
    texts([seen(tls, present)], {}, tls);
  expect(kinds({ secretType: "kubernetes.io/tls" })[1]).toBe("Apply Deployment");
  expect(kinds({ secretType: "Opaque" }).slice(0, 2)).toEqual(["Apply Secret", "Hold Deployment"]);
  expect(kinds({ secretType: "Opaque", refused: [tls.hash] }).slice(0, 2)).toEqual([
    "Delete Secret u1",
    "Hold Deployment",
  ]);
});

test("what has gone is waited for until it is there again", () => {
  const replacing = new Set([CLUSTER]);
  expect(texts([], { replacing })).toEqual(WAITS);
  expect(texts([seen(config, { hash: config.hash })], { replacing })).toEqual(ALL);
  expect(texts([], { replacing: new Set(["singapore-1"]) })).toEqual(ALL);
});

test("what waits says for what", () => {
  const [, waits] = replaceDependencies([config, deployment], [seen(config, { immutable: true })], facts({ owner }));
  expect(waits).toMatchObject({
    verb: "Hold",
    wanted: true,
    hash: deployment.hash,
    why: {
      reason: "DependencyReplaced",
      message: "ConfigMap shop was replaced on the hub; its old copy goes first",
    },
  });
});

test("a claim is never made anew, whatever of it has changed: it holds data", () => {
  const claim = applied("PersistentVolumeClaim", "dependency", { spec: { storageClassName: "fast" } });
  const refused = seen(claim, { refused: [claim.hash] });
  expect(texts([refused], {}, claim)).toEqual([
    "Apply PersistentVolumeClaim",
    "Apply Deployment",
    "Apply Service",
    "Apply Deployment",
  ]);
});
