import { describe, expect, test } from "vitest";
import { FIELD_MANAGER, MANAGED_BY_LABEL, type ObjectRef } from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  NAMESPACES,
  SECRETS,
  ServerHistory,
  SERVICEACCOUNTS,
} from "../../../src/runtime/index.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow, OWNER, releaseRow } from "../../../src/clusters/testing/builders.ts";
import { FleetHarness, HUB, KINDS, marked, wanted } from "./fleetHarness.ts";

describe("rows", () => {
  test("what a row asks for is applied, and reported as in sync with one report of the write", async () => {
    const h = await FleetHarness.start();
    h.server.slowWatches = true;
    await h.synced();
    h.hub.reports.length = 0;
    const revision = h.hub.ask(wanted());
    await h.settle();
    const { uid = "", creationTimestamp: createdAt = "" } = h.server.get(CONFIGMAPS, "default", "shop").metadata;
    expect(h.hub.reports).toHaveLength(1);
    expect(h.seen()).toEqual({
      cluster: CLUSTER,
      ref: CONFIG_REF,
      present: {
        uid,
        hash: "h1",
        owner: OWNER,
        createdAt,
        proven: true,
        deleting: false,
        health: { state: "Available" },
      },
      inSyncWith: "h1",
      writing: false,
      revision,
    });
    h.hub.ask(wanted({ hash: "h2" }));
    await h.settle();
    expect(h.seen()).toMatchObject({ present: { uid, hash: "h2" }, inSyncWith: "h2" });
  });

  test("what somebody changes is put back, and reported with what was lost", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    await h.server.merge(CONFIGMAPS, "default", "shop", { data: { key: "theirs" } });
    await h.settle();
    expect(h.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "h1" });
    expect(h.seen()).toMatchObject({ inSyncWith: "h1", healed: { lost: [{ path: "data.key" }] } });
    expect(h.seen()?.healed?.at).toBe(h.clock.now() - 10);
  });

  test("what a member refuses is reported", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    await h.server.create(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shop", namespace: "default" },
    });
    h.hub.ask(wanted());
    await h.settle();
    expect(h.seen()).toMatchObject({ writing: false, failure: { reason: "AlreadyExists", final: true } });
  });

  test("without a row everything is left alone, and a hold changes nothing", async () => {
    const h = await FleetHarness.start();
    await h.wroteBefore(marked());
    await h.synced();
    expect(h.seen()).toMatchObject({ present: { hash: "h1", owner: OWNER }, revision: 0 });
    await h.settle(60_000);
    h.hub.ask(wanted());
    await h.settle();
    h.hub.withdraw(CLUSTER, CONFIG_REF);
    await h.settle(60_000);
    await h.server.merge(CONFIGMAPS, "default", "shop", { data: { key: "theirs" } });
    h.hub.ask(holdRow({ wanted: false }));
    await h.settle(60_000);
    expect(h.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "theirs" });
    expect(h.client.writes).toEqual([]);
  });

  test("only the life that a row names is deleted", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    const uid = h.seen()?.present?.uid ?? "";
    h.hub.ask(deleteRow({ uid: "another life" }));
    await h.settle(60_000);
    expect(h.has()).toBe(true);
    h.hub.ask(deleteRow({ uid }));
    await h.settle();
    expect(h.has()).toBe(false);
    expect(h.seen()?.present).toBeUndefined();
    const revision = h.hub.withdraw(CLUSTER, CONFIG_REF);
    await h.settle();
    expect(h.seen()).toEqual({ cluster: CLUSTER, ref: CONFIG_REF, writing: false, revision });
  });

  test("what a row lets go of stays without our marks, and is seen no more", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    h.hub.ask(releaseRow({ uid: h.seen()?.present?.uid ?? "" }));
    await h.settle();
    expect(h.server.get(CONFIGMAPS, "default", "shop").metadata.labels ?? {}).toEqual({});
    expect(h.seen()?.present).toBeUndefined();
  });

  test("nothing is written or deleted before its kind is known", async () => {
    const h = await FleetHarness.start();
    const old = { ...CONFIG_REF, name: "old" };
    const { uid = "" } = (await h.wroteBefore(marked(old))).metadata;
    let refused = true;
    h.client.gate = ({ verb, type }) => {
      if (refused && (verb === "list" || verb === "watch") && type === CONFIGMAPS)
        throw new ApiError(403, "Forbidden", "may not list configmaps");
    };
    h.join();
    h.connect();
    await h.settle();
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS });
    h.hub.ask(deleteRow({ ref: old, uid }), wanted());
    await h.settle(30_000);
    expect(h.client.writes).toEqual([]);
    expect(h.contact).toMatchObject({ ok: true, synced: false, pending: false });
    expect((h.contact?.unreadable ?? []).map(({ kind, why }) => [kind, why])).toEqual([
      [
        "/ConfigMap",
        {
          what: "configmaps are not granted",
          remedy: "run `meridian join shanghai-1 --renew --member-kubeconfig FILE`",
        },
      ],
    ]);
    refused = false;
    await h.settle(60_000);
    expect([h.has(old), h.has()]).toEqual([false, true]);
    expect(h.contact).toMatchObject({ synced: true });
    expect(h.contact?.unreadable).toBeUndefined();
  });

  test("a kind whose rights are taken away is unknown by itself, and known again when they are back", async () => {
    const h = await FleetHarness.start();
    let refused = false;
    h.client.gate = ({ verb, type }) => {
      if (refused && (verb === "list" || verb === "watch") && type === SERVICEACCOUNTS)
        throw new ApiError(403, "Forbidden", "may not list serviceaccounts");
    };
    await h.synced();
    h.hub.send(CLUSTER, { kind: "Kinds", kinds: [...KINDS, SERVICEACCOUNTS] });
    await h.settle();
    expect(h.contact).toMatchObject({ synced: true });
    refused = true;
    h.server.breakConnections();
    await h.settle(60_000);
    expect(h.contact).toMatchObject({ ok: true, synced: false, partlySynced: true });
    expect((h.contact?.unreadable ?? []).map(({ kind, why }) => [kind, why])).toEqual([
      [
        "/ServiceAccount",
        {
          what: "serviceaccounts are not granted",
          remedy: "run `meridian join shanghai-1 --renew --kinds serviceaccounts --member-kubeconfig FILE`",
        },
      ],
    ]);
    h.hub.ask(wanted());
    await h.settle(1_000);
    expect(h.has()).toBe(true);
    refused = false;
    await h.settle(60_000);
    expect(h.contact).toMatchObject({ synced: true });
    expect(h.contact?.unreadable).toBeUndefined();
  });

  test("a namespace in which the account has no rights any more is unknown by itself, and known again when they are back", async () => {
    const h = await FleetHarness.start();
    let refused = false;
    const isRefused = (options: object): boolean => "namespace" in options && options.namespace === "bank";
    h.client.gate = ({ verb, options }) => {
      if (refused && (verb === "list" || verb === "watch") && isRefused(options))
        throw new ApiError(403, "Forbidden", "may not list in bank");
    };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bank" } };
    await h.server.create(NAMESPACES, namespace);
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    h.join();
    h.connect({ namespaces: ["bank", "default"] });
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS });
    h.hub.ask(wanted({ ref: inBank }), wanted());
    await h.settle(1_000);
    expect(h.contact).toMatchObject({ synced: true });
    expect([h.has(inBank), h.has()]).toEqual([true, true]);
    refused = true;
    h.server.breakConnections();
    await h.settle(60_000);
    expect(h.contact).toMatchObject({ ok: true, synced: false, partlySynced: true });
    expect((h.contact?.unreadable ?? []).map(({ kind }) => kind)).toEqual(["/ConfigMap in bank", "/Secret in bank"]);
    expect([h.seen(inBank)?.present, h.seen()?.present?.uid]).toEqual([undefined, expect.any(String)]);
    // Nothing is made of what is not seen.
    const { uid } = h.server.get(CONFIGMAPS, "bank", "shop").metadata;
    await h.server.delete(CONFIGMAPS, "default", "shop");
    await h.settle(5_000);
    expect([h.has(inBank), h.has()]).toEqual([true, true]);
    refused = false;
    await h.settle(60_000);
    expect(h.contact).toMatchObject({ synced: true });
    expect(h.contact?.unreadable).toBeUndefined();
    expect(h.seen(inBank)?.present?.uid).toBe(uid);
  });

  test("a kind that cannot be read holds up what is of that kind, and nothing else", async () => {
    const h = await FleetHarness.start();
    const old = { ...CONFIG_REF, name: "old" };
    const { uid = "" } = (await h.wroteBefore(marked(old))).metadata;
    h.client.gate = ({ verb, type }) => {
      if ((verb === "list" || verb === "watch") && type === SECRETS)
        throw new ApiError(403, "Forbidden", "may not list secrets");
    };
    h.join();
    h.connect();
    await h.settle();
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: [...KINDS, SECRETS] });
    await h.settle(5_000);
    expect(h.contact).toMatchObject({ ok: true, synced: false, partlySynced: true });
    expect((h.contact?.unreadable ?? []).map(({ kind }) => kind)).toEqual(["/Secret"]);
    h.hub.ask(deleteRow({ ref: old, uid }));
    await h.settle(1_000);
    expect(h.has(old)).toBe(false);
  });

  test("a member that went back in time is not believed until it was read anew, which is at once", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    const before = h.hub.contacts.get(CLUSTER)?.length;
    ServerHistory.of(h.client).expect()("1");
    expect(h.contact).toMatchObject({ ok: false, synced: false, reason: "NotObserved" });
    await h.settle(1_000);
    expect(h.contact).toMatchObject({ ok: true, synced: true });
    expect(h.hub.contacts.get(CLUSTER)?.length).toBeGreaterThan(before ?? 0);
  });

  test("a withdrawal is acknowledged at once, and the end of the write that it met as well", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    const arrives = Promise.withResolvers<void>();
    h.client.gate = async ({ verb, phase }) => {
      if (verb === "apply" && phase === "after") await arrives.promise;
    };
    h.hub.ask(wanted());
    await h.settle();
    const revision = h.hub.withdraw(CLUSTER, CONFIG_REF);
    await h.settle();
    expect(h.seen()).toMatchObject({ writing: true, revision });
    arrives.resolve();
    await h.settle();
    expect(h.seen()).toMatchObject({ writing: false, revision, present: { hash: "h1" } });
  });

  test("an assignment that breaks off is asked for again, and rows that it lacks then are gone", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    h.hub.breakOff(CLUSTER);
    await h.settle(5_000);
    expect(h.hub.subscriptions).toBe(2);
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    await h.settle();
    await h.server.merge(CONFIGMAPS, "default", "shop", { data: { key: "theirs" } });
    await h.settle(60_000);
    expect(h.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "theirs" });
  });
});

