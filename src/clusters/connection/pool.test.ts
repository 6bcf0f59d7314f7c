import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../../apis/index.ts";
import { ApiError, MEMBERCLUSTERS, NODES, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { poolHarness } from "../testing/poolHarness.ts";

const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");
const start = poolHarness();

describe("a member that is joined", () => {
  test("gets its UID written down before a session starts, and then its contact is reported", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    let recordedBefore: string | undefined;
    h.hub.gate = ({ verb, phase }) => {
      if (verb === "applyStatus" && phase === "before") recordedBefore = h.heard.join();
    };
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(recordedBefore).toBe("a Connecting");
    expect(h.heard).toEqual(["a Connecting", "a session a-uid", "a ok"]);
    expect(h.pool.session("a")).toBe(h.sessions[0]);
    expect(h.ready.get("a")).toBe(true);
  });

  test("shows version, UID, APIs and capacity in one status write", async () => {
    const h = await start();
    const member = h.member("a");
    const status = { allocatable: { cpu: "1500m", memory: "2Gi", pods: "110" } };
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, status });
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n2" }, status });
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.status("a")).toMatchObject({
      observedGeneration: 1,
      kubernetesVersion: "v1.35.4",
      clusterUID: "a-uid",
      apis: ["apps/v1", "batch/v1", "v1"],
      capacity: { nodes: 2, cpu: "3", memory: "4Gi", pods: "220" },
    });
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });

  test("that is lost while the Lease is in doubt is written down when the Lease is sure again", async () => {
    const h = await start();
    const member = await h.joined("a");
    let isHeld = false;
    h.hub.gate = ({ verb, phase }) => {
      if (verb === "applyStatus" && phase === "before" && !isHeld) throw new NotLeaderError("not held");
    };
    member.failure = REFUSED;
    await h.advance(20_000);
    expect(h.pool.contact("a").ok).toBe(false);
    expect(h.readyCondition("a")).toBe("True Connected: ");
    isHeld = true;
    await h.advance(30_000);
    expect(h.readyCondition("a")).toContain("False ClusterUnreachable");
  });

  test("is written no status and no Event while nothing changes", async () => {
    const h = await start();
    await h.joined("a");
    await h.advance(20 * 60_000);
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
  });

  test("is written no status and no Event by a manager that starts anew", async () => {
    const h = await start();
    const member = await h.joined("a");
    const object = h.hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster;
    h.pool.remove("a");
    h.pool.upsert(object);
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
    expect(member.clients).toHaveLength(2);
  });

  test("is probed every five seconds, and again at once when somebody suspects something", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    const before = client?.probes ?? 0;
    await h.advance(22_000);
    expect((client?.probes ?? 0) - before).toBe(4);
    for (let i = 0; i < 10; i += 1) h.sessions[0]?.suspect();
    await h.settle();
    expect((client?.probes ?? 0) - before).toBe(5);
  });

  test("has no session before its UID could be written down, and gets one when it can", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    h.hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    h.cluster("a");
    await h.advance(5_000);
    expect(h.sessions).toEqual([]);
    expect(h.pool.contact("a").reason).toBe("IdentityNotRecorded");
    h.hub.gate = () => undefined;
    await h.advance(20_000);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });
});

