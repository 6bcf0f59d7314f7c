import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, type ObjectRef, POD_SECURITY_ANNOTATION, refKey } from "../apis/index.ts";
import type { Row } from "../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, CRDS, DEPLOYMENTS, NAMESPACES, NODES, SECRETS } from "../runtime/index.ts";
import { TransportError } from "../runtime/index.ts";
import type { WorkDelta } from "../ports/index.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow, OWNER } from "./testing/builders.ts";
import { DATABASE_KIND, DATABASE_REF, made, NAMESPACE_REF } from "./testing/cacheHarness.ts";
import { KINDS, marked, OK, working } from "./testing/workerHarness.ts";

const AWAY = { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: 5 };
const UNTRIED = { ok: false, reason: "Connecting", message: "no answer yet" };
const FORBIDDEN = new ApiError(403, "Forbidden", "configmaps is forbidden");
const RESET = new TransportError("ConnectionReset", "reset");
const NOT_GRANTED = {
  what: "configmaps are not granted",
  remedy: "run `meridian join shanghai-1 --renew --member-kubeconfig FILE`",
};
const named = (name: string): ObjectRef => ({ ...CONFIG_REF, name });
const rows = (...given: Row[]): WorkDelta => ({
  kind: "Rows",
  rows: given.map((row, index) => ({ ref: row.ref, row, revision: 100 + index })),
});

describe("a worker reports contact", () => {
  test("as pending until it was tried and everything is known", async () => {
    const { worker, startSession, sendKinds, send, settle, contact, contacts } = await working({ begin: false });
    const untried = { ok: false, synced: false, pending: true };
    worker.setContact(UNTRIED);
    expect(contacts()).toStrictEqual([untried]);
    startSession();
    worker.setContact(OK);
    await settle();
    expect(contact()).toStrictEqual({ ...OK, synced: false, pending: true });
    sendKinds(...KINDS);
    await settle();
    expect(contact()).toMatchObject({ synced: false, pending: true });
    send({ kind: "Expected", owners: [] });
    await settle();
    expect(contact()).toStrictEqual({ ...OK, synced: true, pending: false });
    expect(worker.contact).toEqual(OK);
    worker.setContact(UNTRIED);
    expect(contact()).toStrictEqual(untried);
  });

  test("as synced only after all that was observed", async () => {
    const { hub, member, send, connect, observation } = await working({ begin: false });
    member.server.create(CONFIGMAPS, marked().object);
    const heard: boolean[] = [];
    hub.heard = ({ synced }) => {
      if (synced) heard.push(observation()?.present !== undefined);
    };
    send({ kind: "Rows", rows: [] });
    await connect(...KINDS);
    expect(heard).toEqual([true]);
  });

  test("as lost and regained, and nothing twice", async () => {
    const { worker, contact, contacts } = await working();
    worker.setContact(AWAY);
    expect([contact(), worker.contact]).toStrictEqual([{ ...AWAY, synced: false, pending: false }, AWAY]);
    worker.setContact(OK);
    const { length } = contacts();
    worker.setContact({ ...OK });
    expect(contacts()).toHaveLength(length);
    worker.setContact({ ...OK, lastContact: 6 });
    expect(contacts()).toHaveLength(length + 1);
  });

  test.each([[FORBIDDEN, { unreadable: [{ kind: "/ConfigMap", why: NOT_GRANTED }], ungranted: ["/ConfigMap"] }]])(
    "with the kinds that cannot be read: %s",
    async (error, want) => {
      const { worker, connect, member, contact } = await working({ begin: false });
      member.gate = ({ type }) => {
        if (type?.plural === "configmaps") throw error;
      };
      await connect(CONFIGMAPS, SECRETS, NAMESPACES);
      expect(contact()).toStrictEqual({ ...OK, synced: false, partlySynced: true, pending: false, ...want });
      worker.setContact(AWAY);
      expect(contact()).toStrictEqual({ ...AWAY, synced: false, pending: false, ...want });
    },
  );

  test("as lost when a watch has been broken for half a minute, until it works again", async () => {
    const { clock, member, settle, contact, state } = await working();
    const since = clock.now();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw FORBIDDEN;
    };
    member.server.dropWatches(RESET);
    await settle(29_000);
    expect(contact()).toMatchObject({ ok: true, synced: true });
    await settle(3_000);
    const message = `${NOT_GRANTED.what}; ${NOT_GRANTED.remedy}`;
    expect(contact()).toMatchObject({ ok: false, synced: false, reason: "NotObserved", message });
    expect((contact()?.lastContact ?? 0) - since).toBeLessThan(5_000);
    expect(state.suspicions).toBeGreaterThan(0);
    member.gate = () => undefined;
    await settle(60_000);
    expect(contact()).toMatchObject({ ok: true, synced: true });
  });

  test("as synced only after all observations", async () => {
    const { hub, connect, send, member } = await working({ begin: false });
    await member.apply(CONFIGMAPS, marked().object);
    let known: unknown = "not synced";
    hub.heard = ({ synced }) => {
      if (synced) known = hub.observation(CLUSTER, CONFIG_REF)?.present?.proven;
    };
    send({ kind: "Rows", rows: [] });
    await connect(...KINDS);
    expect(known).toBe(true);
  });
});

