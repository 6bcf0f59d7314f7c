import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type Clock, CredentialsError, TransportError, type TransportReason } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { explainFailure, probe } from "./probe.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
const { signal } = new AbortController();
const transport = (reason: TransportReason) => new TransportError(reason, `${reason} at 10.0.0.1:34567`);
const unauthorized = new ApiError(401, "Unauthorized", "Unauthorized");
const failing = (...failedChecks: string[]) => new ApiError(500, "InternalError", "failing checks", { failedChecks });
const RENEW = "run `meridian join a --renew --member-kubeconfig FILE`";
const REJECTED = `the server does not accept the credentials (401): ${RENEW}`;
const UNREACHABLE = "ClusterUnreachable";
const hooks = Array.from({ length: 20 }, (_, index) => `poststarthook/start-controllers-${index}`);

test.each<[error: unknown, reason: string, message: string, abrupt?: boolean]>([
  [transport("ConnectionRefused"), UNREACHABLE, "connection refused", true],
  [transport("ConnectionReset"), UNREACHABLE, "connection reset", true],
  [transport("Timeout"), UNREACHABLE, "no answer in time"],
  [transport("Unreachable"), UNREACHABLE, "no route to the server", true],
  [transport("DNS"), UNREACHABLE, "the server's name does not resolve"],
  [transport("Aborted"), UNREACHABLE, "connection closed", true],
  [transport("Protocol"), UNREACHABLE, "the answer is not one of an API server"],
  [transport("TooLarge"), UNREACHABLE, "the answer is too long for one of an API server"],
  [
    new TransportError("TLS", "the certificate of m has expired"),
    "CertificateInvalid",
    "the certificate of m has expired",
  ],
  [unauthorized, "CredentialsRejected", REJECTED],
  [
    new ApiError(403, "Forbidden", "namespaces is forbidden"),
    "Forbidden",
    `its account may not get namespace kube-system: ${RENEW}`,
  ],
  [failing("etcd", "informer-sync"), "NotReady", "/readyz: failing checks: etcd, informer-sync"],
  [
    failing("etcd", ...hooks),
    "NotReady",
    "/readyz: failing checks: etcd, poststarthook/start-controllers-0, poststarthook/start-controllers-1 and 18 more",
  ],
  [new ApiError(503, "ServiceUnavailable", "no healthy upstream"), "NotReady", "the server is not ready (HTTP 503)"],
  [new CredentialsError("Refused", "m leads to a metadata address"), "AddressRefused", "m leads to a metadata address"],
  [new CredentialsError("InvalidKubeconfig", "no certificate"), "InvalidKubeconfig", "no certificate"],
  [new Error("at 2026-01-01T10:02:03.5Z  the clock\n stood still"), UNREACHABLE, "at the clock stood still"],
  [new Error("odd thing at 127.0.0.1:54321"), UNREACHABLE, "odd thing at 127.0.0.1"],
])("the failure of %s has the reason %s", (error, reason, message, abrupt = false) => {
  expect(explainFailure(error, "a", { clock })).toEqual({ reason, message, abrupt });
});

test.each([
  [Date.UTC(2026, 0, 1, 7, 30), "CredentialsExpired", `the token expired at 2026-01-01T07:30Z: ${RENEW}`],
  [Date.UTC(2026, 0, 1, 9), "CredentialsRejected", REJECTED],
])("a refused token that expires at %d has the reason %s", (tokenExpiresAt, reason, message) => {
  expect(explainFailure(unauthorized, "a", { clock, tokenExpiresAt })).toEqual({ reason, message, abrupt: false });
});

