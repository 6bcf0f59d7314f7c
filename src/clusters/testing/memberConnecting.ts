import { onTestFinished } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import type {
  ClusterFindings,
  ClusterIdentity,
  ClusterNews,
  ConnectionSettings,
  IdentityAnswer,
  MemberSecret,
} from "../../ports/index.ts";
import { ApiError, Discovery } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { DEFAULT_TIMING } from "../connection/connection.ts";
import type { IdentityClaim } from "../credentials/identity.ts";
import { MemberConnection } from "../connection/memberConnection.ts";
import type { MemberSession } from "../types.ts";
import { FakeMember } from "./fakeMember.ts";

/** One connection. The pool and the hub's side are the test. `sent`: what the connection has reported. */
export function connecting(change: Partial<ConnectionSettings> = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  const member = new FakeMember("a", "a-uid");
  const { logger, lines } = logLines();
  const secrets = new Map<string, MemberSecret>();
  const sent: ClusterNews[] = [];
  const identities: ClusterIdentity[] = [];
  const heard: string[] = [];
  const sessions: MemberSession[] = [];
  const state = { answer: "Recorded" as IdentityAnswer, others: [] as IdentityClaim[], tokens: 0 };
  const local = member.connect(
    { server: "", currentNamespace: "", credentials: { authorization: async () => "Bearer good" } },
    "hub",
  );
  const put = (token = member.token, annotations: Record<string, string> = {}): void => {
    const data = { kubeconfig: Buffer.from(member.kubeconfig(token)).toString("base64") };
    secrets.set("a", { name: "a", resourceVersion: String(secrets.size), annotations, data });
  };
  let settings: ConnectionSettings = {
    cluster: "a",
    uid: "object-1",
    createdAt: "2026-01-01T00:00:00Z",
    connection: { kubeconfigSecretRef: { name: "a", key: "kubeconfig" } },
    owned: true,
    ...change,
  };
  const report = {
    send: (news: ClusterNews) => void sent.push(news),
    recordIdentity: async (identity: ClusterIdentity): Promise<IdentityAnswer> => {
      identities.push(identity);
      return state.answer;
    },
  };
  const connection: MemberConnection = new MemberConnection(settings, report, {
    hubLocal: { client: local, discovery: new Discovery(local, clock), clusterUid: "a-uid" },
    allowExec: false,
    clock,
    random: () => 0.5,
    timing: DEFAULT_TIMING,
    logger,
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
    secrets: {
      get: (name) => secrets.get(name),
      lookUp: async (name) => secrets.get(name),
      renew: async () => "Stored",
    },
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
  const update = (changed: Partial<ConnectionSettings>): void => {
    settings = { ...settings, ...changed };
    connection.update(settings);
  };
  const probes = () => member.clients.reduce((sum, { probes: made }) => sum + made, 0);
  /** All findings that were reported, the newest of each kind. */
  const findings = (): ClusterFindings => {
    const reported = sent.flatMap((news) => (news.kind === "Findings" ? [news.findings] : []));
    return Object.assign({}, ...identities.map((identity) => identity.findings), ...reported) as ClusterFindings;
  };
  /** Reported contacts: `ok`, or the reason. */
  const contacts = (): string[] =>
    sent.flatMap((news) => (news.kind === "Contact" ? [news.contact.ok ? "ok" : (news.contact.reason ?? "")] : []));
  return {
    ...{ connection, clock, member, lines, secrets, sent, identities, heard, sessions, state },
    ...{ put, begin, settle, update, probes, findings, contacts },
  };
}
