import { describe, expect, test } from "vitest";
import { type KubeObject, OBJECT_FINALIZER, type OwnerRef, refKey } from "../../../apis/index.ts";
import type { HubCache, PlacedKind } from "../../../hub/index.ts";
import { CRDS, DEMOAPPLICATIONS, type ResourceType } from "../../../runtime/index.ts";
import { type Gone, heldAsGone, heldByKind } from "./heldDeletions.ts";
import { observation } from "../../testing/builders.ts";

const signal = new AbortController().signal;
const HELD = { reason: "KindBeingDeleted", message: "its CRD is being deleted" } as const;
const MYSQL = { group: "mysql.io", version: "v1", kind: "MysqlCluster", plural: "mysqlclusters", namespaced: true };
const crd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "mysqlclusters.mysql.io" },
  spec: { group: "mysql.io", names: { kind: "MysqlCluster" } },
};
const database = (...finalizers: string[]): KubeObject => ({
  apiVersion: "mysql.io/v1",
  kind: "MysqlCluster",
  metadata: { name: "my-db", finalizers },
});

/** The result for a hub with these databases. `held`: the kinds whose deletions are held. */
function why(object: KubeObject, type: ResourceType, databases: KubeObject[] | undefined, held: ResourceType[]) {
  const placed = databases && { type: MYSQL, informer: { list: () => databases } };
  const hub = {
    kindDeletions: { held: async (one: ResourceType) => (held.includes(one) ? HELD : undefined) },
    kindOf: ({ apiVersion, kind }: { apiVersion: string; kind: string }) =>
      apiVersion.startsWith("mysql.io/") && kind === "MysqlCluster" ? placed : undefined,
  } as unknown as HubCache;
  return heldByKind(hub, object, { type } as PlacedKind, signal);
}

describe("a CRD that is being deleted", () => {
  test.each<[string, ResourceType, KubeObject["spec"], boolean]>([
    ["another kind of its group", { ...CRDS, kind: "Other" }, crd["spec"], false],
    ["a CRD", CRDS, crd["spec"], true],
    ["a CRD without a spec", CRDS, undefined, false],
  ])("is held for the objects of its kind, if it defines one: %s", async (_, type, spec, want) => {
    const held = await why({ ...crd, spec }, type, [database(OBJECT_FINALIZER)], [MYSQL]);
    expect(held).toEqual(want ? HELD : undefined);
  });

  const placed = (what: string) => ({ reason: "KindBeingDeleted", message: `${what} placed on members` });
  test.each<[string, KubeObject[] | undefined, ResourceType[], unknown]>([
    ["whose kind has no objects", undefined, [MYSQL], undefined],
    ["whose objects are not placed", [database()], [MYSQL], undefined],
    ["whose objects are placed, and nobody has agreed", [database(OBJECT_FINALIZER)], [MYSQL], HELD],
    [
      "whose objects are being removed",
      [database(OBJECT_FINALIZER), database(`${OBJECT_FINALIZER}.v2`), database()],
      [],
      placed("2 objects of the kind MysqlCluster are"),
    ],
    ["of which one object is left", [database(OBJECT_FINALIZER)], [], placed("1 object of the kind MysqlCluster is")],
  ])("%s", async (_, databases, held, want) => expect(await why(crd, CRDS, databases, held)).toEqual(want));
});

test("an object that is being deleted is held while its own kind is being deleted", async () => {
  expect(await why(database(), MYSQL, [], [MYSQL])).toEqual(HELD);
  expect(await why(database(), MYSQL, [], [])).toBeUndefined();
  expect(await why(database(), DEMOAPPLICATIONS, [], [MYSQL])).toBeUndefined();
});

describe("the copies of an object that is gone", () => {
  const ref: OwnerRef = { apiVersion: "mysql.io/v1", kind: "MysqlCluster", namespace: "default", name: "db", uid: "1" };
  const [OLD, NEW] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const copy = (createdAt: string | undefined, present: object = {}) =>
    observation({ present: { owner: ref, ...(createdAt === undefined ? {} : { createdAt }), ...present } });
  async function lost(gone: Partial<Gone>, { isHeld = false, isServed = true } = {}) {
    const owners: string[] = [];
    const asked: string[] = [];
    const hub = {
      kindOf: () => (isServed ? ({ type: MYSQL } as PlacedKind) : undefined),
      kindDeletions: {
        held: async () => (isHeld ? HELD : undefined),
        wasOfEarlierCrd: async (_type: ResourceType, madeAt: string) => (asked.push(madeAt), madeAt <= OLD),
      },
    } as unknown as HubCache;
    const missing = { lostWithKind: (owner: string) => void owners.push(owner) };
    const all: Gone = { ref, here: undefined, copies: [copy(NEW), copy(OLD)], confirmed: true, ...gone };
    return { why: await heldAsGone({ hub, missing }, all, signal), lost: owners, asked };
  }

  test.each<[string, Partial<Gone>, string[], string[]]>([
    ["one is older than the CRD", {}, [refKey(ref)], [OLD]],
    ["all are younger", { copies: [copy(NEW)] }, [], [NEW]],
    ["their age is unknown", { copies: [copy(undefined)] }, [], []],
    ["the hub has not confirmed the end of the object", { confirmed: false }, [], []],
    ["the older copy names no owner", { copies: [copy(NEW), copy(OLD, { owner: undefined })] }, [], [NEW]],
  ])("belong to an earlier CRD by their age alone: %s", async (_, gone, want, asked) => {
    expect(await lost(gone)).toEqual({ why: undefined, lost: want, asked });
  });

  test("are held while their kind is being deleted, if the hub serves the kind", async () => {
    expect(await lost({}, { isHeld: true })).toEqual({ why: HELD, lost: [], asked: [] });
    expect(await lost({}, { isHeld: true, isServed: false })).toEqual({ why: undefined, lost: [], asked: [] });
  });
});
