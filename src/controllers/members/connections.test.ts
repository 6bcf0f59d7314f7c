import { describe, expect, test } from "vitest";
import { ApiError, MEMBERCLUSTERS, NODES, NotLeaderError, SECRETS, TransportError } from "../../runtime/index.ts";
import { HUB_UID, poolHarness, SYSTEM } from "../testing/poolHarness.ts";

const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");
const start = poolHarness();

describe("a joined member", () => {
  test("has its UID recorded before the session, and contact after it", async () => {
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

  test("has version, UID, APIs and capacity in one status write", async () => {
    const h = await start();
    const member = h.member("a");
    const status = { allocatable: { cpu: "1500m", memory: "2Gi", pods: "110" } };
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, status });
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n2" }, status });
    await h.joined("a");
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

  test("has no contact before its UID is recorded; failed writes are counted", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    h.hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    h.cluster("a");
    await h.settle();
    expect([h.pool.contact("a").reason, h.failures, h.status("a")]).toEqual(["IdentityNotRecorded", 2, undefined]);
    h.hub.gate = () => undefined;
    await h.advance(10_000);
    expect([h.pool.contact("a").ok, h.status("a")?.clusterUID]).toEqual([true, "a-uid"]);
  });

  test("that is lost while the Lease is in doubt is reported once the Lease is held", async () => {
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

  test("causes no status write and no Event while nothing changes", async () => {
    const h = await start();
    await h.joined("a");
    await h.advance(20 * 60_000);
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
  });

  test("causes no status write and no Event when the manager restarts", async () => {
    const h = await start();
    const member = await h.joined("a");
    const object = h.hub.server.get(MEMBERCLUSTERS, undefined, "a");
    h.connected.remove("a");
    h.upsert(object);
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
    expect(member.clients).toHaveLength(2);
  });

  test("is probed every five seconds, and at once on suspicion", async () => {
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
});

describe("a member without contact", () => {
  test("is lost within two seconds of a refused connection and a broken watch, and back within ten", async () => {
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

  test("is slow with slow answers: one status write and one Event at the beginning and at the end", async () => {
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

  test("does not disturb other members", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h.joined("b");
    member.failure = REFUSED;
    await h.advance(60_000);
    expect(h.heard.filter((line) => line.startsWith("b "))).toEqual(["b Connecting", "b session b-uid", "b ok"]);
  });

  test("has its version and APIs read again with new contact", async () => {
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

test("a cluster of another manager is used once that manager has recorded its UID", async () => {
  const h = await start();
  const member = h.member("a");
  h.secret("a", member.kubeconfig());
  h.cluster("a");
  const cluster = () => h.hub.server.get(MEMBERCLUSTERS, undefined, "a");
  h.upsert(cluster(), false);
  await h.advance(10_000);
  expect([h.sessions.length, h.status("a")]).toEqual([0, undefined]);
  expect(h.pool.contact("a")).toMatchObject({ ok: false, reason: "IdentityNotRecorded" });
  h.hub.server.merge(MEMBERCLUSTERS, undefined, "a", { status: { clusterUID: "a-uid" } });
  h.upsert(cluster(), false);
  await h.until(() => h.sessions.length === 1);
  expect(h.status("a")).toEqual({ clusterUID: "a-uid" });
});

describe("the end", () => {
  test("of a MemberCluster ends its session and closes its client", async () => {
    const h = await start();
    const member = await h.joined("a");
    h.connected.remove("a");
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

describe("a member with some namespaces", () => {
  test("has them in its session, and another session when they change", async () => {
    const h = await start();
    const member = h.member("a");
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
    await h.joined("a");
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

  test("has no capacity, and its nodes are not read", async () => {
    const h = await start();
    const member = await h.joined("a", undefined, { namespaces: ["bank"] });
    await h.settle();
    expect(h.status("a")).not.toHaveProperty("capacity");
    expect(member.clients.flatMap(({ calls }) => calls).filter((call) => call.includes("nodes"))).toEqual([]);
  });
});

describe("the identity of a cluster", () => {
  test("that changes ends the session until a person accepts the new UID", async () => {
    const h = await start();
    const member = await h.joined("a", "u1");
    member.become("u2");
    await h.advance(6_000);
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.pool.session("a")).toBeUndefined();
    expect(h.readyCondition("a")).toBe(
      "False ClusterIdentityChanged: UID changed; if meant, annotate federation.paas.cmft.com/accept-cluster-uid: u2",
    );
    expect(h.status("a")?.clusterUID).toBe("u1");
    await h.advance(60_000);
    expect(h.sessions).toHaveLength(1);

    h.patch("a", { metadata: { annotations: { "federation.paas.cmft.com/accept-cluster-uid": "u2" } } });
    await h.until(() => h.sessions.length === 2);
    expect(h.sessions[1]?.clusterUid).toBe("u2");
    expect(h.status("a")?.clusterUID).toBe("u2");
    await h.settle();
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });

  test("may change with a MemberCluster that was created again", async () => {
    const h = await start();
    const member = await h.joined("a", "u1");
    member.become("u2");
    h.hub.server.delete(MEMBERCLUSTERS, undefined, "a");
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(h.heard).toContain("a removed");
    expect(h.sessions[1]?.clusterUid).toBe("u2");
  });

  test("that two MemberClusters share belongs to the older one, or to the one that is left", async () => {
    const h = await start();
    await h.joined("b", "same");
    const other = h.member("a", "same");
    h.secret("a", other.kubeconfig());
    h.cluster("a", { metadata: { creationTimestamp: "2026-01-02T00:00:00Z" } });
    await h.until(() => h.pool.contact("a").reason === "DuplicateCluster");
    await h.settle();
    expect(h.readyCondition("a")).toBe("False DuplicateCluster: the same cluster as MemberCluster b");
    expect(h.status("a")).not.toHaveProperty("clusterUID");
    expect(h.pool.session("a")).toBeUndefined();
    expect(h.pool.contact("b").ok).toBe(true);
    h.connected.remove("b");
    await h.advance(500);
    expect(h.pool.contact("a").ok).toBe(true);
  });

  test("passes to the older MemberCluster that connects later", async () => {
    const h = await start();
    await h.joined("b", "same");
    const older = h.member("a", "same");
    h.cluster("a", { metadata: { creationTimestamp: "2025-01-01T00:00:00Z" } });
    h.secret("a", older.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
    expect(h.pool.contact("b").reason).toBe("DuplicateCluster");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
  });

  test("is the hub's for a local member, whose client is not closed", async () => {
    const h = await start();
    h.cluster("hub", { connection: { local: {} } });
    await h.until(() => h.pool.contact("hub").ok);
    expect(h.sessions[0]).toMatchObject({ local: true, clusterUid: HUB_UID, client: h.self.clients[0] });
    h.connected.remove("hub");
    await h.settle();
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.self.clients[0]?.disposed).toBe(false);
  });
});

describe("a pool", () => {
  test("reads credentials again only for the cluster of a changed Secret", async () => {
    const h = await start();
    await h.joined("a");
    h.cluster("b");
    await h.settle();
    const looks = () => h.hub.calls.filter((call) => call === "get secrets").length;
    const before = looks();
    h.secret("unrelated", "hello");
    await h.settle();
    expect(looks()).toBe(before);
    h.hub.server.delete(SECRETS, SYSTEM, "unrelated");
    await h.settle();
    expect(looks()).toBe(before);
  });

  test("waits at its end for the work of its connections", async () => {
    const h = await start();
    const member = await h.joined("a");
    const closed = Promise.withResolvers<void>();
    const [client] = member.clients;
    if (client !== undefined) client[Symbol.asyncDispose] = () => closed.promise;
    let isOver = false;
    const ending = h.pool[Symbol.asyncDispose]().then(() => (isOver = true));
    await h.settle();
    expect([isOver, h.pool.session("a")]).toEqual([false, undefined]);
    closed.resolve();
    await ending;
    expect(isOver).toBe(true);
  });
});
