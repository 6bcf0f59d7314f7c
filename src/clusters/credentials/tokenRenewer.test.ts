import { describe, expect, onTestFinished, test } from "vitest";
import { timestamp } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { MemberSecret } from "../../ports/index.ts";
import { ApiError, kubeconfigFor } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { type KubeconfigCredentials, readCredentials } from "./credentials.ts";
import {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
  TokenRenewer,
} from "./renewal.ts";
import { fakeToken } from "../testing/fakeMember.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const MINUTE = 60_000;
/** Lifetime of the tokens, which are renewed after 80 minutes. */
const LIFE = 100 * MINUTE;

/** A renewer of one cluster; `state.failure`: error of the next token requests. */
function renewing() {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  const stored: { renewed: MemberSecret; signal: AbortSignal }[] = [];
  const member = new ScriptedClient();
  const { logger, lines } = logLines();
  const outcomes: string[] = [];
  const asked: unknown[] = [];
  const state = {
    failure: undefined as Error | undefined,
    tokens: 0,
    answer: (): "Stored" | "Conflict" | Promise<never> => "Stored",
  };
  const renewer = new TokenRenewer({
    cluster: "shanghai",
    secrets: {
      renew: async (renewed, signal) => {
        stored.push({ renewed, signal });
        return await state.answer();
      },
    },
    clock,
    random: () => 0.5,
    logger,
    requestToken: async (client, { signal: _, ...wanted }) => {
      expect(client).toBe(member.client);
      asked.push(wanted);
      if (state.failure !== undefined) throw state.failure;
      state.tokens += 1;
      return { token: tokenFrom(clock.now(), state.tokens), expiresAt: clock.now() + LIFE };
    },
    onOutcome: (outcome) => void outcomes.push(outcome.renewed ? outcome.expiresAt : outcome.message),
  });
  onTestFinished(() => renewer[Symbol.dispose]());
  const readFrom = (kubeconfig: string, annotations: Record<string, string>): KubeconfigCredentials => {
    const secret = { name: "shanghai", resourceVersion: "7", annotations, data: { kubeconfig } };
    const reference = { kubeconfigSecretRef: { name: "shanghai", key: "kubeconfig" } };
    const read = readCredentials("shanghai", reference, secret, false);
    if (read.kind !== "Kubeconfig") throw new Error(read.kind);
    return read;
  };
  const credentials = (token = tokenFrom(clock.now(), 0), issuedAt = clock.now()): KubeconfigCredentials => {
    const kubeconfig = kubeconfigFor({ cluster: "m", server: "https://m.test", token });
    return readFrom(Buffer.from(kubeconfig).toString("base64"), {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: timestamp(issuedAt),
      [TOKEN_EXPIRES_AT_ANNOTATION]: timestamp(issuedAt + LIFE),
    });
  };
  const follow = (given: KubeconfigCredentials | undefined = credentials()): void =>
    renewer.follow(given, member.client);
  return { renewer, clock, stored, member, lines, outcomes, asked, state, credentials, follow };
}

function tokenFrom(issuedAt: number, number: number): string {
  return fakeToken(`token-${number}`, issuedAt, issuedAt + LIFE);
}

describe("a token", () => {
  test("is renewed after 80 % of its lifetime, into its Secret", async () => {
    const { clock, stored, follow, asked, outcomes, lines } = renewing();
    follow();
    await clock.advance(80 * MINUTE - 1);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked).toEqual([{ namespace: "meridian-system", serviceAccount: "meridian", expirationSeconds: 6_000 }]);
    const annotations = {
      [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T09:20:00Z",
      [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T11:00:00Z",
    };
    expect(stored).toMatchObject([{ renewed: { name: "shanghai", resourceVersion: "7", annotations } }]);
    const kubeconfig = Buffer.from(stored[0]?.renewed.data["kubeconfig"] ?? "", "base64").toString();
    expect(kubeconfig).toContain(tokenFrom(Date.UTC(2026, 0, 1, 9, 20), 1));
    expect(outcomes).toEqual(["2026-01-01T11:00:00Z"]);
    expect(lines).toMatchObject([{ level: "info", cluster: "shanghai", msg: "token renewed" }]);
  });

  test("is not renewed without credentials, client or annotations", async () => {
    const { clock, renewer, follow, asked, credentials, member } = renewing();
    const bare = credentials();
    renewer.follow(undefined, member.client);
    renewer.follow(bare, undefined);
    follow({ ...bare, secret: { ...bare.secret, annotations: {} } });
    expect(clock.pending).toBe(0);
    await clock.advance(LIFE);
    expect(asked).toEqual([]);
  });
});

describe("a renewal that fails", () => {
  const failing = async () => {
    const all = renewing();
    all.state.failure = new ApiError(403, "Forbidden", "may not create serviceaccounts/token");
    all.follow();
    await all.clock.advance(80 * MINUTE);
    return all;
  };

  test("is reported each time, and retried with backoff up to five minutes", async () => {
    const { clock, asked, outcomes, lines } = await failing();
    const tries: number[] = [];
    for (let second = 1; second <= 800; second += 1) {
      const before = asked.length;
      await clock.advance(1_000);
      if (asked.length > before) tries.push(second);
    }
    const pauses = tries.map((at, index) => at - (tries[index - 1] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([9, 17, 34]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
    expect(new Set(outcomes)).toEqual(new Set(["may not create serviceaccounts/token"]));
    expect(lines[0]).toMatchObject({
      level: "warn",
      cluster: "shanghai",
      event_reason: "TokenNotRenewed",
      msg: "token not renewed; trying again",
    });
  });

  test("is forgotten with another token", async () => {
    const { clock, follow, asked, credentials } = await failing();
    follow(credentials(tokenFrom(clock.now(), 9)));
    await clock.advance(79 * MINUTE);
    expect(asked).toHaveLength(1);
  });

  test("because of a changed Secret is not reported", async () => {
    const { clock, state, follow, outcomes, lines, asked } = renewing();
    state.answer = () => "Conflict";
    follow();
    await clock.advance(80 * MINUTE);
    expect([outcomes, lines]).toEqual([[], []]);
    await clock.advance(10_000);
    expect(asked).toHaveLength(2);
  });
});

test("the end cancels the wait and the running renewal without a report", async () => {
  const idle = renewing();
  idle.follow();
  idle.renewer[Symbol.dispose]();
  expect(idle.clock.pending).toBe(0);

  const busy = renewing();
  const answered = Promise.withResolvers<never>();
  busy.state.answer = () => answered.promise;
  busy.follow();
  await busy.clock.advance(80 * MINUTE);
  busy.renewer[Symbol.dispose]();
  expect(busy.stored[0]?.signal.aborted).toBe(true);
  let settled = false;
  const settling = busy.renewer.settled().then(() => (settled = true));
  await busy.clock.advance(0);
  expect(settled).toBe(false);
  answered.reject(new Error("over"));
  await settling;
  busy.follow();
  expect([busy.outcomes, busy.lines, busy.clock.pending]).toEqual([[], [], 0]);
});
