import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import {
  type Client,
  type ClusterConfig,
  CONFIGMAPS,
  Discovery,
  kubeconfigFor,
  NotLeaderError,
} from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { SERVICE_ACCOUNT_ANNOTATION } from "../credentials/index.ts";
import { FakeConnections } from "../testing/fakeConnections.ts";
import { FakeMember, fakeToken } from "../testing/fakeMember.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";
import { ClusterPool, type ClusterPoolOptions } from "./pool.ts";

const HOUR = 3_600_000;

/** A pool whose hub's side is the test, with a real client if there is a guard; see also src/controllers/members/connections.test.ts, which tries both sides. */
function pooling(more: Partial<ClusterPoolOptions> = {}) {
  const clock = new FakeClock();
  const hubSide = new FakeConnections();
  const members = new Map<string, FakeMember>();
  const heard: string[] = [];
  const sessions: MemberSession[] = [];
  const { client } = new ScriptedClient();
  const clientFor = (config: ClusterConfig, cluster: string): Client => {
    const member = members.get(cluster);
    if (member === undefined) throw new Error(`no member ${cluster}`);
    return member.connect(config, cluster);
  };
  const make = (): ClusterPool =>
    new ClusterPool({
      ...{ connections: hubSide, reports: hubSide, credentials: hubSide.credentials, clock, identity: "pool" },
      hubLocal: { client, discovery: new Discovery(client, clock), clusterUid: "hub-uid" },
      allowExec: false,
      logger: createLogger({ level: "silent" }),
      metrics: { setMemberReady: () => undefined, forgetCluster: () => undefined },
      random: () => 0.5,
      ...(more.guard === undefined ? { clientFor } : {}),
      listener: {
        paceOf: () => undefined,
        sessionStarted: (session) => {
          sessions.push(session);
          session.signal.addEventListener("abort", () => heard.push(`${session.cluster} session ended`));
        },
        contactChanged: (cluster, { ok, reason }) => heard.push(`${cluster} ${ok ? "ok" : reason}`),
        clusterRemoved: (cluster) => heard.push(`${cluster} removed`),
      },
      ...more,
    });
  const end = new AbortController();
  const run = (pool: ClusterPool): Promise<void> => {
    const running = pool.run(end.signal);
    onTestFinished(async () => {
      end.abort(new Error("over"));
      await running;
    });
    return running;
  };
  const member = (name: string): FakeMember => {
    const made = new FakeMember(name, `${name}-uid`);
    members.set(name, made);
    hubSide.put(name, made.kubeconfig());
    return made;
  };
  return { clock, hubSide, heard, sessions, make, run, end, member };
}

describe("a pool", () => {
  test("knows its clusters before it runs, and connects to none before it has read the Secrets", async () => {
    const { clock, hubSide, heard, make, run, end } = pooling();
    const pool = make();
    hubSide.set("a");
    await clock.advance(60_000);
    const running = run(pool);
    await clock.advance(60_000);
    expect([heard, hubSide.sent]).toEqual([["a Connecting"], []]);
    hubSide.sync();
    await clock.settle();
    expect(heard).toEqual(["a Connecting", "a SecretNotFound"]);
    end.abort(new Error("over"));
    await running;
    hubSide.set("b");
    expect([heard.length, pool.contact("b").reason, hubSide.followers]).toEqual([2, "ClusterUnknown", 0]);
  });

  test("connects to the clusters that were there before it", async () => {
    const { clock, hubSide, make, run, member, sessions } = pooling();
    member("a");
    hubSide.set("a");
    hubSide.sync();
    void run(make());
    await clock.settle();
    expect(sessions).toMatchObject([{ cluster: "a", clusterUid: "a-uid" }]);
  });

  test("has a reason for an unknown cluster", () => {
    const { hubSide, heard, make } = pooling();
    const pool = make();
    const message = "there is no MemberCluster of that name";
    expect(pool.contact("a")).toEqual({ ok: false, reason: "ClusterUnknown", message });
    expect(pool.session("a")).toBeUndefined();
    hubSide.remove("a");
    expect(heard).toEqual([]);
  });

  test("has ended the session of a removed cluster when the removal returns", async () => {
    const { clock, hubSide, make, run, member, sessions, heard } = pooling();
    const pool = make();
    member("a");
    hubSide.set("a");
    hubSide.sync();
    void run(pool);
    await clock.settle();
    hubSide.remove("a");
    expect([sessions[0]?.signal.aborted, pool.session("a")]).toEqual([true, undefined]);
    expect(heard.slice(2)).toEqual(["a session ended", "a removed"]);
  });

  test("waits at its end for the work of its connections", async () => {
    const { clock, hubSide, make, run, member } = pooling();
    const pool = make();
    const { clients } = member("a");
    hubSide.set("a");
    hubSide.sync();
    void run(pool);
    await clock.settle();
    const closed = Promise.withResolvers<void>();
    const [client] = clients;
    if (client !== undefined) client[Symbol.asyncDispose] = () => closed.promise;
    let isOver = false;
    const ending = pool[Symbol.asyncDispose]().then(() => (isOver = true));
    await clock.settle();
    expect([isOver, pool.session("a")]).toEqual([false, undefined]);
    closed.resolve();
    await ending;
    expect(isOver).toBe(true);
  });

  test("asks before each write whether this cluster may be written", async () => {
    const asked: string[] = [];
    const written = Promise.withResolvers<unknown>();
    const { hubSide, make, run, clock } = pooling({
      guard: (cluster) => {
        asked.push(cluster);
        throw new NotLeaderError("not held");
      },
      requestToken: async (client) => {
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: "default" } };
        written.resolve(await client.apply(CONFIGMAPS, object).catch((error: unknown) => error));
        throw new Error("no token here");
      },
    });
    const token = fakeToken("meridian", clock.now() - HOUR, clock.now());
    const kubeconfig = kubeconfigFor({ cluster: "a", server: "https://127.0.0.1:1", token });
    hubSide.put("a", kubeconfig, { [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian" });
    hubSide.set("a");
    hubSide.sync();
    void run(make());
    await clock.settle();
    expect([await written.promise, asked]).toEqual([new NotLeaderError("not held"), ["a"]]);
  });
});
