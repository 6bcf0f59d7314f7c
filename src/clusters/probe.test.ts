import { describe, expect, test } from "vitest";
import { ApiError, type Client, type Clock, CredentialsError, TransportError } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { explainFailure, probe } from "./probe.ts";

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
      message: "the server does not accept the credentials (401)",
    },
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      tokenExpiresAt: Date.UTC(2026, 0, 1, 7, 30),
      reason: "CredentialsExpired",
      message: "the token expired at 2026-01-01T07:30Z; join a again",
    },
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      tokenExpiresAt: Date.UTC(2026, 0, 1, 9),
      reason: "CredentialsRejected",
      message: "the server does not accept the credentials (401)",
    },
    {
      error: new ApiError(403, "Forbidden", "namespaces is forbidden"),
      reason: "Forbidden",
      message: "namespaces is forbidden",
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
    failure: { reason: "ClusterUnreachable", message: "no answer in time", abrupt: false },
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
