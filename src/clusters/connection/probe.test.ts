import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type Client, type Clock, CredentialsError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { explainFailure, probe } from "./probe.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));

describe("what a failed probe means", () => {
  test.each<{ error: unknown; tokenExpiresAt?: number; reason: string; message: string; abrupt?: boolean }>([
    {
      error: new TransportError("ConnectionRefused", "connection refused by 10.0.0.1:34567"),
      reason: "ClusterUnreachable",
      message: "connection refused",
      abrupt: true,
    },
    {
      error: new TransportError("ConnectionReset", "closed by 10.0.0.1:34567"),
      reason: "ClusterUnreachable",
      message: "connection reset",
      abrupt: true,
    },
    {
      error: new TransportError("Timeout", "timed out after 3 s"),
      reason: "ClusterUnreachable",
      message: "no answer in time",
    },
    {
      error: new TransportError("TLS", "the certificate of m has expired"),
      reason: "CertificateInvalid",
      message: "the certificate of m has expired",
    },
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      reason: "CredentialsRejected",
      message:
        "the server does not accept the credentials (401): run `meridian join a --renew --member-kubeconfig FILE`",
    },
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      tokenExpiresAt: Date.UTC(2026, 0, 1, 7, 30),
      reason: "CredentialsExpired",
      message: "the token expired at 2026-01-01T07:30Z: run `meridian join a --renew --member-kubeconfig FILE`",
    },
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      tokenExpiresAt: Date.UTC(2026, 0, 1, 9),
      reason: "CredentialsRejected",
      message:
        "the server does not accept the credentials (401): run `meridian join a --renew --member-kubeconfig FILE`",
    },
    {
      error: new ApiError(403, "Forbidden", "namespaces is forbidden"),
      reason: "Forbidden",
      message: "its account may not get namespace kube-system: run `meridian join a --renew --member-kubeconfig FILE`",
    },
    {
      error: new ApiError(500, "InternalError", "the server answered 500 InternalError", {
        failedChecks: ["etcd", "informer-sync"],
      }),
      reason: "NotReady",
      message: "/readyz: failing checks: etcd, informer-sync",
    },
    {
      error: new ApiError(500, "InternalError", "the server answered with many failing checks", {
        failedChecks: ["etcd", ...Array.from({ length: 20 }, (_, index) => `poststarthook/start-controllers-${index}`)],
      }),
      reason: "NotReady",
      message:
        "/readyz: failing checks: etcd, poststarthook/start-controllers-0, poststarthook/start-controllers-1 and 18 more",
    },
    {
      error: new ApiError(503, "ServiceUnavailable", "no healthy upstream"),
      reason: "NotReady",
      message: "the server is not ready (HTTP 503)",
    },
    {
      error: new CredentialsError("Refused", "the host name m leads to a metadata address"),
      reason: "AddressRefused",
      message: "the host name m leads to a metadata address",
    },
    {
      error: new CredentialsError("InvalidKubeconfig", "the client certificate is none"),
      reason: "InvalidKubeconfig",
      message: "the client certificate is none",
    },
    ...(
      [
        ["Unreachable", "no route to the server", true],
        ["DNS", "the server's name does not resolve", false],
        ["Aborted", "connection closed", true],
        ["Protocol", "the answer is not one of an API server", false],
        ["TooLarge", "the answer is too long for one of an API server", false],
      ] as const
    ).map(([why, message, abrupt]) => ({
      error: new TransportError(why, `${why} at 10.0.0.1:34567`),
      reason: "ClusterUnreachable",
      message,
      abrupt,
    })),
    {
      error: new Error("at 2026-01-01T10:02:03.5Z  the clock\n stood still"),
      reason: "ClusterUnreachable",
      message: "at the clock stood still",
    },
    {
      error: new Error("odd thing at 127.0.0.1:54321"),
      reason: "ClusterUnreachable",
      message: "odd thing at 127.0.0.1",
    },
  ])("$error.message is $reason", ({ error, tokenExpiresAt, reason, message, abrupt = false }) => {
    expect(explainFailure(error, "a", { clock, tokenExpiresAt })).toEqual({ reason, message, abrupt });
  });
});