describe("namespaces", () => {
  const TEAM: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "team" };
  const inTeam = { ...CONFIG_REF, namespace: "team" };

  test("those that Meridian made are reported, and go when a row says so and nothing is inside", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    await h.server.create(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "labelled", labels: { [MANAGED_BY_LABEL]: HUB } },
    });
    h.hub.ask(wanted({ ref: inTeam }));
    await h.settle();
    expect(h.seen({ ...TEAM, name: "labelled" })).toBeUndefined();
    const team = h.seen(TEAM)?.present;
    expect(team).toMatchObject({ deleting: false });
    h.hub.ask(deleteRow({ ref: TEAM, uid: team?.uid ?? "" }));
    await h.settle(60_000);
    expect(h.server.has(NAMESPACES, undefined, "team")).toBe(true);
    h.hub.ask(deleteRow({ ref: inTeam, uid: h.seen(inTeam)?.present?.uid ?? "" }));
    await h.settle();
    h.hub.withdraw(CLUSTER, inTeam);
    await h.settle(40_000);
    expect(h.server.has(NAMESPACES, undefined, "team")).toBe(false);
    expect(h.seen(TEAM)?.present).toBeUndefined();
  });
});

describe("the end", () => {
  test("of a MemberCluster: nothing of it is written or reported any more", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    const reports = h.hub.reports.length;
    h.session.abort(new Error("removed"));
    h.fleet.clusterRemoved(CLUSTER);
    h.hub.ask(wanted({ hash: "h2" }));
    await h.server.delete(CONFIGMAPS, "default", "shop");
    await h.settle(60_000);
    expect([h.hub.reports.length, h.client.writes]).toEqual([reports, ["apply configmaps"]]);
    expect(h.clock.pending).toBe(0);
  });

  test("a cluster that joins again under the name is another one: its worker starts from nothing", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.ask(wanted());
    await h.settle();
    h.session.abort(new Error("removed"));
    h.fleet.clusterRemoved(CLUSTER);
    await h.synced();
    expect(h.hub.subscriptions).toBe(2);
    expect(h.seen()).toMatchObject({ revision: 0, present: { hash: "h1" } });
  });

  test("of the fleet: nothing is begun after it, and no cluster counts as removed", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    await h.fleet[Symbol.asyncDispose]();
    h.hub.ask(wanted());
    h.fleet.contactChanged(CLUSTER, { ok: false });
    await h.settle(60_000);
    expect([h.client.writes, h.hub.subscriptions]).toEqual([[], 1]);
  });
});

test("an object is applied as Meridian's field manager", async () => {
  const h = await FleetHarness.start();
  await h.synced();
  h.hub.ask(wanted());
  await h.settle();
  const [entry] = h.server.get(CONFIGMAPS, "default", "shop").metadata.managedFields ?? [];
  expect([entry?.manager, entry?.operation]).toEqual([FIELD_MANAGER, "Apply"]);
});

test("many rows at once are all taken, in turns", async () => {
  const h = await FleetHarness.start();
  await h.synced();
  const rows = Array.from({ length: 500 }, (_, index) => {
    const ref = { ...CONFIG_REF, name: `config-${index}` };
    return { ref, row: holdRow({ ref }), revision: index + 1 };
  });
  h.hub.send(CLUSTER, { kind: "Rows", rows });
  await h.settle();
  expect(h.hub.reports.map(({ observations }) => observations.length)).toEqual([200, 200, 100]);
});
