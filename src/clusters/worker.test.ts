import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, NAMESPACES, SECRETS, TransportError } from "../runtime/index.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow } from "./testing/builders.ts";
import { KINDS, marked, OK, working } from "./testing/workerHarness.ts";

describe("a worker", () => {
  test("says at once that nobody has tried yet, and is ready when everything there is known", async () => {
    const { hub, worker, startSession, settle, contact } = await working({ begin: false });
    expect(hub.contacts.get(CLUSTER)).toEqual([{ ok: false, synced: false, pending: true, unseen: new Map() }]);
    worker.setContact({ ok: false, reason: "Connecting", message: "no answer yet" });
    expect(hub.contacts.get(CLUSTER)).toHaveLength(1);
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(contact()).toEqual({ ...OK, synced: true, pending: false, unseen: new Map() });
    expect(worker.contact).toEqual(OK);
  });

  test("is not ready before the hub has sent its record and the kinds", async () => {
    const { hub, worker, startSession, settle, contact } = await working({ begin: false });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(contact()).toMatchObject({ ok: true, synced: false, pending: true });
    hub.send(CLUSTER, { kind: "Kinds", kinds: KINDS });
    await settle();
    expect(contact()).toMatchObject({ synced: false, pending: true });
    hub.send(CLUSTER, { kind: "Expected", owners: [] });
    await settle();
    expect(contact()).toMatchObject({ synced: true, pending: false });
  });

  test("makes what is asked for, with its namespace, and reports it", async () => {
    const { hub, settle, member, seenThere } = await working();
    const revision = hub.ask(marked());
    await settle();
    expect(member.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "value" });
    expect(seenThere()).toMatchObject({
      inSyncWith: "hash of value",
      revision,
      writing: false,
      present: { proven: true },
    });
  });

  test("brings it up to date, and takes it away again", async () => {
    const { hub, settle, member, configs, seenThere } = await working();
    hub.ask(marked());
    await settle();
    hub.ask(marked(CONFIG_REF, "other"));
    await settle();
    expect(member.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "other" });
    const uid = seenThere()?.present?.uid ?? "";
    const revision = hub.ask(deleteRow({ uid }));
    await settle();
    expect([configs(), seenThere()]).toEqual([
      [],
      { cluster: CLUSTER, ref: CONFIG_REF, writing: false, absent: true, revision },
    ]);
  });

  test("acknowledges what is withdrawn, and leaves it alone", async () => {
    const { hub, settle, configs, seenThere } = await working();
    hub.ask(marked());
    await settle();
    const revision = hub.withdraw(CLUSTER, CONFIG_REF);
    await settle();
    expect([configs(), seenThere()?.revision]).toEqual([["shop"], revision]);
  });

  test("writes nothing without contact, and goes on with it", async () => {
    const { hub, worker, settle, configs } = await working();
    worker.setContact({ ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: 5 });
    hub.ask(marked());
    await settle(30_000);
    expect(configs()).toEqual([]);
    worker.setContact(OK);
    await settle();
    expect(configs()).toEqual(["shop"]);
  });

  test("takes many rows, all of them", async () => {
    const { hub, settle, configs } = await working();
    for (let n = 0; n < 450; n += 1) hub.ask(marked({ ...CONFIG_REF, name: `config-${n}` }));
    await settle(1_000);
    expect(configs()).toHaveLength(450);
  });

  test("says nothing twice", async () => {
    const { hub, worker, settle } = await working();
    const before = hub.contacts.get(CLUSTER)?.length;
    worker.setContact({ ...OK });
    await settle();
    expect(hub.contacts.get(CLUSTER)).toHaveLength(before ?? 0);
    worker.setContact({ ...OK, lastContact: 6 });
    expect(hub.contacts.get(CLUSTER)).toHaveLength((before ?? 0) + 1);
  });
});

describe("the assignment of a worker", () => {
  test.each([
    { name: "breaks off", reason: "AssignmentFailed", level: "error" },
    { name: "breaks off again and again", reason: "AssignmentFailed", level: "error", times: 3 },
  ])("is asked for again when it $name, later each time", async ({ reason, level, times = 1 }) => {
    const { hub, settle, lines } = await working();
    for (let time = 1; time <= times; time += 1) {
      hub.breakOff(CLUSTER);
      await settle(10);
      expect(hub.subscriptions).toBe(time);
      await settle(1_000 * 2 ** (time - 1));
      expect(hub.subscriptions).toBe(time + 1);
    }
    expect(lines.filter(({ event_reason: why }) => why === reason)).toHaveLength(times);
    expect(lines.at(-1)).toMatchObject({ level, cluster: CLUSTER });
  });

  test("takes back what its first rows do not name any more", async () => {
    const { hub, settle, seenThere, member } = await working();
    hub.ask(marked(), marked({ ...CONFIG_REF, name: "b" }));
    await settle();
    hub.breakOff(CLUSTER);
    await settle(1_000);
    const kept = marked({ ...CONFIG_REF, name: "b" }, "new");
    hub.send(CLUSTER, { kind: "Rows", rows: [{ ref: kept.ref, row: kept, revision: 90 }] });
    hub.send(CLUSTER, { kind: "Rows", rows: [] });
    await settle();
    expect(seenThere({ ...CONFIG_REF, name: "b" })?.inSyncWith).toBe("hash of new");
    member.server.merge(CONFIGMAPS, "default", "shop", { data: { key: "theirs" }, metadata: { managedFields: [] } });
    await settle(10_000);
    expect(member.server.get(CONFIGMAPS, "default", "shop")["data"]).toEqual({ key: "theirs" });
  });
});

