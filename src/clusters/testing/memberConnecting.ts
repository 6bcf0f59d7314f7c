import { onTestFinished } from "vitest";
import type { KubeObject, MemberCluster } from "../../apis/index.ts";
import { type EventRecord, RecoveryRecorder } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, Discovery, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { DEFAULT_TIMING } from "../connection/connection.ts";
import type { MemberSecret } from "../credentials/credentials.ts";
import type { IdentityClaim } from "../credentials/identity.ts";
import { MemberConnection } from "../connection/memberConnection.ts";
import type { MemberSession } from "../types.ts";
import { FakeHub, FakeMember } from "./fakeMember.ts";

type Made = Parameters<FakeHub["server"]["create"]>[1];

/** One connection. The pool is the test. */
export function connecting({ owned = true, change = {} }: { owned?: boolean; change?: Partial<Made> } = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  const hub = new FakeHub();
  const member = new FakeMember("a", "a-uid");
  const { logger, lines } = logLines();
  const secrets = new Map<string, MemberSecret>();
  const events: object[] = [];
  const recording = { record: (event: EventRecord) => void events.push(event) };
  const heard: string[] = [];
  const sessions: MemberSession[] = [];
  const written: KubeObject[] = [];
  const state = { failures: 0, others: [] as IdentityClaim[], tokens: 0 };
  const local = member.connect(
    { server: "", currentNamespace: "", credentials: { authorization: async () => "Bearer good" } },
    "hub",
  );
  const put = (token = member.token, annotations: Record<string, string> = {}): void => {
    const data = { kubeconfig: Buffer.from(member.kubeconfig(token)).toString("base64") };
    secrets.set("a", { name: "a", resourceVersion: String(secrets.size), annotations, data } as MemberSecret);
  };
  const created = hub.server.create(MEMBERCLUSTERS, {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    spec: { connection: { kubeconfigSecretRef: { name: "a", key: "kubeconfig" } }, deletionPolicy: "Orphan" },
    ...change,
    metadata: {
      name: "a",
      uid: "object-1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...change.metadata,
    },
  }) as unknown as MemberCluster;
  const connection: MemberConnection = new MemberConnection(created, owned, {
    hub,
    hubLocal: { client: local, discovery: new Discovery(local, clock), clusterUid: "a-uid" },
    systemNamespace: "meridian-system",
    allowExec: false,
    clock,
    random: () => 0.5,
    timing: DEFAULT_TIMING,
    logger,
    recorder: recording,
    recoveries: new RecoveryRecorder({ events: recording, after: (ms, callback) => clock.after(ms, callback) }),
    listener: {
      paceOf: () => undefined,
      sessionStarted: (session) => {
        sessions.push(session);
        heard.push(`session ${session.clusterUid}`);
      },
    },
    clientFor: (config, cluster) => member.connect(config, cluster),
    requestToken: async () => {
      state.tokens += 1;
      throw new ApiError(403, "Forbidden", "may not create tokens");
    },
    onStatusWritten: (object) => void written.push(object),
    onStatusFailed: () => void (state.failures += 1),
    secrets: { get: (name) => secrets.get(name), lookUp: async (name) => secrets.get(name) },
    claims: () => [connection.claim, ...state.others],
    claimChanged: (cluster) => void heard.push(`claim of ${cluster}`),
    contactChanged: (cluster, { ok, reason }) => void heard.push(`${cluster} ${ok ? "ok" : reason}`),
  });
  onTestFinished(async () => {
    connection.close();
    await connection.closed();
  });
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 8; turn += 1) await clock.advance(0);
  };
  const begin = async (): Promise<void> => {
    put();
    connection.start();
    await settle();
  };
  const update = (patch: object, isOwned = owned): void =>
    connection.update(hub.server.merge(MEMBERCLUSTERS, undefined, "a", patch) as unknown as MemberCluster, isOwned);
  const status = () =>
    (hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster).status as MemberCluster["status"];
  const probes = () => member.clients.reduce((sum, { probes: made }) => sum + made, 0);
  const warned = (reason: string) => lines.filter(({ event_reason: why }) => why === reason);
  return {
    ...{ connection, clock, hub, member, lines, secrets, events, heard, sessions, written, state },
    ...{ put, begin, settle, update, status, probes, warned },
  };
}
