import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, type FederatedStatus, type KubeObject, recordOf } from "../apis/index.ts";
import { ApiError, type Client } from "../runtime/index.ts";
import type { HubCache } from "./cache/hubCache.ts";
import type { PlacedKind } from "./cache/placedKinds.ts";
import { StatusStore } from "./statusStore.ts";

const SHOP = "paas.cmft.com/DemoApplication/default/shop";
const signal = new AbortController().signal;
const entry = (name: string): ClusterStatusEntry => ({
  name,
  state: "Available",
  replicas: { desired: 1, updated: 1, ready: 1, available: 1 },
});
const statusOn = (...names: string[]): FederatedStatus => ({ observedGeneration: 1, clusters: names.map(entry) });

/** A store on a hub that has the application `shop` with that status; `answer` is given by hand to each write. */
function store(status: FederatedStatus | undefined, metadata: object = {}) {
  const object: KubeObject = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "shop", namespace: "default", uid: "u", ...metadata },
    ...(status === undefined ? {} : { status }),
  };
  const sent: unknown[][] = [];
  const observed: KubeObject[] = [];
  let answer = Promise.withResolvers<KubeObject>();
  const client = {
    applyStatus: (...call: unknown[]) => {
      sent.push(call);
      answer = Promise.withResolvers();
      return answer.promise;
    },
  } as unknown as Client;
  const hub = {
    object: (owner: string) => (owner === SHOP ? { object, kind } : undefined),
    statuses: { of: () => object["status"], recordOf: () => recordOf(object) },
  } as unknown as HubCache;
  const type = { group: "paas.cmft.com", version: "v1", kind: "DemoApplication", plural: "demoapplications" };
  const kind = { type, informer: { observe: (one: KubeObject) => void observed.push(one) } } as unknown as PlacedKind;
  const statuses = new StatusStore({ hub, client });
  const write = (next: FederatedStatus) => statuses.write({ object, kind }, next, signal);
  return { object, type, statuses, sent, observed, write, answer: () => answer };
}

describe("the status of a hub object", () => {
  test("is read from the cache", () => {
    const { statuses } = store(statusOn("a"));
    expect(statuses.read(SHOP)).toEqual(statusOn("a"));
    expect(statuses.read("other")).toBeUndefined();
  });

  test("is written by one apply, and its answer is in the cache at once", async () => {
    const { type, sent, observed, write, answer } = store(statusOn("a"));
    const written = write(statusOn("b"));
    const reply: KubeObject = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata: { name: "shop" } };
    answer().resolve(reply);
    expect(await written).toBe(reply);
    expect(observed).toEqual([reply]);
    const body = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { namespace: "default", name: "shop" },
      status: statusOn("b"),
    };
    expect(sent).toEqual([[type, body, { force: true, fieldManager: "meridian", signal }]]);
  });

  test.each([
    ["began unseen: that comes as an event of its own", undefined, "2026-11-22T10:00:00Z", 0],
    ["was known", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z", 1],
    ["is none", undefined, undefined, 1],
  ])("is taken from the answer, or is not, where the deletion %s", async (_what, before, after, want) => {
    const { observed, write, answer } = store(undefined, before === undefined ? {} : { deletionTimestamp: before });
    const written = write(statusOn("a"));
    answer().resolve({
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "shop", ...(after === undefined ? {} : { deletionTimestamp: after }) },
    });
    await written;
    expect(observed).toHaveLength(want);
  });
});

describe("the clusters that are certain to be in the record", () => {
  const recorded = ({ statuses }: ReturnType<typeof store>): string[] => [...statuses.recorded(SHOP)].toSorted();

  test("are those that the status names", () => {
    expect(recorded(store(statusOn("b", "a")))).toEqual(["a", "b"]);
    expect(recorded(store(undefined))).toEqual([]);
    expect([...store(statusOn("a")).statuses.recorded("other")]).toEqual([]);
  });

  test("are, while a write is under way, those that both statuses name", async () => {
    const made = store(statusOn("a", "b"));
    const written = made.write(statusOn("b", "c"));
    expect(recorded(made)).toEqual(["b"]);
    made.answer().resolve({ ...made.object, status: statusOn("b", "c") });
    await written;
    expect(recorded(made)).toEqual(["a", "b"]);
  });

  test.each([
    ["was lost, those that both name", new Error("socket closed"), ["b"]],
    ["was refused, those that both name", new ApiError(500, "InternalError", "no"), ["b"]],
    ["is that the object is gone, those of before", new ApiError(404, "NotFound", "no"), ["a", "b"]],
  ])("are, where the answer %s", async (_what, error, want) => {
    const made = store(statusOn("a", "b"));
    const written = made.write(statusOn("b", "c"));
    made.answer().reject(error);
    await expect(written).rejects.toBe(error);
    expect(recorded(made)).toEqual(want);
  });
});
