import { describe, expect, test } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import { type ClusterConfig, Discovery, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ClusterAccess } from "./clusterAccess.ts";
import type { KubeconfigCredentials } from "../credentials/credentials.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const config: ClusterConfig = {
  ...{ server: "https://m.test", currentNamespace: "", credentials: { authorization: async () => "token" } },
};

/** Access to a member, and to the hub itself. */
function accessing() {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const state = { groups: ["apps/v1"], failure: undefined as Error | undefined };
  const client = new ScriptedClient(({ verb, what }) => {
    if (state.failure !== undefined) return state.failure;
    if (verb === "list") return { items: [] };
    if (what.endsWith("/version")) return { gitVersion: "v1.35.4" };
    if (what.endsWith("/api")) return { kind: "APIVersions", versions: ["v1"] };
    return { kind: "APIGroupList", groups: state.groups.map((groupVersion) => ({ versions: [{ groupVersion }] })) };
  });
  const hub = { client: client.client, discovery: new Discovery(client.client, clock), clusterUid: "u" };
  const options = { cluster: "a", namespaces: undefined, clock, logger, hubLocal: hub, clientFor: () => client.client };
  const remote = new ClusterAccess({ kind: "Kubeconfig", config } as KubeconfigCredentials, options);
  return { clock, lines, state, client, remote, local: new ClusterAccess({ kind: "Local" }, options), hub };
}

test("the access to the hub itself uses and keeps the hub's client, and does not list its identity", async () => {
  const { local, remote, client, hub } = accessing();
  expect([local.local, local.client, local.discovery]).toEqual([true, hub.client, hub.discovery]);
  expect([local.identity, remote.identity]).toEqual([{ mayList: false }, { mayList: true }]);
  await local[Symbol.asyncDispose]();
  expect([local.signal.aborted, client.disposed]).toEqual([true, false]);
  await remote[Symbol.asyncDispose]();
  expect([remote.signal.aborted, client.disposed]).toEqual([true, true]);
});

describe("the inventory", () => {
  test("is read at once, every five minutes, and after lost contact", async () => {
    const { remote, clock } = accessing();
    expect(remote.inventoryIsDue).toBe(true);
    expect(await remote.takeInventory()).toMatchObject({ kubernetesVersion: "v1.35.4", apis: ["apps/v1", "v1"] });
    await clock.advance(299_000);
    expect(remote.inventoryIsDue).toBe(false);
    remote.expireInventory();
    expect(remote.inventoryIsDue).toBe(true);
    await remote.takeInventory();
    await clock.advance(300_000);
    expect(remote.inventoryIsDue).toBe(true);
  });

  test("that cannot be read is read again soon, with a log line", async () => {
    const { remote, clock, state, lines } = accessing();
    state.failure = new TransportError("Timeout", "did not answer");
    expect(await remote.takeInventory()).toBeUndefined();
    expect(remote.fault).toBeUndefined();
    const msg = "version, APIs and capacity not read; trying again";
    expect(lines).toMatchObject([{ level: "info", event_reason: "InventoryFailed", msg }]);
    await clock.advance(29_000);
    expect(remote.inventoryIsDue).toBe(false);
    await clock.advance(1_000);
    expect(remote.inventoryIsDue).toBe(true);
  });

  test("that is malformed is a fault of the cluster, and is read with backoff, also after lost contact", async () => {
    const { remote, clock, state } = accessing();
    state.failure = new TransportError("TooLarge", "GET /api/v1/nodes: the list has no end");
    for (const seconds of [30, 60, 120, 240, 300, 300]) {
      await remote.takeInventory();
      expect(remote.fault).toMatchObject({ reason: "ClusterUnreachable", message: state.failure.message });
      remote.expireInventory();
      await clock.advance(seconds * 1_000 - 1);
      expect(remote.inventoryIsDue).toBe(false);
      await clock.advance(1);
      expect(remote.inventoryIsDue).toBe(true);
    }
    state.failure = new TransportError("ConnectionReset", "reset");
    await remote.takeInventory();
    expect(remote.fault).toBeDefined();
    state.failure = undefined;
    expect(await remote.takeInventory()).toBeDefined();
    expect(remote.fault).toBeUndefined();
    remote.expireInventory();
    expect(remote.inventoryIsDue).toBe(true);
  });

  test("invalidates the discovery when the APIs have changed", async () => {
    const { remote, state } = accessing();
    let forgotten = 0;
    remote.discovery.invalidate = () => void (forgotten += 1);
    await remote.takeInventory();
    await remote.takeInventory();
    expect(forgotten).toBe(0);
    state.groups = ["apps/v1", "batch/v1"];
    await remote.takeInventory();
    await remote.takeInventory();
    expect(forgotten).toBe(1);
  });
});
