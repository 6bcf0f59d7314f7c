import { describe, expect, test } from "vitest";
import { type KubeObject, refOf } from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { ApiError } from "../../runtime/index.ts";
import type { ClusterView, RowView } from "../../status/index.ts";
import { StatusSums } from "./statusSums.ts";

const TYPE = {
  ...{ group: "mysql.presslabs.org", version: "v1alpha1", kind: "MysqlCluster", plural: "mysqlclusters" },
  namespaced: true,
};
const { signal } = new AbortController();

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

/** A hub that takes each sum, unless the test sets another answer. */
function hub() {
  const client = new ScriptedClient(({ body }) => body);
  const observed: KubeObject[] = [];
  let tracked = {};
  const sums = new StatusSums({ clock: { now: () => Date.parse("2026-11-22T10:00:00Z") }, client: client.client });
  const informer = { observe: (object: KubeObject) => void observed.push(object) };
  const kind = { type: TYPE, informer } as unknown as PlacedKind;
  const write = (
    object: KubeObject,
    views: ClusterView[],
    wanted: Target | "none" = target(views.map((v) => v.name)),
  ) => sums.write(tracked, { object, kind }, wanted === "none" ? undefined : wanted, views, signal);
  const written = () => client.calls.map(({ body }) => (body as KubeObject)["status"]);
  const refuse = (refusal: Error | undefined): void => void (client.answer = ({ body }) => refusal ?? body);
  const forget = (): void => void (tracked = {});
  return { sums, client, observed, write, written, refuse, forget };
}

const both = [view("a", { readyNodes: 2, observedGeneration: 1 }), view("b", { readyNodes: 1, observedGeneration: 1 })];
const sum = { readyNodes: 3, observedGeneration: 4 };
const DONE = { refusal: undefined };

