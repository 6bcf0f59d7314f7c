import { describe, expect, test } from "vitest";
import { ACCEPT_CLUSTER_UID_ANNOTATION } from "../../apis/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
import {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "../credentials/renewal.ts";
import type { FakeHub } from "../testing/fakeMember.ts";
import { connecting } from "../testing/memberConnecting.ts";
import type { MemberSession } from "../types.ts";

const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");
const MINUTE = 60_000;

const reasonOf = (session: MemberSession | undefined) => (session?.signal.reason as Error | undefined)?.message;
const notWritten: FakeHub["gate"] = ({ verb }) => {
  if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
};

describe("a connection", () => {
  test("does nothing before its start, and starts once", async () => {
    const { connection, put, settle, heard, member, update } = connecting();
    put();
    connection.reconfigure();
    connection.rejudge();
    update({ metadata: { labels: { a: "b" } } });
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
    const { connection: local } = connecting({
      change: { spec: { connection: { local: {} }, deletionPolicy: "Orphan" } },
    });
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
    update({ metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: "b-uid" } } });
    expect(connection.claim).toMatchObject({ acceptedUid: "b-uid" });
  });

  test("passes the hub's answers on, counts failed writes, and has no contact before its UID is recorded", async () => {
    const { connection, hub, begin, settle, written, state, status } = connecting();
    hub.gate = notWritten;
    await begin();
    expect([written, state.failures]).toEqual([[], 2]);
    const message = "the cluster's UID could not be written to the status on the hub";
    expect(connection.contact).toMatchObject({ reason: "IdentityNotRecorded", message });
    hub.gate = () => undefined;
    await settle(10_000);
    expect(written.at(-1)).toMatchObject({ kind: "MemberCluster", status: status() });
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

describe("the Events of a connection", () => {
  const regarding = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", name: "a" };

  test("name the MemberCluster: contact lost and regained", async () => {
    const { begin, settle, member, events } = connecting();
    await begin();
    expect(events).toEqual([]);
    member.failure = REFUSED;
    await settle(20_000);
    const lost = {
      regarding: { ...regarding, uid: "object-1" },
      type: "Warning",
      reason: "ClusterUnreachable",
      action: "Probe",
      note: "connection refused",
    };
    expect(events).toEqual([lost]);
    member.failure = undefined;
    await settle(5 * MINUTE);
    expect(events).toEqual([
      lost,
      {
        ...lost,
        type: "Normal",
        reason: "Recovered",
        note: expect.stringMatching(/^contact regained after \d+s: ClusterUnreachable, connection refused$/) as string,
        since: "2026-01-01T08:00:00Z",
      },
    ]);
  });

  const ended = (events: readonly object[]): string[] =>
    events.flatMap((event) => {
      const { reason, note } = event as EventRecord;
      return reason === "Recovered" ? [note] : [];
    });

  test("name the end of a loss since the start only if it was long", async () => {
    const { begin, settle, member, events } = connecting();
    member.failure = REFUSED;
    await begin();
    await settle(20_000);
    member.failure = undefined;
    await settle(5 * MINUTE);
    expect(ended(events)).toEqual([expect.stringMatching(/^over: ClusterUnreachable for \d+s, connection refused$/)]);
  });

  const lost = {
    status: {
      clusterUID: "a-uid",
      lastContact: "2026-01-01T07:50:00Z",
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "ClusterUnreachable",
          message: "timed out",
          lastTransitionTime: "2026-01-01T07:51:00Z",
        },
      ],
    },
  };

  test("name the end of a loss that another manager published", async () => {
    const { begin, settle, events } = connecting({ change: lost });
    await begin();
    await settle(5 * MINUTE);
    expect(ended(events)).toEqual(["contact regained after 10m: ClusterUnreachable, timed out"]);
  });

  test("name the beginning of a loss that another manager published", async () => {
    const { begin, settle, events, member } = connecting({ change: lost });
    member.failure = REFUSED;
    await begin();
    await settle(MINUTE);
    member.failure = undefined;
    await settle(5 * MINUTE);
    expect(ended(events)).toEqual([
      expect.stringMatching(/^contact regained after 1\dm: ClusterUnreachable, connection refused$/),
    ]);
  });

  test("name no end if nothing was lost", async () => {
    const [ready] = lost.status.conditions;
    const well = { ...lost.status, conditions: [{ ...ready, status: "True", reason: "Connected" }] };
    const { begin, settle, events } = connecting({ change: { status: well } });
    await begin();
    await settle(5 * MINUTE);
    expect(events).toEqual([]);
  });

  test("are not recorded by a manager that does not own the MemberCluster", async () => {
    const { begin, settle, member, events, heard } = connecting({
      owned: false,
      change: { status: { clusterUID: "a-uid" } },
    });
    await begin();
    member.failure = REFUSED;
    await settle(20_000);
    expect([heard.at(-1), events]).toEqual(["a ClusterUnreachable", []]);
  });

  test("name a token that was not renewed, which is retried when contact is back", async () => {
    const { put, connection, settle, events, member, clock, state, status } = connecting();
    put(member.token, {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: new Date(clock.now()).toISOString(),
      [TOKEN_EXPIRES_AT_ANNOTATION]: new Date(clock.now() + 100 * MINUTE).toISOString(),
    });
    connection.start();
    await settle();
    expect(status()?.credentials).toEqual({ expiresAt: "2026-01-01T09:40:00Z", renewAt: "2026-01-01T09:20:00Z" });
    await settle(81 * MINUTE);
    expect(events[0]).toEqual({
      regarding: { ...regarding, uid: "object-1" },
      type: "Warning",
      reason: "TokenNotRenewed",
      action: "RenewToken",
      note: "may not create tokens",
    });
    const before = state.tokens;
    member.failure = REFUSED;
    await settle(20_000);
    member.failure = undefined;
    await settle(10_000);
    expect(state.tokens).toBeGreaterThan(before);
  });
});

describe("the identity of the cluster behind a connection", () => {
  test("must be recorded by the owning manager before a session begins", async () => {
    const { begin, settle, update, connection, sessions, heard } = connecting({ owned: false });
    await begin();
    expect(connection.contact).toMatchObject({
      ok: false,
      reason: "IdentityNotRecorded",
      message: "the manager that owns this MemberCluster has not written its UID yet",
    });
    expect([heard, sessions.length]).toEqual([["claim of a", "a IdentityNotRecorded"], 0]);
    update({ status: { clusterUID: "a-uid" } });
    await settle(250);
    expect(sessions).toHaveLength(1);
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
    const { connection, member, begin, settle, sessions, status } = connecting();
    member.version = ENDLESS;
    await begin();
    await settle(5_000);
    expect([connection.session, sessions.length, status()?.kubernetesVersion]).toEqual([undefined, 0, undefined]);
    expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
    expect(connection.contact.message).toMatch(/GET \/version/);
    expect(connection.claim.recordedUid).toBeUndefined();
    member.version = "v1.35.4";
    await settle(MINUTE);
    await settle(10_000);
    expect(connection.contact.ok).toBe(true);
    expect(status()).toMatchObject({ kubernetesVersion: "v1.35.4" });
  });

  test("with a malformed inventory later loses contact, keeps its session, and is read less and less often", async () => {
    const { connection, member, begin, settle, events, status } = connecting();
    await begin();
    const [client] = member.clients.slice(-1);
    const { session } = connection;
    member.version = ENDLESS;
    await settle(5 * MINUTE);
    for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
    expect(connection.contact).toMatchObject({ ok: false, reason: "ClusterUnreachable" });
    expect([connection.session === session, session?.signal.aborted]).toEqual([true, false]);
    expect(status()?.kubernetesVersion).toBe("v1.35.4");
    const before = versionsRead(client?.calls ?? []);
    for (let passed = 0; passed < 200; passed += 1) {
      session?.suspect();
      await settle(3_000);
    }
    expect(versionsRead(client?.calls ?? []) - before).toBeLessThanOrEqual(5);
    expect(events.length).toBeLessThan(4);
    member.version = "v1.36.0";
    await settle(6 * MINUTE);
    for (let passed = 0; passed < 4; passed += 1) await settle(5_000);
    expect(connection.contact.ok).toBe(true);
    expect(status()?.kubernetesVersion).toBe("v1.36.0");
  });
});
