import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, type ObjectRef, POD_SECURITY_ANNOTATION, refKey } from "../apis/index.ts";
import type { Row } from "../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, NAMESPACES, NODES, SECRETS } from "../runtime/index.ts";
import type { WorkDelta } from "./ports.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow, OWNER } from "./testing/builders.ts";
import { KINDS, marked, OK, working } from "./testing/workerHarness.ts";

const named = (name: string): ObjectRef => ({ ...CONFIG_REF, name });
const NAMESPACE: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "default" };
const rows = (...given: Row[]): WorkDelta => ({
  kind: "Rows",
  rows: given.map((row, index) => ({ ref: row.ref, row, revision: 100 + index })),
});

describe("an assignment that ends", () => {
  test("is asked for again after a second, and that is said", async () => {
    const { hub, settle, lines, worker } = await working({ begin: false });
    const assignments = hub.assignment.bind(hub);
    hub.breakOff(CLUSTER);
    await settle();
    lines.length = 0;
    let ends = 2;
    hub.assignment = async function* (cluster, signal) {
      if (ends-- > 0) {
        hub.subscriptions += 1;
        return;
      }
      yield* assignments(cluster, signal);
    };
    await settle(1_000);
    expect(lines).toMatchObject([
      {
        level: "warn",
        cluster: CLUSTER,
        event_reason: "AssignmentEnded",
        msg: "the assignment of a cluster ended; asking again",
      },
    ]);
    expect(hub.subscriptions).toBe(2);
    await settle(2_000);
    expect(hub.subscriptions).toBe(3);
    await worker.end();
    await settle(60_000);
    expect([hub.subscriptions, lines.length]).toEqual([3, 2]);
  });

  test("is asked for again after a second, when it has brought anything before", async () => {
    const { hub, settle } = await working({ begin: false });
    for (let time = 1; time <= 3; time += 1) {
      hub.send(CLUSTER, { kind: "Expected", owners: [] });
      await settle();
      hub.breakOff(CLUSTER);
      await settle(1_000);
      expect(hub.subscriptions).toBe(time + 1);
    }
  });

  test("because the worker ends is asked for no more, and nothing is said of it", async () => {
    const { hub, settle, lines, worker } = await working();
    lines.length = 0;
    await worker.end();
    await settle(60_000);
    expect([hub.subscriptions, lines]).toEqual([1, []]);
  });

  test("says which cluster's it was, and why it broke off", async () => {
    const { hub, settle, lines } = await working();
    hub.breakOff(CLUSTER);
    await settle();
    expect(lines.at(-1)).toMatchObject({
      level: "error",
      cluster: CLUSTER,
      event_reason: "AssignmentFailed",
      msg: "the assignment of a cluster broke off",
    });
  });
});

describe("rows", () => {
  test("of a later message take nothing back that an earlier one asked for", async () => {
    const { hub, settle, startSession, worker, configs } = await working({ begin: false });
    hub.send(CLUSTER, rows(marked(named("a"))), rows(marked(named("b"))));
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(configs()).toEqual(["a", "b"]);
  });

  test("give way to others after two hundred", async () => {
    const { hub, settle, clock } = await working({ begin: false });
    let turns = 0;
    clock.nextTurn = async () => void (turns += 1);
    const many = (count: number) => rows(...Array.from({ length: count }, (_, n) => marked(named(`config-${n}`))));
    hub.send(CLUSTER, many(200));
    await settle();
    expect(turns).toBe(0);
    hub.send(CLUSTER, many(201));
    await settle();
    expect(turns).toBe(1);
    hub.send(CLUSTER, many(450));
    await settle();
    expect(turns).toBe(3);
  });

  test("of phases are carried out phase by phase, whatever their order", async () => {
    const { hub, settle, configs } = await working();
    hub.send(CLUSTER, rows({ ...marked(named("late")), phase: 1 }, { ...marked(named("early")), phase: 0 }));
    await settle();
    expect(configs()).toEqual(["early", "late"]);
  });
});