describe("a worker carries out rows", () => {
  test("that create, update and delete, and reports them", async () => {
    const { hub, settle, data, configs, observation } = await working();
    const revision = hub.ask(marked());
    await settle();
    expect(data()).toEqual({ key: "value" });
    const present = { proven: true };
    expect(observation()).toMatchObject({ inSyncWith: "hash of value", revision, writing: false, present });
    hub.ask(marked(CONFIG_REF, "other"));
    await settle();
    expect(data()).toEqual({ key: "other" });
    const last = hub.ask(deleteRow({ uid: observation()?.present?.uid ?? "" }));
    await settle();
    const absent = { cluster: CLUSTER, ref: CONFIG_REF, writing: false, absent: true, revision: last };
    expect([configs(), observation()]).toEqual([[], absent]);
  });

  test("only in contact and in a session", async () => {
    const { hub, worker, settle, startSession, endSession, contact, configs } = await working();
    worker.setContact(AWAY);
    hub.ask(marked());
    await settle(30_000);
    endSession();
    worker.setContact(OK);
    await settle(10_000);
    expect([configs(), contact()]).toMatchObject([[], { ok: true, synced: false, pending: true }]);
    startSession();
    await settle();
    expect([configs(), contact()]).toMatchObject([["shop"], { synced: true }]);
  });

  test("of several deltas, in the order of their phases", async () => {
    const { send, connect, settle, configs } = await working({ begin: false });
    send(rows(marked(named("a"))), rows(marked(named("b"))));
    await connect(...KINDS);
    expect(configs()).toEqual(["a", "b"]);
    send(rows({ ...marked(named("late")), phase: 1 }, { ...marked(named("early")), phase: 0 }));
    await settle();
    expect(configs().slice(2)).toEqual(["early", "late"]);
  });

  test("and yields the event loop after two hundred", async () => {
    const { send, settle, clock } = await working({ begin: false });
    let turns = 0;
    clock.nextTurn = async () => void (turns += 1);
    const counts: number[] = [];
    for (const count of [200, 201, 450]) {
      send(rows(...Array.from({ length: count }, (_, n) => marked(named(`config-${n}`)))));
      await settle();
      counts.push(turns);
    }
    expect(counts).toEqual([0, 1, 3]);
  });

  test("although the hub side does not take a report, which is logged", async () => {
    const { hub, settle, lines, configs } = await working();
    hub.receive = () => {
      throw new Error("full");
    };
    hub.ask(holdRow(), marked(named("b")));
    await settle();
    expect(configs()).toEqual(["b"]);
    expect(lines).toContainEqual(expect.objectContaining({ level: "error", event_reason: "ReportFailed" }));
  });

  test("and asks for a probe when a write gets no answer", async () => {
    const { hub, member, settle, state } = await working();
    member.gate = ({ verb }) => {
      if (verb === "apply") throw new TransportError("Timeout", "no answer within 10 s");
    };
    hub.ask(marked());
    await settle();
    expect(state.suspicions).toBeGreaterThan(0);
  });
});