describe("how long a probe waits", () => {
  /** A cluster that answers after so many milliseconds, seen by a process whose timers come late. */
  function probing({ answerMs, lateMs }: { answerMs: number; lateMs: number }) {
    const time = new FakeClock();
    const delayed: Clock = {
      now: () => time.now(),
      monotonic: () => time.monotonic(),
      after: (ms, callback) => time.after(ms + lateMs, callback),
      sleep: (ms, signal) => time.sleep(ms + lateMs, signal),
      nextTurn: () => time.nextTurn(),
    };
    const answer = <T>(value: T, signal: AbortSignal | undefined): Promise<T> =>
      new Promise((resolve, reject) => {
        time.after(answerMs, () => resolve(value));
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    const client = {
      cluster: "a",
      address: "10.0.0.1:6443",
      raw: (_method: string, _path: string, { signal }: { signal?: AbortSignal }) => answer("ok", signal),
      get: (_type: unknown, _namespace: unknown, _name: string, { signal }: { signal?: AbortSignal }) =>
        answer({ metadata: { name: "kube-system", uid: "u1" } }, signal),
    } as unknown as Client;
    const identity = { mayList: false };
    const outcome = probe(client, { clock: delayed, timeoutMs: 3_000, identity, signal: new AbortController().signal });
    return { time, outcome };
  }

  const silent = {
    kind: "Failed",
    failure: { reason: "ClusterUnreachable", message: "10.0.0.1:6443 did not answer within 3 s", abrupt: false },
  };

  test.each([
    { answerMs: 2_900, lateMs: 0, expected: { kind: "Answered", uid: "u1" } },
    { answerMs: 3_100, lateMs: 0, expected: silent },
    { answerMs: 5_100, lateMs: 2_000, expected: { kind: "Answered", uid: "u1" } },
    { answerMs: 60_000, lateMs: 2_000, expected: silent },
    { answerMs: 60_000, lateMs: 20_000, expected: silent },
  ])("an answer after $answerMs ms, timers $lateMs ms late: $expected.kind", async ({ expected, ...how }) => {
    const { time, outcome } = probing(how);
    await time.advance(50_000);
    expect(await outcome).toEqual(expected);
  });
});

describe("which cluster answers a probe", () => {
  const namespace = (uid?: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "kube-system", ...(uid === undefined ? {} : { uid }) },
  });
  const { signal } = new AbortController();
  const probing = (answer: Answer, mayList = true) => {
    const client = new ScriptedClient((call) => (call.verb === "raw" ? "ok" : answer(call)));
    const identity = { mayList };
    const outcome = (until = signal) => probe(client.client, { clock, timeoutMs: 3_000, identity, signal: until });
    return { client, identity, outcome };
  };

  test("is read from a list of the one namespace, which tells the version of the server too", async () => {
    const { client, outcome } = probing(() => ({ items: [namespace("u1")], resourceVersion: "5" }));
    expect(await outcome()).toEqual({ kind: "Answered", uid: "u1" });
    expect(client.calls.map(({ what, options }) => [what, options])).toEqual([
      ["GET /readyz", { accept: "text/plain, application/json" }],
      ["namespaces", { fieldSelector: "metadata.name=kube-system", limit: 1, metadataOnly: true }],
    ]);
  });

  test("is read from the namespace alone where nobody may list, from then on", async () => {
    const forbidden = new ApiError(403, "Forbidden", "no");
    const { client, identity, outcome } = probing(({ verb }) => (verb === "list" ? forbidden : namespace("u1")));
    expect([await outcome(), identity]).toEqual([{ kind: "Answered", uid: "u1" }, { mayList: false }]);
    await outcome();
    expect(client.lines).toEqual([
      "raw GET /readyz",
      "list namespaces",
      "get namespaces",
      "raw GET /readyz",
      "get namespaces",
    ]);
    expect(client.calls.at(-1)).toMatchObject({
      name: "kube-system",
      options: { metadataOnly: true, resourceVersion: "0" },
    });
  });

  test.each([
    { name: "the namespace has no UID", items: [namespace()] },
    { name: "its UID is empty", items: [namespace("")] },
    { name: "there is no such namespace", items: [] },
    { name: "another one was answered", items: [{ ...namespace("u1"), metadata: { name: "other", uid: "u1" } }] },
  ])("is unknown when $name", async ({ items }) => {
    const { outcome } = probing(() => ({ items, resourceVersion: "5" }));
    expect(await outcome()).toEqual({
      kind: "Failed",
      failure: { reason: "NotReady", message: "the namespace kube-system has no UID", abrupt: false },
    });
  });

  test("is not known when the list fails for another reason", async () => {
    const { outcome, identity } = probing(() => new ApiError(500, "InternalError", "etcd is away"));
    expect(await outcome()).toMatchObject({ kind: "Failed", failure: { reason: "NotReady" } });
    expect(identity.mayList).toBe(true);
  });

  test("is no question any more at the end", async () => {
    const over = new Error("over");
    const { client, outcome } = probing(() => namespace("u1"));
    await expect(outcome(AbortSignal.abort(over))).rejects.toBe(over);
    expect(client.calls).toEqual([]);
    const end = new AbortController();
    client.answer = () => {
      end.abort(over);
      return new TransportError("Aborted", "aborted");
    };
    await expect(outcome(end.signal)).rejects.toBe(over);
  });

  test("leaves no timer behind, and breaks off what is under way when it is over", async () => {
    const time = new FakeClock();
    const client = new ScriptedClient(({ verb }) => (verb === "raw" ? "ok" : { items: [namespace("u1")] }));
    await probe(client.client, { clock: time, timeoutMs: 3_000, identity: { mayList: true }, signal });
    expect([time.pending, client.signals.map((one) => one?.aborted)]).toEqual([0, [true, true]]);
  });
});
