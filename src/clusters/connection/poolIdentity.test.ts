import { describe, expect, test } from "vitest";
import { MEMBERCLUSTERS } from "../../runtime/index.ts";
import { HUB_UID, poolHarness } from "../testing/poolHarness.ts";

const start = poolHarness();

describe("the identity of a member", () => {
  test("stops everything when it changes, until a person accepts the new one", async () => {
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

  test("is remembered by the status, so that a manager that starts anew notices too", async () => {
    const h = await start();
    const member = h.member("a", "u2");
    h.secret("a", member.kubeconfig());
    h.cluster("a", { status: { clusterUID: "u1" } });
    await h.settle();
    expect(h.sessions).toEqual([]);
    expect(h.pool.contact("a").reason).toBe("ClusterIdentityChanged");
  });

  test("may be another one for a MemberCluster that was deleted and created again", async () => {
    const h = await start();
    const member = await h.joined("a", "u1");
    member.become("u2");
    h.hub.server.delete(MEMBERCLUSTERS, undefined, "a");
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(h.heard).toContain("a removed");
    expect(h.sessions[1]?.clusterUid).toBe("u2");
  });

  test("that two MemberClusters share leaves the older one alone", async () => {
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
    h.pool.remove("b");
    await h.advance(500);
    expect(h.pool.contact("a").ok).toBe(true);
  });

  test("passes to the older MemberCluster when that one connects later", async () => {
    const h = await start();
    await h.joined("b", "same");
    const older = h.member("a", "same");
    h.cluster("a", { metadata: { creationTimestamp: "2025-01-01T00:00:00Z" } });
    h.secret("a", older.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
    expect(h.pool.contact("b").reason).toBe("DuplicateCluster");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
  });

  test("is the hub's for a local member, which uses the hub's own client and does not close it", async () => {
    const h = await start();
    h.cluster("hub", { connection: { local: {} } });
    await h.until(() => h.pool.contact("hub").ok);
    expect(h.sessions[0]).toMatchObject({ local: true, clusterUid: HUB_UID, client: h.self.clients[0] });
    h.pool.remove("hub");
    await h.settle();
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.self.clients[0]?.disposed).toBe(false);
  });
});