describe("the assignment", () => {
  test("that breaks off is requested again with backoff, which a delta resets", async () => {
    const { hub, settle, send, lines } = await working();
    for (const [time, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      hub.breakOff(CLUSTER);
      await settle(10);
      expect(hub.subscriptions).toBe(time + 1);
      await settle(pauseMs);
      expect(hub.subscriptions).toBe(time + 2);
    }
    const broken = { level: "error", cluster: CLUSTER, msg: "the assignment of a cluster broke off" };
    expect(lines.filter(({ event_reason: why }) => why === "AssignmentFailed")).toMatchObject([broken, broken, broken]);
    send({ kind: "Expected", owners: [] });
    await settle();
    hub.breakOff(CLUSTER);
    await settle(1_000);
    expect(hub.subscriptions).toBe(5);
  });

  test("that ends is requested again, until the worker ends", async () => {
    const { hub, settle, lines, worker } = await working({ begin: false });
    hub.breakOff(CLUSTER);
    await settle();
    lines.length = 0;
    hub.assignment = (_cluster, request) => {
      hub.requests.push(request);
      return (async function* () {})();
    };
    await settle(1_000);
    const msg = "the assignment of a cluster ended; asking again";
    expect(lines).toMatchObject([{ level: "warn", cluster: CLUSTER, event_reason: "AssignmentEnded", msg }]);
    await settle(2_000);
    expect(hub.subscriptions).toBe(3);
    await worker.end();
    await settle(60_000);
    expect([hub.subscriptions, lines.length]).toEqual([3, 2]);
  });

  test("withdraws rows that its first delta lacks", async () => {
    const { hub, settle, send, observation, member, data } = await working();
    hub.ask(marked(), marked(named("b")));
    await settle();
    hub.breakOff(CLUSTER);
    await settle(1_000);
    send(rows(marked(named("b"), "new")), rows());
    await settle();
    expect(observation(named("b"))?.inSyncWith).toBe("hash of new");
    member.server.merge(CONFIGMAPS, "default", "shop", { data: { key: "theirs" }, metadata: { managedFields: [] } });
    await settle(10_000);
    expect(data()).toEqual({ key: "theirs" });
  });

  describe("with the hub's record of copies", () => {
    const owners = Array.from({ length: 20 }, (_, n) => refKey({ ...OWNER, name: `shop-${n}` }));

    test("doubts a first list that lacks most of them until a second list agrees", async () => {
      const { send, sendKinds, startSession, endSession, worker, settle, contact } = await working({ begin: false });
      send({ kind: "Expected", owners });
      startSession();
      worker.setContact(OK);
      await settle();
      // The first session has read nothing, so the record counts for the next one.
      endSession();
      sendKinds(...KINDS);
      startSession();
      await settle();
      expect(contact()).toMatchObject({ ok: true, synced: false });
      await settle(5_000);
      expect(contact()).toMatchObject({ ok: true, synced: true });
    });

    test("does not doubt a session after the first sync", async () => {
      const { send, startSession, endSession, settle, contact } = await working();
      endSession();
      send({ kind: "Expected", owners });
      await settle();
      startSession();
      await settle();
      expect(contact()).toMatchObject({ ok: true, synced: true });
    });
  });

  test("names the kinds to watch, and other kinds that are discovered on the member", async () => {
    const { send, sendKinds, settle, member } = await working();
    sendKinds(DEPLOYMENTS);
    await settle();
    expect([...member.server.watchers].map(({ type }) => type.plural)).toEqual(["deployments"]);
    expect(member.calls).not.toContain("raw ");
    send({ kind: "Kinds", kinds: KINDS, others: [{ group: "example.com", kind: "Database" }] });
    await settle();
    expect(member.calls).toContain("raw ");
  });

  test("of the hub as its own member leaves out kinds that originate there", async () => {
    const { connect, member } = await working({ begin: false, local: true });
    await connect(CONFIGMAPS, SECRETS, NAMESPACES, DEPLOYMENTS, { ...SECRETS, group: "apps" });
    const watched = Array.from(member.server.watchers, ({ type: { group, plural } }) => `${group}/${plural}`);
    expect(watched.toSorted()).toEqual(["apps/deployments", "apps/secrets"]);
  });

  test("turns the measurement of capacity on and off, also across sessions", async () => {
    const { hub, worker, send, settle, startSession, endSession, member } = await working();
    const reads = () => member.calls.filter((call) => call === "list nodes").length;
    const status = { allocatable: { cpu: "1" } };
    member.server.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status });
    await settle(120_000);
    endSession();
    send({ kind: "Capacity", wanted: true });
    await settle();
    expect([reads(), hub.capacities]).toEqual([0, []]);
    startSession();
    await settle();
    expect([reads(), hub.capacities]).toMatchObject([1, [{ cluster: CLUSTER, reading: { room: { groups: [{}] } } }]]);
    send({ kind: "Capacity", wanted: false });
    await settle(600_000);
    expect([reads(), hub.capacities.slice(1)]).toEqual([1, [{ cluster: CLUSTER, reading: undefined }]]);
    send({ kind: "Capacity", wanted: true });
    await settle();
    hub.breakOff(CLUSTER);
    await settle(600_000);
    expect([reads(), hub.capacities.length, hub.capacities.at(-1)?.reading]).toEqual([2, 4, undefined]);
    send({ kind: "Capacity", wanted: true });
    await settle();
    await worker.end();
    await settle(600_000);
    expect(hub.capacities).toHaveLength(5);
  });
});

