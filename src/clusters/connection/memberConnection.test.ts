import { describe, expect, test } from "vitest";
import { ApiError, TransportError } from "../../runtime/index.ts";
import { poolHarness } from "../testing/poolHarness.ts";

const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");
const MINUTE = 60_000;
const start = poolHarness();

describe("the Event of the end of a loss", () => {
  const status = (is: "True" | "False") => ({
    clusterUID: "a-uid",
    lastContact: "2026-01-01T07:50:00Z",
    conditions: [
      {
        ...{ type: "Ready", status: is, reason: is === "True" ? "Connected" : "ClusterUnreachable" },
        ...{ message: "timed out", lastTransitionTime: "2026-01-01T07:51:00Z" },
      },
    ],
  });

  test.each<[string, object | undefined, isAway: boolean, want: RegExp | undefined]>([
    ["that began with this manager", undefined, true, /over: ClusterUnreachable for \d+s, connection refused$/],
    ["that an earlier manager published", status("False"), false, /after 10m: ClusterUnreachable, timed out$/],
    ["whose beginning it published", status("False"), true, /after 1\dm: ClusterUnreachable, connection refused$/],
    ["that never was", status("True"), false, undefined],
  ])("tells of a loss %s", async (_, given, isAway, want) => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    if (isAway) member.failure = REFUSED;
    h.cluster("a", given === undefined ? {} : { status: given });
    await h.advance(20_000);
    member.failure = undefined;
    await h.advance(5 * MINUTE);
    const ends = h.events.filter((event) => event.includes("Recovered"));
    expect(ends).toEqual(want === undefined ? [] : [expect.stringMatching(want)]);
  });
});

test("a member has no session before its UID is recorded", async () => {
  const h = await start();
  const member = h.member("a");
  h.secret("a", member.kubeconfig());
  h.hub.gate = ({ verb }) => {
    if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
  };
  h.cluster("a");
  await h.settle();
  const message = "the cluster's UID could not be written to the status on the hub";
  expect(h.pool.contact("a")).toMatchObject({ ok: false, reason: "IdentityNotRecorded", message });
  expect([h.sessions, new Set(h.failures)]).toEqual([[], new Set(["cluster"])]);
  h.hub.gate = () => undefined;
  await h.advance(10_000);
  expect(h.sessions).toHaveLength(1);
});

describe("a malformed inventory", () => {
  const ENDLESS = "v".repeat(1_000);

  test("from the start admits no session and no findings", async () => {
    const h = await start();
    const member = h.member("a");
    member.version = ENDLESS;
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.advance(5_000);
    expect([h.sessions.length, h.status("a")?.kubernetesVersion, h.status("a")?.clusterUID]).toEqual([
      ...[0, undefined, undefined],
    ]);
    expect(h.readyCondition("a")).toMatch(/^False ClusterUnreachable: GET \/version/);
    member.version = "v1.35.4";
    await h.advance(70_000);
    expect([h.pool.contact("a").ok, h.status("a")?.kubernetesVersion]).toEqual([true, "v1.35.4"]);
  });

  test("later means lost contact in the same session, and is read less and less often", async () => {
    const h = await start();
    const member = await h.joined("a");
    const [session] = h.sessions;
    const versionsRead = () => member.clients[0]?.calls.filter((call) => call === "raw /version").length ?? 0;
    member.version = ENDLESS;
    await h.advance(5 * MINUTE + 20_000);
    expect(h.pool.contact("a")).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
    expect([h.pool.session("a") === session, session?.signal.aborted]).toEqual([true, false]);
    expect(h.status("a")?.kubernetesVersion).toBe("v1.35.4");
    const before = versionsRead();
    for (let passed = 0; passed < 200; passed += 1) {
      session?.suspect();
      await h.advance(3_000);
    }
    expect(versionsRead() - before).toBeLessThanOrEqual(5);
    expect(h.events.length).toBeLessThan(4);
    member.version = "v1.36.0";
    await h.advance(6 * MINUTE + 20_000);
    expect([h.pool.contact("a").ok, h.status("a")?.kubernetesVersion]).toEqual([true, "v1.36.0"]);
  });
});
