import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, NotLeaderError, SECRETS, TransportError } from "../../runtime/index.ts";
import { copyIn, readLive, rehearse, type Rehearsed } from "./rehearsal.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "../testing/builders.ts";
import { live, marks, ours } from "../testing/memberWriting.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

/** The row's write, rehearsed on a member that answers as the test says. */
async function rehearsing(given: ApplyRow, there: KubeObject | undefined, answer: Answer = ({ body }) => body) {
  const member = new ScriptedClient(answer);
  const end = new AbortController();
  const access = { client: member.client, hubId: "hub", systemNamespace: "meridian-of-mine", signal: end.signal };
  const said: Rehearsed = await rehearse(access, CONFIGMAPS, given, there);
  return { said, calls: member.calls, signals: member.signals, end };
}

const stranger = live();
const SECRET_REF = { ...CONFIG_REF, kind: "Secret" };

describe("a write that is rehearsed", () => {
  test("is sent as the manager would send it, without being done, and says what would be there", async () => {
    const answer = { ...live(), data: { key: "defaulted" } };
    const { said, calls, signals, end } = await rehearsing(row(), undefined, () => answer);
    expect(calls).toEqual([
      {
        verb: "apply",
        what: "configmaps",
        namespace: "default",
        name: "shop",
        body: row().object,
        options: { dryRun: true, force: true },
      },
    ]);
    expect(signals).toEqual([end.signal]);
    expect(said).toEqual({ kind: "Written", before: undefined, after: answer });
  });

  test.each([
    { what: "ours, by its UID", there: ours, conflictResolution: "Abort" as const },
    { what: "anybody's that may be taken over, by its UID", there: stranger, conflictResolution: "Adopt" as const },
  ])("is of what is there and is $what", async ({ there, conflictResolution }) => {
    const { said, calls } = await rehearsing(row({ conflictResolution }), there);
    const sent = { ...row().object, metadata: { ...row().object.metadata, uid: "there" } };
    expect(calls.map(({ body }) => body)).toEqual([sent]);
    expect(said).toEqual({ kind: "Written", before: there, after: sent });
  });

  test("asks in the version that the row names", async () => {
    const versions: string[] = [];
    const type = { ...CONFIGMAPS, group: "apps", version: "v1" };
    const member = new ScriptedClient();
    const client = Object.assign(member.client, {
      apply: async ({ group, version, plural }: typeof type) => void versions.push(`${group}/${version} ${plural}`),
    });
    const access = { client, hubId: "hub", systemNamespace: "", signal: new AbortController().signal };
    await rehearse(access, type, row({ ref: { ...CONFIG_REF, apiVersion: "apps/v1beta2" } }), undefined);
    expect(versions).toEqual(["apps/v1beta2 configmaps"]);
  });

  test.each<{
    name: string;
    there: KubeObject;
    conflictResolution?: ApplyRow["conflictResolution"];
    reason: string;
    message: string;
  }>([
    {
      name: "what is being deleted",
      there: live({ ...marks, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      reason: "Terminating",
      message: "a ConfigMap of that name is being deleted on the member",
    },
    {
      name: "what is not Meridian's",
      there: stranger,
      reason: "AlreadyExists",
      message: "a ConfigMap of that name is there and is not Meridian's; conflictResolution: Adopt takes it over",
    },
    {
      name: "what nobody takes over, where the placement takes over nothing",
      there: live({ namespace: "meridian-of-mine" }),
      reason: "AlreadyExists",
      message:
        "a ConfigMap of that name is there and is never taken over: nothing in namespace meridian-of-mine is taken over",
    },
    {
      name: "what nobody takes over",
      there: live({ namespace: "meridian-of-mine" }),
      conflictResolution: "Adopt",
      reason: "NotAdoptable",
      message:
        "a ConfigMap of that name is there and is never taken over: nothing in namespace meridian-of-mine is taken over",
    },
    {
      name: "what another hub says and a controller keeps",
      there: live({
        labels: { [MANAGED_BY_LABEL]: "other" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "n", controller: true }],
      }),
      conflictResolution: "Adopt",
      reason: "NotAdoptable",
      message: "a ConfigMap of that name is there and is never taken over: Node n controls it",
    },
  ])("is refused without a request by $name", async ({ there, conflictResolution = "Abort", reason, message }) => {
    const { said, calls } = await rehearsing(row({ conflictResolution }), there);
    expect(said).toEqual({ kind: "Refused", reason, message });
    expect(calls).toEqual([]);
  });

  test("refers to the life of the hub object that asks: what only names an earlier life is a stranger", async () => {
    const unlabelled = { ...ours, metadata: { ...ours.metadata, labels: {} } };
    const mine = await rehearsing(row(), unlabelled);
    const later = await rehearsing(row({ owner: { ...OWNER, uid: "app-2" } }), unlabelled);
    expect([mine.said.kind, later.said]).toMatchObject(["Written", { kind: "Refused", reason: "AlreadyExists" }]);
  });

  const quota = new ApiError(403, "Forbidden", "exceeded quota: 1 of 1");
  test.each<{ name: string; error: Error; given?: ApplyRow; want: Rehearsed }>([
    {
      name: "its namespace is not there yet",
      error: new ApiError(404, "NotFound", 'namespaces "default" not found', { details: { kind: "namespaces" } }),
      want: { kind: "NamespaceMade" },
    },
    {
      name: "the member refuses it",
      error: quota,
      want: { kind: "Refused", reason: "QuotaExceeded", message: "exceeded quota: 1 of 1" },
    },
    {
      name: "the member refuses a Secret, whose words may quote it",
      error: quota,
      given: row({ ref: SECRET_REF }),
      want: {
        kind: "Refused",
        reason: "QuotaExceeded",
        message: "the member refused the object (403 Forbidden)",
      },
    },
    {
      name: "the member is not reached",
      error: new TransportError("ConnectionRefused", "connection refused"),
      want: { kind: "Unreached", reason: "ClusterUnreachable", message: "connection refused" },
    },
    {
      name: "the member refuses the credentials",
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      want: { kind: "Unreached", reason: "CredentialsRejected", message: "the member refused the credentials" },
    },
    {
      name: "no answer comes in time",
      error: new TransportError("Timeout", "no answer within 10 s"),
      want: { kind: "Unreached", reason: "ClusterUnreachable", message: "no answer within 10 s" },
    },
    {
      name: "the member asks for patience",
      error: new ApiError(429, "TooManyRequests", "slow down"),
      want: { kind: "Unreached", reason: "ClusterUnreachable", message: "the member asks for fewer requests" },
    },
  ])("says so when $name", async ({ error, given = row(), want }) => {
    expect((await rehearsing(given, undefined, () => error)).said).toEqual(want);
  });

  test.each([
    { name: "is no answer of a server", error: new TypeError("a bug") },
    { name: "means that nothing was sent", error: new NotLeaderError("not leading") },
  ])("fails with what $name", async ({ error }) => {
    await expect(rehearsing(row(), undefined, () => error)).rejects.toBe(error);
  });

  test("that is broken off fails with the reason, whatever the member says then", async () => {
    const end = new AbortController();
    const member = new ScriptedClient(() => {
      end.abort(new Error("enough"));
      return quota;
    });
    const access = { client: member.client, hubId: "hub", systemNamespace: "", signal: end.signal };
    await expect(rehearse(access, CONFIGMAPS, row(), undefined)).rejects.toThrow("enough");
  });

  test("keeps a long refusal short enough for a status", async () => {
    const { said } = await rehearsing(row({ ref: { ...CONFIG_REF, kind: "Config ".repeat(30) } }), stranger);
    expect(said).toMatchObject({ reason: "AlreadyExists", message: expect.stringMatching(/^a Config .{80,110}…$/) });
  });
});

describe("what of a member object a plan considers", () => {
  test("is nothing of a stranger", () => {
    expect(copyIn(CLUSTER, stranger)).toBeUndefined();
  });

  test("is what it is, as far as it says so", () => {
    expect(copyIn(CLUSTER, live({ annotations: { ...marks.annotations, [OWNER_ANNOTATION]: "?" } }))).toStrictEqual({
      cluster: CLUSTER,
      ref: CONFIG_REF,
      present: { uid: "there", proven: false, deleting: false, health: { state: "Available" } },
      writing: false,
      revision: 0,
    });
  });

  test("is all that it says of itself", () => {
    const annotations = {
      ...marks.annotations,
      [OBJECT_ANNOTATION]: refKey(SECRET_REF),
      [HASH_ANNOTATION]: "h1",
      [DELETION_POLICY_ANNOTATION]: "Orphan",
    };
    const secret: KubeObject = {
      ...live({
        annotations,
        creationTimestamp: "2026-01-01T00:00:00Z",
        deletionTimestamp: "2026-01-02T00:00:00Z",
      }),
      kind: "Secret",
      type: "Opaque",
      immutable: true,
    };
    expect(copyIn(CLUSTER, secret)).toStrictEqual({
      cluster: CLUSTER,
      ref: SECRET_REF,
      present: {
        uid: "there",
        proven: false,
        health: { state: "Progressing", reason: "Terminating", message: "it is being deleted" },
        hash: "h1",
        owner: OWNER,
        createdAt: "2026-01-01T00:00:00Z",
        policy: "Orphan",
        deleting: true,
        immutable: true,
        secretType: "Opaque",
      },
      writing: false,
      revision: 0,
    });
  });
});

describe("what has a name on the member", () => {
  const reading = async (answer: unknown) => {
    const member = new ScriptedClient(() => answer);
    const { signal } = new AbortController();
    const found = await readLive(member.client, SECRETS, { namespace: "default", name: "shop" }, signal);
    return { found, calls: member.calls, hasSignal: member.signals[0] === signal };
  };

  test("is read by it, and says its kind though the server left that out", async () => {
    const { metadata } = live();
    const { found, calls, hasSignal } = await reading({ metadata });
    expect(found).toEqual({ apiVersion: "v1", kind: "Secret", metadata });
    expect(calls).toEqual([{ verb: "get", what: "secrets", namespace: "default", name: "shop", options: {} }]);
    expect(hasSignal).toBe(true);
  });

  test("keeps the version that the server says", async () => {
    const { found } = await reading({ ...live(), apiVersion: "v2" });
    expect(found?.apiVersion).toBe("v2");
  });

  test.each([404, 405])("is nothing where the answer is %i", async (status) => {
    expect((await reading(new ApiError(status, "NotFound", "no"))).found).toBeUndefined();
  });

  test.each([
    { name: "refuses to say", error: new ApiError(403, "Forbidden", "no") },
    { name: "does not answer", error: new TransportError("Timeout", "late") },
  ])("is not known when the member $name", async ({ error }) => {
    await expect(reading(error)).rejects.toBe(error);
  });
});