describe("a session", () => {
  test("that ends after the next one has begun changes nothing", async () => {
    const { hub, settle, startSession, endSession, state, contact, configs } = await working();
    const first = state.end;
    startSession();
    await settle();
    endSession(first);
    await settle();
    hub.ask(marked());
    await settle();
    expect([contact()?.synced, configs()]).toEqual([true, ["shop"]]);
  });

  test("of some namespaces forgets the objects in others, and keeps the rest before the first list", async () => {
    const { hub, settle, startSession, endSession, member, configs, observation } = await working();
    hub.ask(marked());
    await settle();
    endSession();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw FORBIDDEN;
    };
    startSession(["default"]);
    await settle();
    expect(observation()?.present).toBeDefined();
    endSession();
    startSession(["bank"]);
    await settle();
    expect([configs(), observation()?.present]).toEqual([["shop"], undefined]);
  });

  test("retries broken watches at once when contact is made", async () => {
    const { member, worker, settle } = await working();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw new TransportError("ConnectionRefused", "refused");
    };
    member.server.dropWatches(RESET);
    await settle(120_000);
    worker.setContact(AWAY);
    const before = member.calls.length;
    await settle();
    expect(member.calls.length).toBe(before);
    worker.setContact(OK);
    await settle();
    expect(member.calls.length).toBeGreaterThan(before);
  });
});