describe("the record of what should be there", () => {
  const owners = Array.from({ length: 20 }, (_, n) => refKey({ ...OWNER, name: `shop-${n}` }));

  test("is doubted with the first read when most of it is missing, until a second read agrees", async () => {
    const { hub, worker, startSession, settle, contact } = await working({ begin: false });
    startSession();
    worker.setContact(OK);
    hub.send(CLUSTER, { kind: "Expected", owners }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    await settle();
    expect(contact()).toMatchObject({ ok: true, synced: false });
    await settle(5_000);
    expect(contact()).toMatchObject({ ok: true, synced: true });
  });

  test("counts for the first read alone", async () => {
    const { hub, startSession, endSession, settle, contact } = await working();
    endSession();
    hub.send(CLUSTER, { kind: "Expected", owners });
    await settle();
    startSession();
    await settle();
    expect(contact()).toMatchObject({ ok: true, synced: true });
  });

  test("counts for the next session where the first one has not read everything", async () => {
    const { hub, worker, startSession, endSession, settle, contact } = await working({ begin: false });
    hub.send(CLUSTER, { kind: "Expected", owners });
    startSession();
    worker.setContact(OK);
    await settle();
    endSession();
    hub.send(CLUSTER, { kind: "Kinds", kinds: KINDS });
    startSession();
    await settle();
    expect(contact()).toMatchObject({ synced: false });
  });
});

describe("the kinds of an assignment", () => {
  test("that the hub need not serve are looked up on the member", async () => {
    const { hub, settle, member } = await working();
    const others = [{ group: "example.com", kind: "Database" }];
    hub.send(CLUSTER, { kind: "Kinds", kinds: KINDS, others });
    await settle();
    expect(member.calls).toContain("raw ");
  });

  test("are watched though no others are named", async () => {
    const { member } = await working();
    expect(member.calls).not.toContain("raw ");
  });

  test("of the same name in another group come to a local member as well", async () => {
    const { hub, settle, member, startSession, worker } = await working({ begin: false, local: true });
    const own = { ...SECRETS, group: "apps" };
    hub.send(CLUSTER, { kind: "Kinds", kinds: [SECRETS, own, { ...NODES, kind: "Lease", plural: "leases" }] });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(member.calls.filter((call) => call.startsWith("watch")).toSorted()).toEqual([
      "watch leases",
      "watch secrets",
    ]);
  });
});

describe("the room on a member", () => {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { allocatable: { cpu: "1" } } };

  test("is measured while the hub side asks for it, and told", async () => {
    const { hub, settle, member } = await working();
    member.server.create(NODES, node);
    expect(hub.rooms).toEqual([]);
    hub.send(CLUSTER, { kind: "Room", wanted: true });
    await settle();
    expect(hub.rooms).toMatchObject([{ cluster: CLUSTER, reading: { room: { groups: [{}] } } }]);
    hub.send(CLUSTER, { kind: "Room", wanted: false });
    await settle(600_000);
    expect(hub.rooms.slice(1)).toEqual([{ cluster: CLUSTER, reading: undefined }]);
  });

  test("is measured by the next session as well, and by none before somebody asks", async () => {
    const { hub, settle, startSession, endSession, member } = await working();
    const reads = () => member.calls.filter((call) => call === "list nodes").length;
    endSession();
    startSession();
    await settle(120_000);
    expect(reads()).toBe(0);
    endSession();
    hub.send(CLUSTER, { kind: "Room", wanted: true });
    await settle();
    expect([reads(), hub.rooms]).toEqual([0, []]);
    startSession();
    await settle();
    expect([reads(), hub.rooms.length]).toEqual([1, 1]);
  });

  test("is not measured any more when the assignment breaks off, until it is asked for again", async () => {
    const { hub, settle } = await working();
    hub.send(CLUSTER, { kind: "Room", wanted: true });
    await settle();
    hub.breakOff(CLUSTER);
    await settle(600_000);
    expect(hub.rooms).toHaveLength(1);
  });

  test("is not told when the worker has ended", async () => {
    const { hub, settle, worker } = await working();
    hub.send(CLUSTER, { kind: "Room", wanted: true });
    await settle();
    await worker.end();
    await settle(600_000);
    expect(hub.rooms).toHaveLength(1);
  });
});