describe("the session of a worker", () => {
  test("that ends leaves nothing known, until the next one has read everything", async () => {
    const { hub, settle, startSession, endSession, contact, configs } = await working();
    endSession();
    expect(contact()).toMatchObject({ ok: true, synced: false, pending: true });
    hub.ask(marked());
    await settle(10_000);
    expect(configs()).toEqual([]);
    startSession();
    await settle();
    expect(contact()).toMatchObject({ synced: true });
    expect(configs()).toEqual(["shop"]);
  });

  test("that is over changes nothing of the next one", async () => {
    const { startSession, endSession, settle, contact, hub, configs } = await working();
    endSession();
    startSession();
    await settle();
    hub.ask(marked());
    await settle();
    expect([contact()?.synced, configs()]).toEqual([true, ["shop"]]);
  });

  test("of a hub that is its own member watches nothing that comes from there", async () => {
    const { hub, settle, member, startSession, worker } = await working({ begin: false, local: true });
    const deployments = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
    hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS, SECRETS, NAMESPACES, deployments] });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(new Set(member.calls.map((call) => call.split(" ")[1]))).toEqual(new Set(["deployments"]));
  });

  test("watches the kinds that there are now", async () => {
    const { hub, settle, member } = await working();
    hub.send(CLUSTER, { kind: "Kinds", kinds: [...KINDS, SECRETS] });
    await settle();
    expect(member.calls.some((call) => call.endsWith(" secrets"))).toBe(true);
  });
});

describe("what a worker cannot see", () => {
  const forbidden = new ApiError(403, "Forbidden", "configmaps is forbidden");

  test("is said with the reason; the rest is known", async () => {
    const { hub, worker, startSession, settle, member, contact } = await working({ begin: false });
    member.gate = ({ type }) => {
      if (type?.plural === "configmaps") throw forbidden;
    };
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Rows", rows: [] });
    hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS, SECRETS, NAMESPACES] });
    startSession();
    worker.setContact(OK);
    await settle(1_000);
    expect(contact()).toMatchObject({
      ok: true,
      synced: false,
      partlySynced: true,
      pending: false,
      unseen: new Map([
        ["/ConfigMap", "configmaps are not granted: run `meridian join shanghai-1 --renew --member-kubeconfig FILE`"],
      ]),
    });
  });

  test("for half a minute makes that the contact: what is known is as old", async () => {
    const { clock, member, settle, contact, state } = await working();
    const since = clock.now();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw forbidden;
    };
    member.server.dropWatches(new TransportError("ConnectionReset", "reset"));
    await settle(29_000);
    expect(contact()).toMatchObject({ ok: true, synced: true });
    await settle(3_000);
    expect(contact()).toMatchObject({
      ok: false,
      synced: false,
      reason: "NotObserved",
      message: "configmaps are not granted: run `meridian join shanghai-1 --renew --member-kubeconfig FILE`",
    });
    expect((contact()?.lastContact ?? 0) - since).toBeLessThan(5_000);
    expect(state.suspicions).toBeGreaterThan(0);
    member.gate = () => undefined;
    await settle(60_000);
    expect(contact()).toMatchObject({ ok: true, synced: true });
  });
});

describe("the end of a worker", () => {
  test("begins nothing and reports nothing any more", async () => {
    const { hub, worker, settle, configs } = await working();
    const [reports, contacts] = [hub.reports.length, hub.contacts.get(CLUSTER)?.length];
    await worker.end();
    hub.ask(marked());
    worker.setContact({ ok: false, reason: "ClusterUnreachable", message: "" });
    await settle(60_000);
    expect([configs(), hub.reports.length, hub.contacts.get(CLUSTER)?.length]).toEqual([[], reports, contacts]);
  });

  test("waits for the write that is under way", async () => {
    const { hub, worker, settle, member } = await working();
    const answered = Promise.withResolvers<void>();
    member.gate = async ({ verb, phase }) => {
      if (verb === "apply" && phase === "before") await answered.promise;
    };
    hub.ask(marked());
    await settle();
    let ended = false;
    const ending = worker.end().then(() => (ended = true));
    await settle();
    expect(ended).toBe(false);
    answered.resolve();
    await ending;
  });
});

test("a report that the hub side does not take is logged, and the worker goes on", async () => {
  const { hub, settle, lines, configs } = await working();
  hub.report = () => {
    throw new Error("no room");
  };
  hub.ask(holdRow(), marked({ ...CONFIG_REF, name: "b" }));
  await settle();
  expect(configs()).toEqual(["b"]);
  expect(lines).toContainEqual(expect.objectContaining({ level: "error", event_reason: "ReportFailed" }));
});