describe("the namespace of a row", () => {
  const LEVEL = "pod-security.kubernetes.io/enforce";
  const labelled = (level: string) => ({ ...marked(), namespaceLabels: { [LEVEL]: level } });

  test("is created with the hub's Pod Security labels, which follow later rows", async () => {
    const { hub, settle, member } = await working();
    const details = { kind: "namespaces" };
    const missing = new ApiError(404, "NotFound", 'namespaces "default" not found', { details });
    const apply = member.apply.bind(member);
    member.apply = (type, object, options) =>
      member.server.list(NAMESPACES).length === 0 ? Promise.reject(missing) : apply(type, object, options);
    const metadata = () => member.server.get(NAMESPACES, undefined, "default").metadata;
    hub.ask(labelled("baseline"));
    await settle();
    expect(metadata().labels).toEqual({ [LEVEL]: "baseline", [MANAGED_BY_LABEL]: "hub" });
    hub.ask(labelled("restricted"));
    await settle();
    expect(metadata()).toMatchObject({
      labels: { [LEVEL]: "restricted" },
      annotations: { [POD_SECURITY_ANNOTATION]: `{"${LEVEL}":"restricted"}` },
    });
    const levels: unknown[] = [];
    for (const given of [{ namespaceLabels: { [LEVEL]: "privileged" } }, {}, { namespaceLabels: {} }]) {
      hub.ask(holdRow(given));
      await settle();
      levels.push(metadata().labels?.[LEVEL]);
    }
    expect(levels).toEqual(["privileged", "privileged", undefined]);
  });
});

describe("a change on the member", () => {
  const DEFINITION: ObjectRef = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    name: "databases.example.com",
  };
  const withdrawn = (ref: ObjectRef): WorkDelta => ({ kind: "Rows", rows: [{ ref, revision: 900 }] });

  test("of a definition of ours makes the worker ask for the served kinds at once", async () => {
    const { send, settle, member } = await working();
    send({ kind: "Kinds", kinds: [CRDS], others: [DATABASE_KIND] });
    await settle();
    const asked = () => member.calls.filter((call) => call.startsWith("raw")).length;
    const before = asked();
    member.server.create(CRDS, made(DEFINITION));
    await settle();
    expect(asked()).toBeGreaterThan(before);
  });

  test("that ends the last object of a kind lets the deletion of the definition be tried at once", async () => {
    const { send, sendKinds, settle, member } = await working();
    sendKinds(CRDS);
    member.server.create(CRDS, made(DEFINITION));
    const { uid = "" } = member.server.get(CRDS, undefined, DEFINITION.name).metadata;
    member.gate = ({ verb }) => {
      if (verb === "delete") throw new ApiError(422, "Invalid", "objects of the kind exist");
    };
    await settle();
    send(rows(deleteRow({ ref: DEFINITION, uid }), holdRow({ ref: DATABASE_REF })));
    await settle();
    const tries = () => member.calls.filter((call) => call === `delete ${CRDS.plural}`).length;
    expect(tries()).toBe(1);
    send(withdrawn(DATABASE_REF));
    await settle();
    expect(tries()).toBe(2);
  });

  test("that empties a namespace lets the namespace be inspected for its deletion", async () => {
    const { send, settle, member } = await working();
    member.server.create(NAMESPACES, made(NAMESPACE_REF));
    const { uid = "" } = member.server.get(NAMESPACES, undefined, NAMESPACE_REF.name).metadata;
    await settle();
    send(rows(holdRow(), deleteRow({ ref: NAMESPACE_REF, uid })));
    await settle();
    const isInspected = () => member.calls.some((call) => call.startsWith("raw"));
    expect(isInspected()).toBe(false);
    send(withdrawn(CONFIG_REF));
    await settle();
    expect(isInspected()).toBe(true);
  });
});

describe("a worker that ends", () => {
  test("writes, reports and requests nothing any more", async () => {
    const { hub, worker, settle, configs, contacts, lines } = await working();
    const before = [hub.reports.length, contacts().length];
    lines.length = 0;
    await worker.end();
    hub.ask(marked());
    worker.setContact(AWAY);
    await settle(60_000);
    expect([configs(), hub.reports.length, contacts().length]).toEqual([[], ...before]);
    expect([hub.subscriptions, lines]).toEqual([1, []]);
  });
});
