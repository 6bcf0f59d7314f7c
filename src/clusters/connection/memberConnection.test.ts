import { describe, expect, test } from "vitest";
import { ACCEPT_CLUSTER_UID_ANNOTATION } from "../../apis/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
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
  test("does nothing before it is started, and starts once", async () => {
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

  test("says which MemberCluster it is of, and where its kubeconfig is", () => {
    const { connection } = connecting();
    expect([connection.cluster, connection.objectUid, connection.secretName]).toEqual(["a", "object-1", "a"]);
    const { connection: local } = connecting({
      change: { spec: { connection: { local: {} }, deletionPolicy: "Orphan" } },
    });
    expect([local.secretName, local.claim.local]).toEqual([undefined, true]);
  });

  test("claims the cluster that it sees, that is written down and that a person accepted", async () => {
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

  test("claims without an age while the MemberCluster has none", () => {
    const { connection } = connecting({ change: { metadata: { name: "a", creationTimestamp: undefined } as never } });
    expect(connection.claim.createdAt).toBe("");
  });

  test("tells who follows MemberClusters what the hub answered, and counts what it refused", async () => {
    const { hub, begin, settle, written, state, status } = connecting();
    hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    await begin();
    expect([written, state.failures]).toEqual([[], 2]);
    hub.gate = () => undefined;
    await settle(10_000);
    expect(written.at(-1)).toMatchObject({ kind: "MemberCluster", status: status() });
  });

  test("logs with the name of the cluster that contact was made, lost and not found", async () => {
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

  test("are of the MemberCluster: contact lost, and regained", async () => {
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

  test("are not of how a cluster joins: the first failure and the first contact", async () => {
    const { begin, settle, member, events } = connecting();
    member.failure = REFUSED;
    await begin();
    await settle(5_000);
    member.failure = undefined;
    await settle(3_000);
    expect(events).toEqual([]);
  });

  test("tell the end of a loss that was there from the beginning, when it took long", async () => {
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

  test("tell the end of a loss that another manager has said", async () => {
    const { begin, settle, events } = connecting({ change: lost });
    await begin();
    await settle(5 * MINUTE);
    expect(ended(events)).toEqual(["contact regained after 10m: ClusterUnreachable, timed out"]);
  });

  test("tell the end of a loss that goes on under another manager, with its beginning", async () => {
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

  test("tell no end to a manager that finds all well", async () => {
    const [ready] = lost.status.conditions;
    const well = { ...lost.status, conditions: [{ ...ready, status: "True", reason: "Connected" }] };
    const { begin, settle, events } = connecting({ change: { status: well } });
    await begin();
    await settle(5 * MINUTE);
    expect(events).toEqual([]);
  });

  test("are none of a manager that does not own the MemberCluster", async () => {
    const { begin, settle, member, events, heard } = connecting({
      owned: false,
      change: { status: { clusterUID: "a-uid" } },
    });
    await begin();
    member.failure = REFUSED;
    await settle(20_000);
    expect([heard.at(-1), events]).toEqual(["a ClusterUnreachable", []]);
  });

  test("say that a token was not renewed, and why", async () => {
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
    // A member that was away and is back is asked at once.
    const before = state.tokens;
    member.failure = REFUSED;
    await settle(20_000);
    member.failure = undefined;
    await settle(10_000);
    expect(state.tokens).toBeGreaterThan(before);
  });
});

describe("the identity of the cluster behind a connection", () => {
  test("that is not written down yet by the manager that owns it is waited for, and tried as soon as it changes", async () => {
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

  test("that could not be written down is no contact", async () => {
    const { begin, hub, connection } = connecting();
    hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    await begin();
    expect(connection.contact).toMatchObject({
      reason: "IdentityNotRecorded",
      message: "the cluster's UID could not be written to the status on the hub",
    });
  });

  test("that changed ends the session with the reason; accepted, it is written down before the next one begins", async () => {
    const { begin, settle, member, sessions, update, heard, hub, connection } = connecting();
    await begin();
    member.become("b-uid");
    await settle(6_000);
    expect(reasonOf(sessions[0])).toBe("the session with a has ended: ClusterIdentityChanged");
    expect(heard.slice(-2)).toEqual(["claim of a", "a ClusterIdentityChanged"]);
    expect(connection.contact.message).toBe(`UID changed; if meant, annotate ${ACCEPT_CLUSTER_UID_ANNOTATION}: b-uid`);
    const order: string[] = [];
    hub.gate = ({ verb, phase }) => {
      if (verb === "applyStatus" && phase === "before") order.push(`written with ${sessions.length} sessions`);
    };
    update({ metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: "b-uid" } } });
    await settle(10_000);
    expect(order[0]).toBe("written with 1 sessions");
    expect(sessions.map(({ clusterUid }) => clusterUid)).toEqual(["a-uid", "b-uid"]);
  });

  test("that another MemberCluster claims ends the session when it is judged again", async () => {
    const { begin, connection, state, sessions } = connecting();
    await begin();
    const other = { ...connection.claim, cluster: "0", createdAt: "2025-01-01T00:00:00Z" };
    connection.rejudge();
    expect(connection.contact.ok).toBe(true);
    state.others = [other];
    connection.rejudge();
    expect(connection.contact).toMatchObject({
      reason: "DuplicateCluster",
      message: "the same cluster as MemberCluster 0",
    });
    expect([connection.session, reasonOf(sessions[0])]).toEqual([
      undefined,
      "the session with a has ended: DuplicateCluster",
    ]);
  });

  test("is told to the others once, however often the cluster answers", async () => {
    const { begin, settle, heard } = connecting();
    await begin();
    await settle(MINUTE);
    expect(heard).toEqual(["claim of a", "claim of a", "session a-uid", "a ok"]);
  });
});

describe("the end of a connection", () => {
  test("ends the session with the reason, closes the client, and says nothing any more", async () => {
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

  test("during a probe waits for it, and what the probe found counts for nothing", async () => {
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
  test("end the session with the reason, and forget which cluster it was", async () => {
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

  test("that are gone leave no session and no client", async () => {
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

  test("that are the same change nothing", async () => {
    const { begin, put, connection, settle, sessions, member } = connecting();
    await begin();
    const clients = member.clients.length;
    put();
    connection.reconfigure();
    await settle();
    expect([sessions.length, member.clients.length]).toEqual([1, clients]);
  });
});
