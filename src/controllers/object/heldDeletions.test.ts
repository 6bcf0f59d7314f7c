import { describe, expect, test } from "vitest";
import { type KubeObject, OBJECT_FINALIZER, type OwnerRef, refKey } from "../../apis/index.ts";
import type { HubCache, PlacedKind } from "../../hub/index.ts";
import { CRDS, DEMOAPPLICATIONS, type ResourceType } from "../../runtime/index.ts";
import { type Gone, heldAsGone, heldByKind } from "./heldDeletions.ts";
import { observation } from "../testing/builders.ts";

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

/** Why the object is held on a hub with these databases, where deletions of these kinds are held. */
function why(object: KubeObject, type: ResourceType, databases: KubeObject[] | undefined, held: ResourceType[]) {
  const placed = databases && { type: MYSQL, informer: { list: () => databases } };
  const hub = {
    kindDeletions: { held: async (one: ResourceType) => (held.includes(one) ? HELD : undefined) },
    kindOf: ({ apiVersion, kind }: { apiVersion: string; kind: string }) =>
      apiVersion.startsWith("mysql.io/") && kind === "MysqlCluster" ? placed : undefined,
  } as unknown as HubCache;
  return heldByKind(hub, object, { type } as PlacedKind, signal);
}

describe("the copies of an object that is being deleted", () => {
  test.each<{ name: string; object?: KubeObject; type: ResourceType; want: unknown }>([
    { name: "of a CRD's group that is no CRD", type: { ...CRDS, kind: "Other" }, want: undefined },
    { name: "called like a CRD, of another group", type: { ...CRDS, group: "example.com" }, want: undefined },
    { name: "that is a CRD", type: CRDS, want: HELD },
    { name: "that is a CRD without a spec", object: { ...crd, spec: undefined }, type: CRDS, want: undefined },
    { name: "that is a CRD of no kind", object: { ...crd, spec: { group: "mysql.io" } }, type: CRDS, want: undefined },
    {
      name: "that is a CRD of no group",
      object: { ...crd, spec: { names: { kind: "MysqlCluster" } } },
      type: CRDS,
      want: undefined,
    },
  ])(
    "stay for the sake of the kind that it defines only where it defines one: $name",
    async ({ object = crd, type, want }) => {
      expect(await why(object, type, [database(OBJECT_FINALIZER)], [MYSQL])).toEqual(want);
    },
  );

  test("stay for as long as its kind is being deleted and nobody has agreed", async () => {
    expect(await why(database(), MYSQL, [], [MYSQL])).toEqual(HELD);
    expect(await why(database(), MYSQL, [], [])).toBeUndefined();
    expect(await why(database(), DEMOAPPLICATIONS, [], [MYSQL])).toBeUndefined();
  });

  test.each<{ name: string; databases: KubeObject[] | undefined; held: ResourceType[]; want: unknown }>([
    { name: "that defines a kind of which nobody has an object", databases: undefined, held: [MYSQL], want: undefined },
    { name: "that defines a kind without placed objects", databases: [database()], held: [MYSQL], want: undefined },
    {
      name: "whose objects are placed, and nobody has agreed",
      databases: [database(OBJECT_FINALIZER)],
      held: [MYSQL],
      want: HELD,
    },
    {
      name: "whose objects are on their way",
      databases: [database(OBJECT_FINALIZER), database(`${OBJECT_FINALIZER}.v2`), database()],
      held: [],
      want: { reason: "KindBeingDeleted", message: "2 objects of the kind MysqlCluster are placed on members" },
    },
    {
      name: "of which one object is on its way",
      databases: [database(OBJECT_FINALIZER)],
      held: [],
      want: { reason: "KindBeingDeleted", message: "1 object of the kind MysqlCluster is placed on members" },
    },
  ])("of a CRD $name", async ({ databases, held, want }) => {
    expect(await why(crd, CRDS, databases, held)).toEqual(want);
  });
});

describe("the copies of an object that is gone", () => {
  const ref: OwnerRef = { apiVersion: "mysql.io/v1", kind: "MysqlCluster", namespace: "default", name: "db", uid: "1" };
  const copy = (createdAt: string | undefined, present: object = {}) =>
    observation({ present: { owner: ref, ...(createdAt === undefined ? {} : { createdAt }), ...present } });
  const OLD = "2026-01-01T00:00:00Z";
  const NEW = "2026-01-02T00:00:00Z";

  async function lost(gone: Partial<Gone>, { isHeld = false, isServed = true } = {}) {
    const lostOwners: string[] = [];
    const asked: string[] = [];
    const why = await heldAsGone(
      {
        hub: {
          kindOf: () => (isServed ? ({ type: MYSQL } as PlacedKind) : undefined),
          kindDeletions: {
            held: async () => (isHeld ? HELD : undefined),
            wasOfEarlierCrd: async (_type: ResourceType, madeAt: string) => (asked.push(madeAt), madeAt <= OLD),
          },
        } as unknown as HubCache,
        missing: { lostWithKind: (owner) => void lostOwners.push(owner) },
      },
      { ref, here: undefined, copies: [copy(NEW), copy(OLD)], confirmed: true, ...gone },
      signal,
    );
    return { why, lost: lostOwners, asked };
  }

  test.each<{ name: string; gone: Partial<Gone>; want: object }>([
    { name: "of which one is older than the CRD", gone: {}, want: { lost: [refKey(ref)], asked: [OLD] } },
    { name: "that are younger", gone: { copies: [copy(NEW)] }, want: { lost: [], asked: [NEW] } },
    { name: "whose age nobody knows", gone: { copies: [copy(undefined)] }, want: { lost: [], asked: [] } },
    { name: "which the hub has not confirmed", gone: { confirmed: false }, want: { lost: [], asked: [] } },
    {
      name: "of which one names nobody",
      gone: { copies: [copy(NEW), copy(OLD, { owner: undefined })] },
      want: { lost: [], asked: [NEW] },
    },
  ])("are those of an earlier CRD by their age alone: copies $name", async ({ gone, want }) => {
    expect(await lost(gone)).toEqual({ why: undefined, ...want });
  });

  test("are held while the kind is being deleted, and for a kind that is not served nothing is read", async () => {
    expect(await lost({}, { isHeld: true })).toEqual({ why: HELD, lost: [], asked: [] });
    expect(await lost({}, { isHeld: true, isServed: false })).toEqual({ why: undefined, lost: [], asked: [] });
  });
});