describe("the namespace of what is asked for", () => {
  const labelled = (labels: Record<string, string>) => ({ ...marked(), namespaceLabels: labels });
  const LEVEL = "pod-security.kubernetes.io/enforce";

  test("gets the labels of the hub's when it is made, and others when those change", async () => {
    const { hub, settle, member } = await working();
    const create = member.apply.bind(member);
    member.apply = (type, object, options) =>
      member.server.list(NAMESPACES).length === 0
        ? Promise.reject(
            new ApiError(404, "NotFound", 'namespaces "default" not found', { details: { kind: "namespaces" } }),
          )
        : create(type, object, options);
    hub.ask(labelled({ [LEVEL]: "baseline" }));
    await settle();
    const made = () => member.server.get(NAMESPACES, undefined, "default").metadata;
    expect(made().labels).toEqual({ [LEVEL]: "baseline", [MANAGED_BY_LABEL]: "hub" });
    hub.ask(labelled({ [LEVEL]: "restricted" }));
    await settle();
    expect([made().labels?.[LEVEL], made().annotations?.[POD_SECURITY_ANNOTATION]]).toEqual([
      "restricted",
      `{"${LEVEL}":"restricted"}`,
    ]);
  });

  test("follows the hub's also while what runs in it is refused", async () => {
    const { hub, settle, member } = await working();
    const labels = { [MANAGED_BY_LABEL]: "hub", [LEVEL]: "privileged" };
    const annotations = {
      "federation.paas.cmft.com/created-for": "default",
      [POD_SECURITY_ANNOTATION]: `{"${LEVEL}":"privileged"}`,
    };
    const metadata = { name: "default", labels, annotations };
    member.server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
    hub.ask(labelled({ [LEVEL]: "privileged" }));
    await settle();
    hub.ask(holdRow({ namespaceLabels: { [LEVEL]: "restricted" } }));
    await settle();
    const level = () => member.server.get(NAMESPACES, undefined, "default").metadata.labels?.[LEVEL];
    expect(level()).toBe("restricted");
    hub.ask(holdRow());
    await settle();
    expect(level()).toBe("restricted");
    hub.ask(holdRow({ namespaceLabels: {} }));
    await settle();
    expect(level()).toBeUndefined();
  });

  test("goes when it is to go, once nothing of ours is in it", async () => {
    const { hub, settle, member, seenThere } = await working();
    const created = member.server.create(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: "default",
        labels: { [MANAGED_BY_LABEL]: "hub" },
        annotations: { "federation.paas.cmft.com/created-for": "default" },
      },
    });
    const resources = [{ name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["list"] }];
    const apis = {
      "/api": { kind: "APIVersions", versions: ["v1"] },
      "/apis": { kind: "APIGroupList", groups: [] },
      "/api/v1": { resources },
    };
    member.raw = async (_method, path) => {
      const answer = apis[path as keyof typeof apis];
      if (answer === undefined) throw new ApiError(404, "NotFound", path);
      return answer;
    };
    hub.ask(marked());
    await settle();
    const row = deleteRow({ ref: NAMESPACE, uid: created.metadata.uid ?? "" });
    hub.ask(row);
    await settle(120_000);
    expect(member.server.list(NAMESPACES)).toHaveLength(1);
    hub.ask(deleteRow({ uid: seenThere()?.present?.uid ?? "" }));
    await settle();
    hub.withdraw(CLUSTER, CONFIG_REF);
    await settle(40_000);
    expect([member.server.list(NAMESPACES), member.server.list(CONFIGMAPS)]).toEqual([[], []]);
  });
});
