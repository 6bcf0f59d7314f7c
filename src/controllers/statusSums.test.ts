import { describe, expect, test } from "vitest";
import { type KubeObject, refKey, refOf } from "../apis/index.ts";
import type { Target } from "../desiredstate/index.ts";
import type { PlacedKind } from "../hub/index.ts";
import { ApiError } from "../runtime/index.ts";
import type { ClusterView, RowView } from "../status/index.ts";
import { StatusSums } from "./statusSums.ts";

const TYPE = {
  group: "mysql.presslabs.org",
  version: "v1alpha1",
  kind: "MysqlCluster",
  plural: "mysqlclusters",
  namespaced: true,
};

function myDb(status: object = {}, managedFields: object[] = []): KubeObject {
  return {
    apiVersion: "mysql.presslabs.org/v1alpha1",
    kind: "MysqlCluster",
    metadata: { name: "my-db", namespace: "default", generation: 4, managedFields: managedFields as never },
    status,
  };
}

function view(name: string, status: object | undefined, more: Partial<RowView> = {}): ClusterView {
  const row: RowView = { ref: refOf(myDb()), role: "rendered", desiredHash: "h", inSync: true, ...more };
  if (status !== undefined) row.status = status as never;
  return { name, contact: { ok: true }, rows: [row] };
}

const target = (names: string[], aggregatesStatus = true): Target =>
  ({
    clusters: names.map((name) => ({ name, frozen: false, objects: [] })),
    ...(aggregatesStatus ? { aggregatesStatus } : {}),
  }) as unknown as Target;

function hub() {
  const writes: { status: unknown; force: unknown }[] = [];
  const state: { refusal: Error | undefined } = { refusal: undefined };
  const observed: KubeObject[] = [];
  const sums = new StatusSums({
    clock: { now: () => Date.parse("2026-11-22T10:00:00Z") },
    client: {
      applyStatus: async (_type, object, options) => {
        writes.push({ status: object["status"], force: options?.force });
        if (state.refusal !== undefined) throw state.refusal;
        return object;
      },
    },
  });
  const kind = { type: TYPE, informer: { observe: (object: KubeObject) => void observed.push(object) } };
  const write = (
    object: KubeObject,
    views: ClusterView[],
    wanted: Target | "none" = target(views.map((v) => v.name)),
  ) =>
    sums.write(
      refKey(refOf(object)),
      { object, kind: kind as unknown as PlacedKind },
      wanted === "none" ? undefined : wanted,
      views,
      new AbortController().signal,
    );
  return { write, writes, state, observed };
}

const both = [view("a", { readyNodes: 2, observedGeneration: 1 }), view("b", { readyNodes: 1, observedGeneration: 1 })];
const sum = { readyNodes: 3, observedGeneration: 4 };

describe("the sum of statuses on the hub", () => {
  test("is written where it is asked for, without force, and once", async () => {
    const { write, writes, observed } = hub();
    expect(await write(myDb(), both)).toEqual({ refusal: undefined });
    expect(writes).toEqual([{ status: sum, force: false }]);
    expect(observed).toHaveLength(1);
    expect(await write(myDb(sum), both)).toEqual({ refusal: undefined });
    expect(writes).toHaveLength(1);
  });

  test("is not written where nobody asks for it, nor while there is none", async () => {
    const { write, writes } = hub();
    expect(await write(myDb(), both, target(["a", "b"], false))).toBeUndefined();
    expect(await write(myDb(), both, "none")).toBeUndefined();
    expect(await write(myDb(), [view("a", undefined)])).toBeUndefined();
    expect(writes).toEqual([]);
  });

  test.each<[string, ClusterView[]]>([
    ["is being written", [view("a", { readyNodes: 2, observedGeneration: 1 }, { inSync: false })]],
    [
      "has not been seen by its controller",
      [view("a", { readyNodes: 2, observedGeneration: 1 }, { isStatusOld: true })],
    ],
    [
      "is on a cluster that is not heard of",
      [{ ...view("a", { readyNodes: 2, observedGeneration: 1 }), contact: { ok: false } }],
    ],
  ])("says nothing of the present generation while a copy %s", async (_name, views) => {
    const { write, writes } = hub();
    await write(myDb(), views);
    expect(writes).toEqual([{ status: { readyNodes: 2 }, force: false }]);
  });

  test("waits for every cluster of the plan", async () => {
    const { write, writes } = hub();
    await write(myDb({ observedGeneration: 3 }), [both[0] as ClusterView], target(["a", "c"]));
    expect(writes).toEqual([{ status: { readyNodes: 2, observedGeneration: 3 }, force: false }]);
  });

  test("leaves the status to somebody who writes it", async () => {
    const { write, writes } = hub();
    const theirs = {
      manager: "mysql-operator",
      subresource: "status",
      fieldsV1: { "f:status": { "f:readyNodes": {} } },
    };
    expect(await write(myDb({ readyNodes: 9 }, [theirs]), both)).toEqual({
      refusal: {
        reason: "StatusOwnedByOthers",
        message: "mysql-operator writes the object's status on the hub, and keeps it; nothing is summed up there",
      },
    });
    expect(writes).toEqual([]);
  });

  test.each([
    [new ApiError(409, "Conflict", 'conflict with "operator"'), "StatusOwnedByOthers"],
    [new ApiError(403, "Forbidden", "may not patch mysqlclusters/status"), "Forbidden"],
    [new ApiError(404, "NotFound", "not found"), "StatusNotServed"],
    [new ApiError(422, "Invalid", "status.phase: Unsupported value"), "StatusRefused"],
  ])("is not sent again while it is the same that was refused: %s", async (refusal, reason) => {
    const { write, writes, state } = hub();
    state.refusal = refusal;
    const dated = [view("a", { readyNodes: 2, conditions: [{ type: "Ready", status: "True" }] })];
    expect(await write(myDb(), dated)).toMatchObject({ refusal: { reason } });
    expect(await write(myDb(), dated)).toMatchObject({ refusal: { reason } });
    expect(writes).toHaveLength(1);
    state.refusal = undefined;
    expect(await write(myDb(), [view("a", { readyNodes: 3 })])).toEqual({ refusal: undefined });
    expect(writes).toHaveLength(2);
  });

  test("is tried again when the hub could not take it now", async () => {
    const { write, writes, state } = hub();
    state.refusal = new ApiError(503, "ServiceUnavailable", "busy");
    expect(await write(myDb(), both)).toMatchObject({ refusal: { reason: "ServerError" }, error: state.refusal });
    expect(await write(myDb(), both)).toMatchObject({ error: state.refusal });
    expect(writes).toHaveLength(2);
  });
});
