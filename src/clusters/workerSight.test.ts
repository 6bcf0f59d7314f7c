import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, DEPLOYMENTS, NAMESPACES, SECRETS, TransportError } from "../runtime/index.ts";
import { CLUSTER, CONFIG_REF } from "./testing/builders.ts";
import { KINDS, marked, OK, working } from "./testing/workerHarness.ts";

const AWAY = { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: 5 };
const UNKNOWN = new Map<string, string>();
const FORBIDDEN = new ApiError(403, "Forbidden", "configmaps is forbidden");
const GONE = new ApiError(404, "NotFound", "gone");
const NOT_GRANTED = "configmaps are not granted: run `meridian join shanghai-1 --renew --member-kubeconfig FILE`";

describe("what a worker says of its cluster", () => {
  test("is no more than that it is away, while it is away", async () => {
    const { worker, contact } = await working();
    worker.setContact(AWAY);
    expect(contact()).toStrictEqual({ ...AWAY, synced: false, pending: false, unseen: UNKNOWN });
    expect(worker.contact).toEqual(AWAY);
    worker.setContact(OK);
    expect(contact()).toStrictEqual({ ...OK, synced: true, pending: false, unseen: UNKNOWN });
  });

  test("is that nobody has tried, while its connection is made anew", async () => {
    const { worker, contact } = await working();
    worker.setContact({ ok: false, reason: "Connecting", message: "no answer yet" });
    expect(contact()).toStrictEqual({ ok: false, synced: false, pending: true, unseen: UNKNOWN });
  });

  test.each([
    {
      name: "for want of a right",
      error: FORBIDDEN,
      want: { unseen: new Map([["/ConfigMap", NOT_GRANTED]]), ungranted: new Set(["/ConfigMap"]) },
    },
    {
      name: "since it is not served",
      error: GONE,
      want: {
        unseen: new Map([["/ConfigMap", "configmaps cannot be watched on the member: gone"]]),
        unserved: new Set(["/ConfigMap"]),
      },
    },
  ])("is which kind is not known $name", async ({ error, want }) => {
    const { hub, worker, startSession, settle, member, contact } = await working({ begin: false });
    member.gate = ({ type }) => {
      if (type?.plural === "configmaps") throw error;
    };
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Rows", rows: [] });
    hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS, SECRETS, NAMESPACES] });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(contact()).toStrictEqual({ ...OK, synced: false, partlySynced: true, pending: false, ...want });
    worker.setContact(AWAY);
    expect(contact()).toStrictEqual({ ...AWAY, synced: false, pending: false, ...want });
  });

  test("comes after all that is known of its objects", async () => {
    const { hub, worker, startSession, settle, member } = await working({ begin: false });
    const { object } = marked();
    await member.apply(CONFIGMAPS, object);
    let known: unknown = "not said";
    hub.heard = ({ synced }) => {
      if (synced) known = hub.observation(CLUSTER, CONFIG_REF)?.present?.proven;
    };
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    startSession();
    worker.setContact(OK);
    await settle();
    expect(known).toBe(true);
  });
});

describe("a worker whose session reaches some namespaces only", () => {
  test("knows nothing any more of objects in the others", async () => {
    const { hub, settle, startSession, endSession, configs, seenThere } = await working();
    hub.ask(marked());
    await settle();
    expect(seenThere()?.present).toBeDefined();
    endSession();
    startSession(["bank"]);
    await settle();
    expect([configs(), seenThere()?.present]).toEqual([["shop"], undefined]);
  });

  test("knows what is in the ones that it reaches before it has read them anew", async () => {
    const { hub, settle, startSession, endSession, member, seenThere } = await working();
    hub.ask(marked());
    await settle();
    endSession();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw FORBIDDEN;
    };
    startSession(["default"]);
    await settle();
    expect(seenThere()?.present).toBeDefined();
  });
});

describe("a worker that hears of its cluster again", () => {
  test("tries watches that wait out a failure at once", async () => {
    const { member, worker, settle } = await working();
    member.gate = ({ verb }) => {
      if (verb === "watch" || verb === "list") throw new TransportError("ConnectionRefused", "refused");
    };
    member.server.dropWatches(new TransportError("ConnectionReset", "reset"));
    await settle(120_000);
    worker.setContact(AWAY);
    const before = member.calls.length;
    await settle();
    expect(member.calls.length).toBe(before);
    worker.setContact(OK);
    await settle();
    expect(member.calls.length).toBeGreaterThan(before);
  });

  test("and that answers no write in time asks for a probe", async () => {
    const { hub, member, settle, state } = await working();
    member.gate = ({ verb }) => {
      if (verb === "apply") throw new TransportError("Timeout", "no answer within 10 s");
    };
    hub.ask(marked());
    await settle();
    expect(state.suspicions).toBeGreaterThan(0);
  });
});

describe("a session that ends", () => {
  test("after the next one has begun changes nothing of it", async () => {
    const { hub, settle, startSession, endSession, latestEnd, contact, configs } = await working();
    const first = latestEnd();
    startSession();
    await settle();
    endSession(first);
    await settle();
    hub.ask(marked());
    await settle();
    expect([contact()?.synced, configs()]).toEqual([true, ["shop"]]);
  });
});

test("a kind that the hub does not name any more is not watched any more", async () => {
  const { hub, settle, member } = await working();
  hub.send(CLUSTER, { kind: "Kinds", kinds: [DEPLOYMENTS] });
  await settle();
  const plurals = [...member.server.watchers].map(({ type }) => type.plural);
  expect(plurals).toEqual(["deployments"]);
});