describe("a member that goes away", () => {
  test("is lost within two seconds when it refuses connections and a watch broke, and found again within ten", async () => {
    const h = await start();
    const member = await h.joined("a");
    member.failure = REFUSED;
    h.sessions[0]?.suspect();
    await h.advance(2_000);
    expect(h.pool.contact("a")).toMatchObject({
      ok: false,
      reason: "ClusterUnreachable",
      message: "connection refused",
    });
    expect(h.readyCondition("a")).toBe("False ClusterUnreachable: connection refused");
    expect(h.ready.get("a")).toBe(false);
    await h.advance(60_000);
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.heard).toEqual(["a Connecting", "a session a-uid", "a ok", "a ClusterUnreachable", "a ok"]);
    expect(h.sessions[0]?.signal.aborted).toBe(false);
    expect(h.events).toEqual([
      "Warning ClusterUnreachable: connection refused",
      expect.stringMatching(/^Normal Recovered: contact regained after \d+s: ClusterUnreachable, connection refused$/),
    ]);
  });

  test("keeps the time of its last contact", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h.advance(12_000);
    const before = h.clock.now();
    member.failure = REFUSED;
    await h.advance(60_000);
    const { lastContact = 0 } = h.pool.contact("a");
    expect(before - lastContact).toBeLessThan(6_000);
    expect(lastContact).toBeLessThanOrEqual(before);
  });

  test("is not lost for one probe that failed", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    let failures = 1;
    if (client !== undefined) {
      client.gate = () => {
        if (failures-- > 0) throw REFUSED;
      };
    }
    await h.advance(20_000);
    expect(failures).toBeLessThan(0);
    expect(h.heard).toEqual(["a Connecting", "a session a-uid", "a ok"]);
  });

  test("is lost when it does not answer at all", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    if (client !== undefined) {
      client.gate = ({ options }) =>
        new Promise((_, reject) =>
          options?.signal?.addEventListener("abort", () => reject(options.signal?.reason as Error)),
        );
    }
    await h.advance(13_000);
    expect(h.pool.contact("a")).toMatchObject({
      ok: false,
      reason: "ClusterUnreachable",
      message: "the server did not answer within 3 s",
    });
  });

  test("is slow when its answers take long: said once, with the figure, and what was when that is over", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    const slow = () => h.status("a")?.conditions?.find(({ type }) => type === "Slow");
    if (client !== undefined)
      client.gate = async ({ phase }) => {
        if (phase === "before") await h.clock.sleep(2_500);
      };
    await h.advance(30_000);
    expect(slow()).toMatchObject({ status: "True", reason: "SlowAnswers", message: "answers take about 2.5s" });
    expect(h.readyCondition("a")).toBe("True Connected: ");
    await h.advance(300_000);
    expect(h.hub.statusWrites).toHaveLength(2);
    if (client !== undefined) client.gate = () => undefined;
    await h.advance(60_000);
    expect(slow()).toMatchObject({ status: "False", reason: "AnswersInTime" });
    expect(slow()?.message).toContain("2.5s");
    expect(h.status("a")).not.toHaveProperty("latency");
    expect(h.hub.statusWrites).toHaveLength(3);
    expect(h.events).toEqual([
      "Warning SlowAnswers: answers take about 2.5s",
      expect.stringMatching(/^Normal Recovered: over: SlowAnswers for \dm, answers take about 2.5s$/),
    ]);
  });

  test("has writes that do not flow: said when that lasts, and what was when that is over", async () => {
    const h = await start();
    await h.joined("a");
    const throttled = () => h.status("a")?.conditions?.find(({ type }) => type === "Throttled");
    h.pace = { reason: "WritesThrottled", message: "the server asks for fewer requests (HTTP 429)" };
    await h.advance(6_000);
    expect(throttled()).toBeUndefined();
    await h.advance(20_000);
    expect(throttled()).toMatchObject({ status: "True", ...h.pace });
    h.pace = undefined;
    await h.advance(20_000);
    expect(throttled()).toMatchObject({ status: "False", reason: "WritesFlow" });
    expect(h.hub.statusWrites).toHaveLength(3);
  });

  test("does not disturb the others", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h.joined("b");
    member.failure = REFUSED;
    await h.advance(60_000);
    expect(h.heard.filter((line) => line.startsWith("b "))).toEqual(["b Connecting", "b session b-uid", "b ok"]);
  });

  test("has its version and APIs read again when it is back", async () => {
    const h = await start();
    const member = await h.joined("a");
    member.failure = REFUSED;
    await h.advance(12_000);
    member.version = "v1.36.0";
    member.apis = ["apps/v1", "paas.cmft.com/v1"];
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.status("a")).toMatchObject({ kubernetesVersion: "v1.36.0", apis: ["apps/v1", "paas.cmft.com/v1", "v1"] });
  });
});

test("a cluster of another manager's is used once that one has written down which cluster it is", async () => {
  const h = await start();
  const member = h.member("a");
  h.secret("a", member.kubeconfig());
  h.cluster("a");
  const cluster = () => h.hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster;
  h.pool.upsert(cluster(), false);
  await h.advance(10_000);
  expect([h.sessions.length, h.status("a")]).toEqual([0, undefined]);
  expect(h.pool.contact("a")).toMatchObject({ ok: false, reason: "IdentityNotRecorded" });
  h.hub.server.merge(MEMBERCLUSTERS, undefined, "a", { status: { clusterUID: "a-uid" } });
  h.pool.upsert(cluster(), false);
  await h.until(() => h.sessions.length === 1);
  expect(h.status("a")).toEqual({ clusterUID: "a-uid" });
});

describe("the end", () => {
  test("of a MemberCluster ends its session, closes its client and is reported", async () => {
    const h = await start();
    const member = await h.joined("a");
    h.pool.remove("a");
    await h.settle();
    expect(h.heard.slice(3)).toEqual(["a session ended", "a removed"]);
    expect(member.clients[0]?.disposed).toBe(true);
    expect(h.pool.contact("a").reason).toBe("ClusterUnknown");
    expect(h.ready.has("a")).toBe(false);
    const calls = member.clients[0]?.calls.length;
    await h.advance(60_000);
    expect(member.clients[0]?.calls.length).toBe(calls);
  });

  test("of the pool ends every session and leaves no timer", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h[Symbol.asyncDispose]();
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(member.clients[0]?.disposed).toBe(true);
    expect(h.heard).not.toContain("a removed");
    expect(h.clock.pending).toBe(0);
  });
});

describe("a member that is joined for some namespaces", () => {
  test("has sessions that know them, and another session when they change", async () => {
    const h = await start();
    const member = h.member("a");
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.sessions[0]?.namespaces).toBeUndefined();
    h.patch("a", { spec: { namespaces: ["bank"] } });
    await h.until(() => h.sessions.length === 2);
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.sessions[1]?.namespaces).toEqual(["bank"]);
    expect(h.pool.contact("a").ok).toBe(true);
    h.patch("a", { metadata: { labels: { tier: "edge" } } });
    await h.settle();
    expect(h.sessions).toHaveLength(2);
  });

  test("has no capacity: its nodes are nobody's to read", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    h.cluster("a", { namespaces: ["bank"] });
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.status("a")).not.toHaveProperty("capacity");
    expect(member.clients.flatMap(({ calls }) => calls).filter((call) => call.includes("nodes"))).toEqual([]);
  });
});