const silent = { reason: UNREACHABLE, message: "10.0.0.1:6443 did not answer within 3 s", abrupt: false };
test.each([
  [2_900, 0, { kind: "Answered", uid: "u1" }],
  [3_100, 0, { kind: "Failed", failure: silent }],
  // Timers that fire late show that this process was delayed.
  [5_100, 2_000, { kind: "Answered", uid: "u1" }],
  [60_000, 2_000, { kind: "Failed", failure: silent }],
  [60_000, 20_000, { kind: "Failed", failure: silent }],
])("an answer after %d ms with timers that are %d ms late: %j", async (answerMs, lateMs, want) => {
  const time = new FakeClock();
  const delayed: Clock = {
    now: () => time.now(),
    monotonic: () => time.monotonic(),
    after: (ms, callback) => time.after(ms + lateMs, callback),
    sleep: (ms, until) => time.sleep(ms + lateMs, until),
    nextTurn: () => time.nextTurn(),
  };
  const namespace = { metadata: { name: "kube-system", uid: "u1" } };
  const member: ScriptedClient = new ScriptedClient(
    () =>
      new Promise((resolve, reject) => {
        const given = member.signals.at(-1);
        time.after(answerMs, () => resolve(namespace));
        given?.addEventListener("abort", () => reject(given.reason as Error), { once: true });
      }),
  );
  const client = Object.assign(member.client, { address: "10.0.0.1:6443" });
  const outcome = probe(client, { clock: delayed, timeoutMs: 3_000, identity: { mayList: false }, signal });
  await time.advance(50_000);
  expect(await outcome).toEqual(want);
});

describe("the UID of the cluster", () => {
  const namespace = (uid?: string, name = "kube-system"): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, ...(uid === undefined ? {} : { uid }) },
  });
  const probing = (answer: Answer) => {
    const client = new ScriptedClient((call) => (call.verb === "raw" ? "ok" : answer(call)));
    const identity = { mayList: true };
    const outcome = (until = signal) => probe(client.client, { clock, timeoutMs: 3_000, identity, signal: until });
    return { client, identity, outcome };
  };

  test("comes from a list, which also gives the server's version; nothing is left running", async () => {
    const { client, outcome } = probing(() => ({ items: [namespace("u1")], resourceVersion: "5" }));
    expect(await outcome()).toEqual({ kind: "Answered", uid: "u1" });
    expect(client.calls.map(({ what, options }) => [what, options])).toEqual([
      ["GET /readyz", { accept: "text/plain, application/json" }],
      ["namespaces", { fieldSelector: "metadata.name=kube-system", limit: 1, metadataOnly: true }],
    ]);
    expect([clock.pending, client.signals.map((given) => given?.aborted)]).toEqual([0, [true, true]]);
  });

  test("comes from a get after a list was forbidden", async () => {
    const forbidden = new ApiError(403, "Forbidden", "no");
    const { client, identity, outcome } = probing(({ verb }) => (verb === "list" ? forbidden : namespace("u1")));
    expect([await outcome(), identity]).toEqual([{ kind: "Answered", uid: "u1" }, { mayList: false }]);
    await outcome();
    const readyz = "raw GET /readyz";
    expect(client.lines).toEqual([readyz, "list namespaces", "get namespaces", readyz, "get namespaces"]);
    const options = { metadataOnly: true, resourceVersion: "0" };
    expect(client.calls.at(-1)).toMatchObject({ name: "kube-system", options });
  });

  test.each([[[namespace()]], [[namespace("")]], [[]], [[namespace("u1", "other")]]])(
    "is missing in the list %j",
    async (items) => {
      const failure = { reason: "NotReady", message: "the namespace kube-system has no UID", abrupt: false };
      expect(await probing(() => ({ items, resourceVersion: "5" })).outcome()).toEqual({ kind: "Failed", failure });
    },
  );

  test("is unknown if the list fails, and lists go on", async () => {
    const { outcome, identity } = probing(() => new ApiError(500, "InternalError", "etcd is away"));
    expect(await outcome()).toMatchObject({ kind: "Failed", failure: { reason: "NotReady" } });
    expect(identity.mayList).toBe(true);
  });

  test("is not read after an abort, which is thrown", async () => {
    const over = new Error("over");
    const { client, outcome } = probing(() => namespace("u1"));
    await expect(outcome(AbortSignal.abort(over))).rejects.toBe(over);
    expect(client.calls).toEqual([]);
    const end = new AbortController();
    client.answer = () => {
      end.abort(over);
      return transport("Aborted");
    };
    await expect(outcome(end.signal)).rejects.toBe(over);
  });
});
