import { describe, expect, test } from "vitest";
import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { ApiError } from "../../runtime/index.ts";
import type { ClusterView, RowView } from "../../status/index.ts";
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
  const calls: unknown[][] = [];
  const { signal } = new AbortController();
  const state: { refusal: unknown } = { refusal: undefined };
  const observed: KubeObject[] = [];
  const sums = new StatusSums({
    clock: { now: () => Date.parse("2026-11-22T10:00:00Z") },
    client: {
      applyStatus: async (...args) => {
        const [, object, options] = args;
        calls.push(args);
        writes.push({ status: object["status"], force: options?.force });
        if (state.refusal !== undefined) throw state.refusal as Error;
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
      signal,
    );
  return { sums, write, writes, calls, signal, state, observed };
}

const both = [view("a", { readyNodes: 2, observedGeneration: 1 }), view("b", { readyNodes: 1, observedGeneration: 1 })];
const sum = { readyNodes: 3, observedGeneration: 4 };

describe("the sum of statuses on the hub", () => {
  test("is written where it is asked for, without force, and once", async () => {
    const { write, writes, observed } = hub();
    expect(await write(myDb(), both)).toStrictEqual({ refusal: undefined });
    expect(writes).toEqual([{ status: sum, force: false }]);
    expect(observed).toHaveLength(1);
    expect(await write(myDb(sum), both)).toEqual({ refusal: undefined });
    expect(writes).toHaveLength(1);
  });

  test.each([
    { name: "of an object", namespace: "default", metadata: { namespace: "default", name: "my-db" } },
    { name: "of an object of no namespace", namespace: undefined, metadata: { name: "my-db" } },
  ])(
    "$name is one apply under our name, and what the hub answers is known at once",
    async ({ namespace, metadata }) => {
      const { write, calls, observed, signal } = hub();
      const object = myDb();
      const { namespace: _, ...bare } = object.metadata;
      const placed = { ...object, metadata: namespace === undefined ? bare : { ...bare, namespace } };
      const views = both.map((one) => ({ ...one, rows: one.rows.map((row) => ({ ...row, ref: refOf(placed) })) }));
      await write(placed, views);
      const body = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster", metadata, status: sum };
      expect(calls).toStrictEqual([[TYPE, body, { force: false, fieldManager: "meridian", signal }]]);
      expect(observed).toStrictEqual([body]);
    },
  );

  test("is of the copy itself, and of nothing else that is there", async () => {
    const { write, writes } = hub();
    const row = { desiredHash: "h", inSync: true, status: { readyNodes: 100 } };
    const others: RowView[] = [
      { ...row, ref: refOf(myDb()), role: "dependency" },
      { ...row, ref: { ...refOf(myDb()), name: "other" }, role: "rendered" },
    ];
    const [first, ...rest] = both.map((one) => ({ ...one, rows: [...others, ...one.rows] }));
    await write(myDb(), [...(first === undefined ? [] : [first]), ...rest]);
    expect(writes).toEqual([{ status: sum, force: false }]);
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
    [new ApiError(409, "Conflict", 'conflict with "operator"'), "StatusOwnedByOthers", 'conflict with "operator"'],
    [
      new ApiError(403, "Forbidden", "may not patch mysqlclusters/status"),
      "Forbidden",
      "the sum: may not patch mysqlclusters/status",
    ],
    [new ApiError(404, "NotFound", "not found"), "StatusNotServed", "the kind has no status subresource on the hub"],
    [
      new ApiError(422, "Invalid", "status.phase: Unsupported value"),
      "StatusRefused",
      "the hub refuses the sum: status.phase: Unsupported value",
    ],
    [new ApiError(499, "Odd", "odd"), "StatusRefused", "the hub refuses the sum: odd"],
  ])("is not sent again while it is the same that was refused: %s", async (refusal, reason, message) => {
    const { write, writes, state } = hub();
    state.refusal = refusal;
    const dated = [view("a", { readyNodes: 2, conditions: [{ type: "Ready", status: "True" }] })];
    expect(await write(myDb(), dated)).toStrictEqual({ refusal: { reason, message } });
    expect(await write(myDb(), dated)).toStrictEqual({ refusal: { reason, message } });
    expect(writes).toHaveLength(1);
    state.refusal = undefined;
    expect(await write(myDb(), [view("a", { readyNodes: 3 })])).toEqual({ refusal: undefined });
    expect(writes).toHaveLength(2);
  });

  const refusal = new ApiError(422, "Invalid", "Unsupported value");

  test.each<{ name: string; between: (on: ReturnType<typeof hub>) => unknown }>([
    { name: "another one was taken", between: ({ write }) => write(myDb(), [view("a", { readyNodes: 3 })]) },
    { name: "nobody asked for it", between: ({ write }) => write(myDb(), both, target(["a", "b"], false)) },
    { name: "the object was forgotten", between: ({ sums }) => sums.forget(refKey(refOf(myDb()))) },
  ])("that was refused is sent again after $name meanwhile", async ({ between }) => {
    const on = hub();
    on.state.refusal = refusal;
    await on.write(myDb(), both);
    on.state.refusal = undefined;
    await between(on);
    on.state.refusal = refusal;
    const before = on.writes.length;
    expect(await on.write(myDb(), both)).toMatchObject({ refusal: { reason: "StatusRefused" } });
    expect(on.writes).toHaveLength(before + 1);
  });

  test.each([
    { name: "is busy", failure: new ApiError(503, "ServiceUnavailable", "busy") },
    { name: "fails", failure: new ApiError(500, "InternalError", "etcd is away") },
    { name: "knows us no more", failure: new ApiError(401, "Unauthorized", "the token is too old") },
    { name: "asks for patience", failure: new ApiError(429, "TooManyRequests", "slow down") },
    { name: "is not reached", failure: new Error("connection reset") },
  ])("is tried again when the hub $name", async ({ failure }) => {
    const { write, writes, state } = hub();
    state.refusal = failure;
    const outcome = await write(myDb(), both);
    expect(outcome?.refusal).toStrictEqual({
      reason: "ServerError",
      message: "the hub could not take the sum; it is tried again",
    });
    expect(outcome?.error).toBe(failure);
    await write(myDb(), both);
    expect(writes).toHaveLength(2);
  });

  test("that fails with something that is no error fails with one all the same", async () => {
    const { write, state } = hub();
    state.refusal = "gone";
    expect((await write(myDb(), both))?.error).toEqual(new Error("gone"));
  });
});

test("a Job has finished when its last copy has, also where a copy that had before is gone", async () => {
  const { sums, writes } = hub();
  const job: KubeObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "my-db", namespace: "default" } };
  const ref = refOf(job);
  const at = "2026-11-22T09:00:00Z";
  const complete = {
    startTime: at,
    completionTime: at,
    succeeded: 1,
    conditions: [{ type: "Complete", status: "True" }],
  };
  const gone = view("a", undefined, { ref, ended: { run: "r", end: "Complete" } });
  const kind = { type: TYPE, informer: { observe: () => undefined } } as unknown as PlacedKind;
  const { signal } = new AbortController();
  await sums.write("job", { object: job, kind }, target(["a", "b"]), [gone, view("b", complete, { ref })], signal);
  expect(writes).toMatchObject([
    { status: { completionTime: at, conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }] } },
  ]);
});
