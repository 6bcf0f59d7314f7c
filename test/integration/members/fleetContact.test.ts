import { describe, expect, test } from "vitest";
import { refKey } from "../../../src/apis/index.ts";
import { CONFIGMAPS, DEPLOYMENTS, NAMESPACES } from "../../../src/runtime/index.ts";
import { CLUSTER, CONFIG_REF, deleteRow, OWNER } from "../../../src/clusters/testing/builders.ts";
import { FleetHarness, KINDS, marked, wanted } from "./fleetHarness.ts";

describe("what is known of a cluster", () => {
  test("is reported from the first moment to the last", async () => {
    const h = await FleetHarness.start();
    h.join();
    await h.settle();
    expect(h.contact).toEqual({ ok: false, synced: false, pending: true });
    h.connect();
    expect(h.contact).toMatchObject({ ok: true, synced: false, pending: true });
    await h.settle();
    h.hub.send(CLUSTER, { kind: "Kinds", kinds: KINDS });
    await h.settle();
    expect(h.contact).toMatchObject({ synced: false, pending: true });
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] });
    await h.settle();
    expect(h.contact).toMatchObject({ synced: true, pending: false });
    h.fleet.contactChanged(CLUSTER, { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: 5 });
    expect(h.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable", lastContact: 5, synced: false });
    h.fleet.contactChanged(CLUSTER, { ok: true });
    expect(h.contact).toMatchObject({ ok: true, synced: true });
    h.session.abort(new Error("other credentials"));
    expect(h.contact).toMatchObject({ ok: true, synced: false });
  });

  test("is reported only when it changes", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    const before = h.hub.contacts.get(CLUSTER)?.length;
    h.hub.ask(wanted());
    await h.settle(60_000);
    expect(h.hub.contacts.get(CLUSTER)).toHaveLength(before ?? 0);
  });

  test("whoever hears that everything is known has heard of all of it", async () => {
    const h = await FleetHarness.start();
    await h.wroteBefore(marked());
    const heard: boolean[] = [];
    h.hub.heard = ({ synced }) => {
      if (synced) heard.push(h.seen()?.present !== undefined);
    };
    await h.synced();
    expect(heard).toEqual([true]);
  });

  test("most of what the hub expects is missing: that is believed after a second read only", async () => {
    const h = await FleetHarness.start();
    h.join();
    h.connect();
    await h.settle();
    const owners = Array.from({ length: 12 }, (_, index) => refKey({ ...OWNER, name: `app-${index}` }));
    h.hub.send(CLUSTER, { kind: "Expected", owners }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    await h.settle();
    expect(h.contact).toMatchObject({ ok: true, synced: false, pending: true });
    await h.settle(5_000);
    expect(h.contact).toMatchObject({ synced: true });
    // The next session knows from this one what was there.
    h.session.abort(new Error("other credentials"));
    h.connect();
    await h.settle();
    expect(h.contact).toMatchObject({ synced: true });
  });

  test("deletions are held when most objects vanish at once, in that kind", async () => {
    const h = await FleetHarness.start();
    const refs = Array.from({ length: 12 }, (_, index) => ({ ...CONFIG_REF, name: `config-${index}` }));
    for (const ref of refs) await h.wroteBefore(marked(ref));
    await h.synced();
    h.session.abort(new Error("other credentials"));
    for (const ref of refs) await h.server.delete(CONFIGMAPS, "default", ref.name);
    const { uid = "" } = (await h.wroteBefore(marked())).metadata;
    h.connect();
    h.hub.ask(deleteRow({ uid }));
    await h.settle();
    expect([h.contact?.synced, h.has()]).toEqual([false, true]);
    await h.settle(60_000);
    expect([h.contact?.synced, h.has()]).toEqual([true, false]);
  });
});

describe("kinds", () => {
  const watched = ({ client }: FleetHarness) =>
    new Set(client.calls.filter((call) => call.startsWith("watch ")).map((call) => call.slice(6)));

  test("a changed list starts and stops the watches of the running session", async () => {
    const h = await FleetHarness.start();
    await h.synced();
    h.hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS, DEPLOYMENTS, NAMESPACES] });
    await h.settle();
    expect(watched(h)).toContain("deployments");
    expect(h.contact).toMatchObject({ synced: true });
    const types = h.server.watched;
    expect(types).toEqual(["configmaps", "deployments", "namespaces"]);
  });

  test("a hub that is its own member keeps what it propagates from itself out of sight", async () => {
    const h = await FleetHarness.start();
    h.join();
    h.connect({ local: true });
    await h.settle();
    h.hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: [...KINDS, DEPLOYMENTS] });
    await h.settle();
    expect([...watched(h)]).toEqual(["deployments"]);
    expect(h.contact?.synced).toBe(true);
  });
});
