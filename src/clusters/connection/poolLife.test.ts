import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../../apis/index.ts";
import { createLogger } from "../../observability/index.ts";
import { ApiError, Discovery, SECRETS, type WatchOptions } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ClusterPool } from "./pool.ts";
import { FakeHub } from "../testing/fakeMember.ts";
import { HUB_UID, poolHarness, SYSTEM } from "../testing/poolHarness.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const start = poolHarness();

const memberCluster = (name: string): MemberCluster =>
  ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: { name, uid: `${name}-object`, generation: 1 },
    spec: { connection: { kubeconfigSecretRef: { name, key: "kubeconfig" } }, deletionPolicy: "Orphan" },
  }) as unknown as MemberCluster;

describe("a pool that does not run yet", () => {
  test("knows its clusters, and connects to none before it has read the Secrets", async () => {
    const clock = new FakeClock();
    const watched: [string, string | undefined, string | undefined][] = [];
    class Hub extends FakeHub {
      override watch(type: Parameters<FakeHub["watch"]>[0], options: WatchOptions = {}): ReturnType<FakeHub["watch"]> {
        watched.push([type.plural, options.namespace, options.fieldSelector]);
        return super.watch(type, options);
      }
    }
    const hub = new Hub();
    const { client } = new ScriptedClient();
    const heard: string[] = [];
    const pool = new ClusterPool({
      hub,
      hubLocal: { client, discovery: new Discovery(client, clock), clusterUid: HUB_UID },
      systemNamespace: SYSTEM,
      allowExec: false,
      clock,
      logger: createLogger({ level: "silent" }),
      metrics: { setMemberReady: () => undefined, failed: () => undefined, forgetCluster: () => undefined },
      listener: {
        paceOf: () => undefined,
        sessionStarted: () => undefined,
        contactChanged: (cluster, { reason }) => heard.push(`${cluster} ${reason}`),
        clusterRemoved: (cluster) => heard.push(`${cluster} removed`),
      },
    });
    pool.upsert(memberCluster("a"));
    await clock.advance(60_000);
    expect([heard, hub.calls]).toEqual([["a Connecting"], []]);
    const end = new AbortController();
    const running = pool.run(end.signal);
    await clock.advance(10);
    expect(heard).toEqual(["a Connecting", "a SecretNotFound"]);
    // Helm keeps its releases in the same namespace, a megabyte each.
    expect(watched[0]).toEqual(["secrets", SYSTEM, "type!=helm.sh/release.v1"]);
    end.abort(new Error("over"));
    await running;
    pool.upsert(memberCluster("b"));
    expect([heard.length, pool.contact("b").reason]).toEqual([2, "ClusterUnknown"]);
  });
});

describe("a pool", () => {
  test("says of a cluster that nobody has named that there is none", async () => {
    const h = await start();
    expect(h.pool.contact("a")).toEqual({
      ok: false,
      reason: "ClusterUnknown",
      message: "there is no MemberCluster of that name",
    });
    expect(h.pool.session("a")).toBeUndefined();
    h.pool.remove("a");
    expect(h.heard).toEqual([]);
  });

  test("takes the same MemberCluster again for the same, and says nothing new", async () => {
    const h = await start();
    await h.joined("a");
    const [heard, clients] = [h.heard.length, h.members.get("a")?.clients.length];
    h.patch("a", { metadata: { labels: { tier: "edge" } } });
    await h.settle();
    expect([h.heard.length, h.members.get("a")?.clients.length]).toEqual([heard, clients]);
  });

  test("counts the status that the hub did not take", async () => {
    const h = await start();
    const member = h.member("a");
    h.hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.settle();
    expect(new Set(h.failures)).toEqual(new Set(["cluster"]));
  });

  test("reads a Secret anew for the cluster that it is of, and for no other", async () => {
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

  test("waits at its end for what its connections have under way", async () => {
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
