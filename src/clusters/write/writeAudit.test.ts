import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { AuditTrail, type MemberWrite } from "../../observability/index.ts";
import { ApiError, type Client, CONFIGMAPS, NotLeaderError, SECRETS, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "../testing/builders.ts";
import { CLUSTER_UID, laneOn } from "../testing/laneHarness.ts";
import { WriteAudit } from "./writeAudit.ts";

const SPAN = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const CAUSE = { action: "Create", owner: { ...OWNER, resourceVersion: "7" }, span: SPAN, reconcileId: "r1" };
const PLANTED = "hunter2-planted";
const SECRET = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login", namespace: "default", annotations: { note: PLANTED } },
  data: { password: PLANTED },
};

/** The trail of one member, whose client answers each call so. */
function auditing(answer: () => Promise<unknown>) {
  const writes: MemberWrite[] = [];
  const clock = new FakeClock();
  const audit = new WriteAudit({ cluster: CLUSTER, trail: { wrote: (write) => void writes.push(write) }, clock });
  const call = async (): Promise<never> => {
    await clock.advance(12);
    return (await answer()) as never;
  };
  const given = {
    cluster: CLUSTER,
    get: call,
    list: call,
    watch: call,
    raw: call,
    stream: call,
    create: call,
    apply: call,
    applyStatus: call,
    patch: call,
    delete: call,
  };
  const client = audit.of(given as unknown as Client, CLUSTER_UID);
  return { writes, audit, client };
}

const applied = () => Promise.resolve({ ...SECRET, metadata: { ...SECRET.metadata, uid: "u1", generation: 3 } });

describe("the audit of a write", () => {
  test.each<{ verb: MemberWrite["verb"]; call: (client: Client) => Promise<unknown>; want: object }>([
    { verb: "create", call: (client) => client.create(SECRETS, SECRET), want: { fieldManager: "meridian" } },
    { verb: "apply", call: (client) => client.apply(SECRETS, SECRET), want: { fieldManager: "meridian" } },
    {
      verb: "apply",
      call: (client) => client.applyStatus(SECRETS, SECRET, { fieldManager: "other" }),
      want: { subresource: "status", fieldManager: "other" },
    },
    {
      verb: "patch",
      call: (client) => client.patch(SECRETS, "default", "login", "application/merge-patch+json", SECRET),
      want: {},
    },
    { verb: "delete", call: (client) => client.delete(SECRETS, "default", "login", { uid: "u1" }), want: {} },
  ])("$verb says who, what and how it ended", async ({ verb, call, want }) => {
    const { writes, client } = auditing(applied);
    await call(client);
    const object = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login", uid: "u1" };
    expect(writes).toMatchObject([
      { cluster: CLUSTER, clusterUid: CLUSTER_UID, verb, object, result: "success", generation: 3, ms: 12, ...want },
    ]);
    expect(JSON.stringify(writes)).not.toContain(PLANTED);
  });

  test.each([
    { error: new ApiError(409, "Conflict", PLANTED), want: { result: "refused", code: 409, reason: "Conflict" } },
    { error: new TransportError("Timeout", PLANTED), want: { result: "unknown", reason: "Timeout" } },
    { error: new Error(PLANTED), want: { result: "unknown", reason: "InternalError" } },
  ])("that fails is $want.result, without the words of the server", async ({ error, want }) => {
    const { writes, client } = auditing(() => Promise.reject(error));
    await expect(client.apply(SECRETS, SECRET)).rejects.toBe(error);
    expect(writes).toMatchObject([want]);
    expect(JSON.stringify(writes)).not.toContain(PLANTED);
  });

  test("has the cause of the object that is being written, and of no other", async () => {
    const { writes, audit, client } = auditing(applied);
    {
      using _cause = audit.begin({ apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" }, CAUSE);
      await client.apply(SECRETS, SECRET);
      await client.delete(CONFIGMAPS, "default", "login");
    }
    await client.apply(SECRETS, SECRET);
    expect(writes.map(({ cause }) => cause)).toEqual([CAUSE, undefined, undefined]);
  });

  test("is not made for a read, a dry run, or a request that was not sent", async () => {
    const { writes, client } = auditing(applied);
    await client.get(SECRETS, "default", "login");
    await client.apply(SECRETS, SECRET, { dryRun: true });
    const stopped = auditing(() => Promise.reject(new NotLeaderError("the Lease is not held")));
    await expect(stopped.client.apply(SECRETS, SECRET)).rejects.toThrow(NotLeaderError);
    expect([...writes, ...stopped.writes]).toEqual([]);
  });
});

test("a lane says why it writes, for as long as it writes", async () => {
  const begun: unknown[] = [];
  const begin = (ref: Parameters<WriteAudit["begin"]>[0], cause: Parameters<WriteAudit["begin"]>[1]) => {
    begun.push([refKey(ref), cause]);
    return { [Symbol.dispose]: () => void begun.push("over") };
  };
  const { objects, revisions, clock, spans } = laneOn(undefined, { begin });
  objects.takeRow({ ...revisions.set(row()), origin: undefined });
  await clock.advance(1);
  const [span] = spans;
  expect(begun).toMatchObject([
    [refKey(CONFIG_REF), { action: "Create", owner: { uid: OWNER.uid }, span: { spanId: span?.spanContext().spanId } }],
    "over",
  ]);
});

test("a record names the manager, the hub object and the trace", () => {
  const records: unknown[] = [];
  const now = (): number => 0;
  const trail = new AuditTrail({ user: "pod-1", randomId: () => "id", now, write: (one) => void records.push(one) });
  trail.wrote({
    ...{ cluster: CLUSTER, clusterUid: CLUSTER_UID, verb: "apply", fieldManager: "meridian", result: "success" },
    ...{ object: { ...CONFIG_REF, uid: "u1" }, generation: 3, ms: 12.4, cause: CAUSE },
  });
  expect(records).toEqual([
    {
      stream: "audit",
      audit_id: "id",
      occurred_at: "1970-01-01T00:00:00.000Z",
      user: "pod-1",
      field_manager: "meridian",
      cluster: CLUSTER,
      "k8s.cluster.name": CLUSTER,
      "k8s.cluster.uid": CLUSTER_UID,
      verb: "apply",
      resource_api_version: CONFIG_REF.apiVersion,
      resource_kind: CONFIG_REF.kind,
      resource_namespace: CONFIG_REF.namespace,
      resource_name: CONFIG_REF.name,
      resource_uid: "u1",
      result: "success",
      generation: 3,
      duration_ms: 12,
      action: "Create",
      owner_api_version: OWNER.apiVersion,
      owner_kind: OWNER.kind,
      owner_namespace: OWNER.namespace,
      owner_name: OWNER.name,
      owner_uid: OWNER.uid,
      owner_resource_version: "7",
      trace_id: SPAN.traceId,
      span_id: SPAN.spanId,
      reconcile_id: "r1",
    },
  ]);
});
