import { describe, expect, test } from "vitest";
import { TransportError } from "../../runtime/index.ts";
import {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "../credentials/renewal.ts";
import { connecting } from "../testing/memberConnecting.ts";
import type { MemberSession } from "../types.ts";

const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");
const MINUTE = 60_000;

const reasonOf = (session: MemberSession | undefined) => (session?.signal.reason as Error | undefined)?.message;

describe("a connection", () => {
  test("does nothing before its start, and starts once", async () => {
    const { connection, put, settle, heard, member, update } = connecting();
    put();
    connection.reconfigure();
    connection.rejudge();
    update({});
    await settle(10_000);
    expect([heard, member.clients.length, connection.session]).toEqual([[], 1, undefined]);
    expect(connection.contact).toEqual({ ok: false, reason: "Connecting", message: "no answer yet" });
    connection.start();
    connection.start();
    await settle();
    expect(heard).toEqual(["claim of a", "claim of a", "session a-uid", "a ok"]);
    expect(connection.contact.ok).toBe(true);
  });

  test("knows its MemberCluster and the Secret with the kubeconfig", () => {
    const { connection } = connecting();
    expect([connection.cluster, connection.objectUid, connection.secretName]).toEqual(["a", "object-1", "a"]);
    const { connection: local } = connecting({ connection: { local: {} } });
    expect([local.secretName, local.claim.local]).toEqual([undefined, true]);
  });

  test("claims the observed, the recorded and the accepted UID", async () => {
    const claim = {
      cluster: "a",
      local: false,
      createdAt: "2026-01-01T00:00:00Z",
      recordedUid: undefined,
      acceptedUid: undefined,
      observedUid: undefined,
    };
    const { connection, begin, update } = connecting();
    expect(connection.claim).toEqual(claim);
    await begin();
    expect(connection.claim).toEqual({ ...claim, recordedUid: "a-uid", observedUid: "a-uid" });
    update({ acceptedUid: "b-uid", recordedUid: "a-uid" });
    expect(connection.claim).toMatchObject({ acceptedUid: "b-uid", recordedUid: "a-uid" });
  });

  test("logs contact that is made, lost and missing, with the cluster", async () => {
    const { begin, settle, member, lines, put, secrets, connection } = connecting();
    await begin();
    expect(lines.filter(({ msg }) => msg === "contact made")).toMatchObject([{ level: "info", cluster: "a" }]);
    member.failure = REFUSED;
    await settle(20_000);
    expect(lines.filter(({ msg }) => msg === "contact lost")).toMatchObject([
      { level: "warn", cluster: "a", event_reason: "ClusterUnreachable", message: "connection refused" },
    ]);
    secrets.clear();
    connection.reconfigure();
    await settle();
    expect(lines.filter(({ msg }) => msg === "no contact")).toMatchObject([{ event_reason: "SecretNotFound" }]);
    member.failure = undefined;
    put();
    connection.reconfigure();
    await settle();
    expect(lines.filter(({ msg }) => msg === "contact made")).toHaveLength(2);
  });
});

describe("a connection reports", () => {
  test("its contact with each change, and only JSON values", async () => {
    const { begin, settle, member, contacts, sent, identities } = connecting();
    await begin();
    await settle(MINUTE);
    expect(contacts()).toEqual(["ok"]);
    member.failure = REFUSED;
    await settle(20_000);
    member.failure = undefined;
    await settle(MINUTE);
    expect(contacts()).toEqual(["ok", "ClusterUnreachable", "ok"]);
    const messages = [...sent, ...identities];
    expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
  });

  test("slow answers once, until they are fast again", async () => {
    const { begin, settle, member, clock, sent } = connecting();
    await begin();
    const client = member.clients.at(-1);
    const verdicts = () => sent.flatMap((news) => (news.kind === "Answering" ? [news.answering.latencyMs] : []));
    for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
    expect(verdicts()).toEqual([null]);
    if (client !== undefined)
      client.gate = async ({ phase }) => {
        if (phase === "before") await clock.sleep(2_500);
      };
    for (let passed = 0; passed < 20; passed += 1) await settle(5_000);
    expect(verdicts()).toEqual([null, 2_500]);
    if (client !== undefined) client.gate = () => undefined;
    for (let passed = 0; passed < 10; passed += 1) await settle(5_000);
    expect(verdicts()).toEqual([null, 2_500, null]);
  });

  const withToken = async (owned: boolean) => {
    const all = connecting({ owned, recordedUid: "a-uid" });
    all.put(all.member.token, {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: new Date(all.clock.now()).toISOString(),
      [TOKEN_EXPIRES_AT_ANNOTATION]: new Date(all.clock.now() + 100 * MINUTE).toISOString(),
    });
    all.connection.start();
    await all.settle();
    return all;
  };

  test("a token that was not renewed, which is retried when contact is back", async () => {
    const { settle, sent, member, state, findings } = await withToken(true);
    expect(findings().credentials).toEqual({ expiresAt: "2026-01-01T09:40:00Z", renewAt: "2026-01-01T09:20:00Z" });
    await settle(81 * MINUTE);
    const renewal = { renewed: false, message: "may not create tokens" };
    expect(sent.find(({ kind }) => kind === "TokenRenewal")).toEqual({ kind: "TokenRenewal", renewal });
    const before = state.tokens;
    member.failure = REFUSED;
    await settle(20_000);
    member.failure = undefined;
    await settle(10_000);
    expect(state.tokens).toBeGreaterThan(before);
  });

  test("no token of a MemberCluster that another manager owns", async () => {
    const { settle, sent, state, findings } = await withToken(false);
    expect(findings().credentials).toEqual({ expiresAt: "2026-01-01T09:40:00Z", renewAt: "2026-01-01T09:20:00Z" });
    await settle(99 * MINUTE);
    expect([state.tokens, sent.filter(({ kind }) => kind === "TokenRenewal")]).toEqual([0, []]);
  });
});

describe("the identity of the cluster behind a connection", () => {
  test("is recorded with the inventory, before a session begins", async () => {
    const { begin, identities, sessions, state, connection, contacts } = connecting();
    state.answer = "Refused";
    await begin();
    const findings = { kubernetesVersion: "v1.35.4", apis: ["apps/v1", "batch/v1", "v1"], capacity: { nodes: 0 } };
    expect([identities[0], sessions, contacts()]).toEqual([{ uid: "a-uid", findings }, [], ["IdentityNotRecorded"]]);
    const message = "the cluster's UID could not be written to the status on the hub";
    expect(connection.contact).toMatchObject({ ok: false, reason: "IdentityNotRecorded", message });
  });

  test("is asked for until it is recorded, and then no more", async () => {
    const { begin, settle, identities, sessions, state } = connecting();
    state.answer = "Refused";
    await begin();
    const refused = identities.length;
    state.answer = "Recorded";
    await settle(10_000);
    expect([identities.length - refused, sessions.length]).toEqual([1, 1]);
    await settle(10 * MINUTE);
    expect(identities.length - refused).toBe(1);
  });

  test("must be recorded by the owning manager before a session begins", async () => {
    const { begin, settle, update, connection, sessions, heard, state } = connecting({ owned: false });
    state.answer = "NotOwner";
    await begin();
    expect(connection.contact).toMatchObject({
      ok: false,
      reason: "IdentityNotRecorded",
      message: "the manager that owns this MemberCluster has not written its UID yet",
    });
    expect([heard, sessions.length]).toEqual([["claim of a", "a IdentityNotRecorded"], 0]);
    update({ recordedUid: "a-uid" });
    await settle(250);
    expect(sessions).toHaveLength(1);
  });

  test("is followed by the contact, also if it has not changed", async () => {
    const { begin, settle, update, contacts, identities } = connecting();
    await begin();
    update({ recordedUid: undefined });
    await settle(6_000);
    expect(identities).toHaveLength(2);
    expect(contacts().at(-1)).toBe("ok");
    expect(contacts().length).toBeGreaterThan(1);
  });
});

describe("the end of a connection", () => {
  test("ends the session with a reason, closes the client, and reports nothing any more", async () => {
    const { begin, connection, sessions, member, settle, heard, lines, probes, clock } = connecting();
    await begin();
    const [before, made] = [heard.length, probes()];
    connection.close();
    connection.close();
    await connection.closed();
    expect(reasonOf(sessions[0])).toBe("the session with a has ended: the connection is closed");
    expect([connection.session, member.clients.at(-1)?.disposed]).toEqual([undefined, true]);
    connection.reconfigure();
    connection.rejudge();
    sessions[0]?.suspect();
    await settle(MINUTE);
    expect([heard.length, probes(), clock.pending]).toEqual([before, made, 0]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("waits for a running probe, whose result is ignored", async () => {
    const { put, connection, settle, heard, member } = connecting();
    put();
    connection.start();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await settle();
    const client = member.clients.at(-1);
    heard.length = 0;
    if (client !== undefined)
      client.gate = async () => {
        asked.resolve();
        await answered.promise;
      };
    await settle(5_000);
    await asked.promise;
    member.become("b-uid");
    connection.close();
    answered.resolve();
    await connection.closed();
    expect([heard, connection.claim.observedUid]).toEqual([[], "a-uid"]);
  });
});

describe("credentials that change", () => {
  test("end the session with a reason and begin another one", async () => {
    const { begin, put, connection, settle, member, sessions } = connecting();
    await begin();
    member.token = "better";
    put();
    connection.reconfigure();
    expect(sessions).toHaveLength(1);
    await settle();
    const why = "the credentials or the namespaces that they reach have changed";
    expect(reasonOf(sessions[0])).toBe(`the session with a has ended: ${why}`);
    expect([sessions.length, connection.session === sessions[1]]).toEqual([2, true]);
  });

  test("that are removed leave no session and no client", async () => {
    const { begin, secrets, connection, settle, member, probes } = connecting();
    await begin();
    secrets.clear();
    connection.reconfigure();
    await settle();
    expect([connection.session, member.clients.at(-1)?.disposed, connection.claim.observedUid]).toEqual([
      undefined,
      true,
      undefined,
    ]);
    const before = probes();
    connection.rejudge();
    await settle(MINUTE);
    expect([probes(), connection.contact.reason]).toEqual([before, "SecretNotFound"]);
  });
});

describe("a cluster", () => {
  const ENDLESS = "v".repeat(1_000);
  const versionsRead = (calls: readonly string[]) => calls.filter((call) => call === "raw /version").length;

  test("with a malformed inventory from the start has no session and no findings until it is well-formed", async () => {
    const { connection, member, begin, settle, sessions, findings } = connecting();
    member.version = ENDLESS;
    await begin();
    await settle(5_000);
    expect([connection.session, sessions.length, findings().kubernetesVersion]).toEqual([undefined, 0, undefined]);
    expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
    expect(connection.contact.message).toMatch(/GET \/version/);
    expect(connection.claim.recordedUid).toBeUndefined();
    member.version = "v1.35.4";
    await settle(MINUTE);
    await settle(10_000);
    expect(connection.contact.ok).toBe(true);
    expect(findings()).toMatchObject({ kubernetesVersion: "v1.35.4" });
  });

  test("with a malformed inventory later loses contact, keeps its session, and is read less and less often", async () => {
    const { connection, member, begin, settle, contacts, findings } = connecting();
    await begin();
    const [client] = member.clients.slice(-1);
    const { session } = connection;
    member.version = ENDLESS;
    await settle(5 * MINUTE);
    for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
    expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
    expect([connection.session === session, session?.signal.aborted]).toEqual([true, false]);
    expect(findings().kubernetesVersion).toBe("v1.35.4");
    const before = versionsRead(client?.calls ?? []);
    for (let passed = 0; passed < 200; passed += 1) {
      session?.suspect();
      await settle(3_000);
    }
    expect(versionsRead(client?.calls ?? []) - before).toBeLessThanOrEqual(5);
    expect(contacts().length).toBeLessThan(6);
    member.version = "v1.36.0";
    await settle(6 * MINUTE);
    for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
    expect(connection.contact.ok).toBe(true);
    expect(findings().kubernetesVersion).toBe("v1.36.0");
  });
});
