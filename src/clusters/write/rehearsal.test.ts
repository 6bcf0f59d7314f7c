import { describe, expect, test, vi } from "vitest";
import { type KubeObject } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, NotLeaderError, SECRETS, TransportError } from "../../runtime/index.ts";
import { readLive, rehearse, type Rehearsed } from "./rehearsal.ts";
import { CONFIG_REF, row } from "../testing/builders.ts";
import { FORBIDDEN, live, marks, ours } from "../testing/memberWriting.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

/** Rehearses the row's write on a member that answers as the test says. `there`: the live object. */
async function rehearsing(given: ApplyRow, there?: KubeObject, answer: Answer = ({ body }) => body) {
  const end = new AbortController();
  const member = new ScriptedClient(answer);
  const access = { client: member.client, hubId: "hub", systemNamespace: "meridian-of-mine", signal: end.signal };
  const result = await rehearse(access, CONFIGMAPS, given, there);
  expect(member.signals.every((signal) => signal === end.signal)).toBe(true);
  return { result, calls: member.calls };
}

const foreign = live();
const SECRET_REF = { ...CONFIG_REF, kind: "Secret" };

describe("a rehearsed write", () => {
  test("is a forced dry-run apply, and returns what would be there", async () => {
    const after = { ...live(), data: { key: "defaulted" } };
    const { result, calls } = await rehearsing(row(), undefined, () => after);
    const place = { verb: "apply", what: "configmaps", namespace: "default", name: "shop" };
    expect(calls).toEqual([{ ...place, body: row().object, options: { dryRun: true, force: true } }]);
    expect(result).toEqual({ kind: "Written", before: undefined, after });
  });

  test.each([
    [ours, "Abort"],
    [foreign, "Adopt"],
  ] as const)("names the UID of the live object: %#", async (there, conflictResolution) => {
    const after = { ...row().object, metadata: { ...row().object.metadata, uid: "there" } };
    const { result } = await rehearsing(row({ conflictResolution }), there);
    expect(result).toEqual({ kind: "Written", before: there, after });
  });

  test("uses the version that the row names", async () => {
    const apply = vi.fn();
    const client = Object.assign(new ScriptedClient().client, { apply });
    const access = { client, hubId: "hub", systemNamespace: "", signal: new AbortController().signal };
    await rehearse(access, CONFIGMAPS, row({ ref: { ...CONFIG_REF, apiVersion: "v1beta2" } }), undefined);
    expect(apply.mock.lastCall?.[0]).toEqual({ ...CONFIGMAPS, version: "v1beta2" });
  });

  const system = live({ namespace: "meridian-of-mine" });
  const deleted = live({ ...marks, deletionTimestamp: "2026-01-01T00:00:00Z" });
  test.each<[string, KubeObject, ApplyRow["conflictResolution"]]>([
    ["Terminating", deleted, "Abort"],
    ["AlreadyExists", foreign, "Abort"],
    ["NotAdoptable", system, "Adopt"],
  ])("is refused as %s without a request: %#", async (reason, there, conflictResolution) => {
    const { result, calls } = await rehearsing(row({ conflictResolution }), there);
    expect([result, calls]).toMatchObject([{ kind: "Refused", reason }, []]);
  });

  const unreached = (reason: string, message: string) => ({ kind: "Unreached" as const, reason, message });
  const quota = new ApiError(403, "Forbidden", "exceeded quota: 1 of 1");
  const noNamespace = new ApiError(404, "NotFound", 'namespaces "a" not found', { details: { kind: "namespaces" } });
  const exceeded = (message: string) => ({ kind: "Refused" as const, reason: "QuotaExceeded", message });
  test.each<[string, Error, Rehearsed, ApplyRow?]>([
    ["a missing namespace", noNamespace, { kind: "NamespaceMade" }],
    ["a refusal", quota, exceeded("exceeded quota: 1 of 1")],
    // The server's words may quote the Secret.
    ["a refused Secret", quota, exceeded("the member refused the object (403 Forbidden)"), row({ ref: SECRET_REF })],
    ["silence", new TransportError("Timeout", "no answer"), unreached("ClusterUnreachable", "no answer")],
    [
      "throttling",
      new ApiError(429, "TooManyRequests", "slow down"),
      unreached("ClusterUnreachable", "the member asks for fewer requests"),
    ],
  ])("returns %s as a result", async (_, error, want, given = row()) => {
    expect((await rehearsing(given, undefined, () => error)).result).toEqual(want);
  });

  test.each([new TypeError("a bug"), new NotLeaderError("not leading")])("throws %s", async (error) => {
    await expect(rehearsing(row(), undefined, () => error)).rejects.toBe(error);
  });

  test("throws the reason when it is aborted", async () => {
    const end = new AbortController();
    const member = new ScriptedClient(() => {
      end.abort(new Error("enough"));
      return quota;
    });
    const access = { client: member.client, hubId: "hub", systemNamespace: "", signal: end.signal };
    await expect(rehearse(access, CONFIGMAPS, row(), undefined)).rejects.toThrow("enough");
  });
});

describe("reading a live object", () => {
  const reading = async (answer: unknown) => {
    const member = new ScriptedClient(() => answer);
    const { signal } = new AbortController();
    const found = await readLive(member.client, SECRETS, { namespace: "default", name: "shop" }, signal);
    return { found, calls: member.calls, hasSignal: member.signals[0] === signal };
  };

  test("adds kind and apiVersion where the server left them out", async () => {
    const { metadata } = live();
    const { found, calls, hasSignal } = await reading({ metadata });
    expect([found, hasSignal]).toEqual([{ apiVersion: "v1", kind: "Secret", metadata }, true]);
    expect(calls).toEqual([{ verb: "get", what: "secrets", namespace: "default", name: "shop", options: {} }]);
    expect((await reading({ ...live(), apiVersion: "v2" })).found?.apiVersion).toBe("v2");
  });

  test.each([404, 405])("returns nothing for %i", async (status) => {
    expect((await reading(new ApiError(status, "NotFound", "no"))).found).toBeUndefined();
  });

  test.each([FORBIDDEN, new TransportError("Timeout", "late")])("throws %s", async (error) => {
    await expect(reading(error)).rejects.toBe(error);
  });
});