describe("the sum of statuses on the hub", () => {
  test.each([{ namespace: "default" }, { namespace: undefined }])(
    "is one apply under our field manager, without force: %j",
    async ({ namespace }) => {
      const { write, client, observed } = hub();
      const object = myDb();
      const { namespace: _, ...bare } = object.metadata;
      const placed = { ...object, metadata: namespace === undefined ? bare : { ...bare, namespace } };
      const views = both.map((one) => ({ ...one, rows: one.rows.map((row) => ({ ...row, ref: refOf(placed) })) }));
      expect(await write(placed, views)).toStrictEqual(DONE);
      const metadata = { ...(namespace === undefined ? {} : { namespace }), name: "my-db" };
      const body = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster", metadata, status: sum };
      const options = { force: false, fieldManager: "meridian" };
      expect(client.calls).toMatchObject([{ verb: "applyStatus", what: "mysqlclusters", body, options }]);
      expect([client.signals, observed]).toEqual([[signal], [body]]);
      expect(await write({ ...placed, status: sum }, views)).toEqual(DONE);
      expect(client.calls).toHaveLength(1);
    },
  );

  test("counts the copy itself, and no other object on the member", async () => {
    const { write, written } = hub();
    const row = { desiredHash: "h", inSync: true, status: { readyNodes: 100 } };
    const others: RowView[] = [
      { ...row, ref: refOf(myDb()), role: "dependency" },
      { ...row, ref: { ...refOf(myDb()), name: "other" }, role: "rendered" },
    ];
    await write(
      myDb(),
      both.map((one) => ({ ...one, rows: [...others, ...one.rows] })),
    );
    expect(written()).toEqual([sum]);
  });

  test("is not written if no policy asks for it, nor without a status of a member", async () => {
    const { write, client } = hub();
    expect(await write(myDb(), both, target(["a", "b"], false))).toBeUndefined();
    expect(await write(myDb(), both, "none")).toBeUndefined();
    expect(await write(myDb(), [view("a", undefined)])).toBeUndefined();
    expect(client.calls).toEqual([]);
  });

  const present = { readyNodes: 2, observedGeneration: 1 };
  test.each<[string, ClusterView[], string[], object, object]>([
    ["is being written", [view("a", present, { inSync: false })], ["a"], {}, {}],
    ["has an outdated status", [view("a", present, { isStatusOld: true })], ["a"], {}, {}],
    ["is on a lost cluster", [{ ...view("a", present), contact: { ok: false } }], ["a"], {}, {}],
    [
      "is missing on a cluster of the plan",
      [view("a", present)],
      ["a", "c"],
      { observedGeneration: 3 },
      { observedGeneration: 3 },
    ],
  ])("keeps its observedGeneration while a copy %s", async (_, views, names, before, want) => {
    const { write, written } = hub();
    await write(myDb(before), views, target(names));
    expect(written()).toEqual([{ readyNodes: 2, ...want }]);
  });

  test("is left to another writer of the status", async () => {
    const { write, client } = hub();
    const fieldsV1 = { "f:status": { "f:readyNodes": {} } };
    const theirs = { manager: "mysql-operator", subresource: "status", fieldsV1 };
    expect(await write(myDb({ readyNodes: 9 }, [theirs]), both)).toEqual({
      refusal: {
        reason: "StatusOwnedByOthers",
        message: "mysql-operator writes the object's status on the hub, and keeps it; nothing is summed up there",
      },
    });
    expect(client.calls).toEqual([]);
  });

  test.each([
    [new ApiError(409, "Conflict", "conflict with operator"), "StatusOwnedByOthers", "conflict with operator"],
    [new ApiError(403, "Forbidden", "may not patch"), "Forbidden", "the sum: may not patch"],
    [new ApiError(404, "NotFound", "not found"), "StatusNotServed", "the kind has no status subresource on the hub"],
    [new ApiError(422, "Invalid", "bad value"), "StatusRefused", "the hub refuses the sum: bad value"],
    [new ApiError(499, "Odd", "odd"), "StatusRefused", "the hub refuses the sum: odd"],
  ])("is not sent again after a refusal: %s", async (refusal, reason, message) => {
    const { write, client, refuse } = hub();
    refuse(refusal);
    const dated = [view("a", { readyNodes: 2, conditions: [{ type: "Ready", status: "True" }] })];
    for (let times = 0; times < 2; times += 1)
      expect(await write(myDb(), dated)).toStrictEqual({ refusal: { reason, message } });
    expect(client.calls).toHaveLength(1);
    refuse(undefined);
    expect(await write(myDb(), [view("a", { readyNodes: 3 })])).toEqual(DONE);
    expect(client.calls).toHaveLength(2);
  });

  test.each<[string, (on: ReturnType<typeof hub>) => unknown]>([
    ["the object was forgotten", ({ forget }) => forget()],
  ])("is sent again after a refusal if meanwhile %s", async (_, between) => {
    const on = hub();
    const refusal = new ApiError(422, "Invalid", "Unsupported value");
    on.refuse(refusal);
    await on.write(myDb(), both);
    on.refuse(undefined);
    await between(on);
    on.refuse(refusal);
    const before = on.client.calls.length;
    expect(await on.write(myDb(), both)).toMatchObject({ refusal: { reason: "StatusRefused" } });
    expect(on.client.calls).toHaveLength(before + 1);
  });

  test.each([
    new ApiError(503, "ServiceUnavailable", "busy"),
    new ApiError(500, "InternalError", "etcd is away"),
    new ApiError(401, "Unauthorized", "the token is too old"),
    new ApiError(429, "TooManyRequests", "slow down"),
    new Error("connection reset"),
  ])("is tried again after a passing error: %s", async (failure) => {
    const { write, client, refuse } = hub();
    refuse(failure);
    const message = "the hub could not take the sum; it is tried again";
    expect(await write(myDb(), both)).toStrictEqual({ refusal: { reason: "ServerError", message }, error: failure });
    await write(myDb(), both);
    expect(client.calls).toHaveLength(2);
  });
});

test("a Job has finished when its last copy has, also if an earlier finished copy is gone", async () => {
  const { sums, client } = hub();
  const job: KubeObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "my-db", namespace: "default" } };
  const ref = refOf(job);
  const at = "2026-11-22T09:00:00Z";
  const conditions = [{ type: "Complete", status: "True" }];
  const complete = { startTime: at, completionTime: at, succeeded: 1, conditions };
  const gone = view("a", undefined, { ref, ended: { run: "r", end: "Complete" } });
  const kind = { type: TYPE, informer: { observe: () => undefined } } as unknown as PlacedKind;
  await sums.write({}, { object: job, kind }, target(["a", "b"]), [gone, view("b", complete, { ref })], signal);
  expect(client.calls[0]?.body).toMatchObject({
    status: { completionTime: at, conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }] },
  });
});
