import { describe, expect, test } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import type { MemberSecret } from "../../ports/index.ts";
import { kubeconfigFor } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { CredentialsReader } from "./credentialsReader.ts";

const REFERENCE = { kubeconfigSecretRef: { name: "shanghai", key: "kubeconfig" } };
const secret = (token = "t"): MemberSecret => ({
  name: "shanghai",
  resourceVersion: "1",
  annotations: {},
  data: {
    kubeconfig: Buffer.from(kubeconfigFor({ cluster: "m", server: "https://m.test", token })).toString("base64"),
  },
});

/** `cached`: Secret in the cache; `answers`: results of the reads from the hub. */
function reading(cached?: MemberSecret, answers: (MemberSecret | Error | undefined)[] = []) {
  const clock = new FakeClock();
  const end = new AbortController();
  const { logger, lines } = logLines();
  const read: string[] = [];
  const state = { cached, looked: 0 };
  const reader = new CredentialsReader({
    cluster: "shanghai",
    allowExec: false,
    clock,
    logger,
    secrets: {
      get: () => state.cached,
      lookUp: async (name, signal) => {
        expect([name, signal]).toEqual(["shanghai", end.signal]);
        const answer = answers[Math.min(state.looked, answers.length - 1)];
        state.looked += 1;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    signal: end.signal,
    onRead: (credentials) => void read.push(credentials.kind === "Unusable" ? credentials.reason : credentials.kind),
  });
  return { reader, clock, end, lines, read, state };
}

describe("the credentials of a cluster", () => {
  test("are read once for each change of the Secret or the MemberCluster", async () => {
    const { reader, read, state } = reading(secret());
    await reader.read(REFERENCE);
    await reader.read({ ...REFERENCE });
    expect(read).toEqual(["Kubeconfig"]);
    state.cached = secret("another");
    await reader.read(REFERENCE);
    await reader.read({ kubeconfigSecretRef: { name: "shanghai", key: "other" } });
    await reader.read({ local: {} });
    expect(read).toEqual(["Kubeconfig", "Kubeconfig", "InvalidKubeconfig", "Local"]);
  });

  test("are read again until the hub answers", async () => {
    const { reader, read, state, clock, lines } = reading(undefined, [new Error("etcd is away"), undefined]);
    const done = reader.read(REFERENCE);
    await clock.advance(1_900);
    expect([read, state.looked]).toEqual([[], 1]);
    const msg = "the Secret of the cluster could not be read; trying again";
    expect(lines).toMatchObject([{ level: "warn", event_reason: "SecretNotRead", msg }]);
    await clock.advance(200);
    await done;
    expect([read, state.looked]).toEqual([["SecretNotFound"], 2]);
  });

  test("are not read again after another change or after the end", async () => {
    const other = reading(undefined, [new Error("etcd is away")]);
    const first = other.reader.read(REFERENCE);
    await other.clock.advance(10);
    await other.reader.read({ local: {} });
    await other.clock.advance(10_000);
    await first;
    expect([other.read, other.state.looked]).toEqual([["Local"], 1]);

    const late = reading(undefined, [undefined]);
    const looking = late.reader.read(REFERENCE);
    await late.reader.read({ local: {} });
    await looking;
    expect(late.read).toEqual(["Local"]);

    const over = reading(undefined, [new Error("etcd is away")]);
    const unanswered = over.reader.read(REFERENCE);
    await over.clock.advance(10);
    over.end.abort(new Error("over"));
    await unanswered;
    await over.reader.read({ local: {} });
    expect([over.read, over.state.looked, over.clock.pending]).toEqual([[], 1, 0]);
  });
});
