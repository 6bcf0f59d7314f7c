import { afterEach, describe, expect, test } from "vitest";
import type { KubeObject, MemberCluster, MemberClusterSpec } from "../apis/index.ts";
import { createLogger } from "../observability/index.ts";
import {
  ApiError,
  CredentialsError,
  Discovery,
  MEMBERCLUSTERS,
  NODES,
  SECRETS,
  TransportError,
} from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { ClusterPool } from "./pool.ts";
import { SERVICE_ACCOUNT_ANNOTATION, TOKEN_EXPIRES_AT_ANNOTATION, TOKEN_ISSUED_AT_ANNOTATION } from "./renewal.ts";
import { FakeHub, FakeMember, fakeToken } from "./testing/fakeMember.ts";
import type { MemberSession } from "./types.ts";

const SYSTEM = "meridian-system";
const HUB_UID = "hub-uid";
const REFUSED = new TransportError("ConnectionRefused", "connection refused by 127.0.0.1:41234");

/** A pool with a hub and members in memory; what the listener is told is kept as lines. */
class Harness implements AsyncDisposable {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  readonly hub = new FakeHub();
  readonly members = new Map<string, FakeMember>();
  readonly told: string[] = [];
  readonly sessions: MemberSession[] = [];
  readonly ready = new Map<string, boolean>();
  readonly events: string[] = [];
  readonly pool: ClusterPool;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** What the hub's own client answers when the hub is a member. */
  readonly self = new FakeMember("hub", HUB_UID);

  constructor() {
    const local = this.self.connect(
      { server: "", currentNamespace: "", credentials: { authorization: async () => "Bearer good" } },
      "hub",
    );
    this.pool = new ClusterPool({
      hub: this.hub,
      hubLocal: { client: local, discovery: new Discovery(local, this.clock), clusterUid: HUB_UID },
      systemNamespace: SYSTEM,
      allowExec: false,
      clock: this.clock,
      logger: createLogger({ level: "silent" }),
      metrics: {
        setMemberReady: (name, ready) => this.ready.set(name, ready),
        forgetCluster: (name) => this.ready.delete(name),
      },
      recorder: { record: ({ type, reason, note }) => this.events.push(`${type} ${reason}: ${note}`) },
      random: () => 0.5,
      clientFor: (config, cluster) => {
        const member = [...this.members.values()].find(({ server }) => server === config.server);
        if (member === undefined) throw new Error(`no member at ${config.server}`);
        return member.connect(config, cluster);
      },
      onStatusWritten: (object) => this.pool.upsert(object as unknown as MemberCluster),
      listener: {
        sessionStarted: (session) => {
          this.sessions.push(session);
          this.told.push(`${session.cluster} session ${session.clusterUid}`);
          session.signal.addEventListener("abort", () => this.told.push(`${session.cluster} session ended`));
        },
        contactChanged: (cluster, { ok, reason }) => this.told.push(`${cluster} ${ok ? "ok" : reason}`),
        clusterRemoved: (cluster) => this.told.push(`${cluster} removed`),
      },
    });
    this.#running = this.pool.run(this.#stop.signal);
  }

  member(name: string, uid = `${name}-uid`): FakeMember {
    const member = new FakeMember(name, uid);
    this.members.set(name, member);
    return member;
  }

  /** Creates the Secret, or changes it. */
  secret(name: string, kubeconfig: string, annotations: Record<string, string> = {}): void {
    const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
    this.hub.server.apply(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: SYSTEM, annotations },
      data,
    });
  }

  cluster(
    name: string,
    change: {
      metadata?: Partial<KubeObject["metadata"]>;
      connection?: MemberClusterSpec["connection"];
      status?: object;
    } = {},
  ): void {
    const created = this.hub.server.create(MEMBERCLUSTERS, {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z", ...change.metadata },
      spec: {
        connection: change.connection ?? { kubeconfigSecretRef: { name, key: "kubeconfig" } },
        deletionPolicy: "Orphan",
      },
      ...(change.status === undefined ? {} : { status: change.status }),
    });
    this.pool.upsert(created as unknown as MemberCluster);
  }

  patch(name: string, patch: object): void {
    this.pool.upsert(this.hub.server.merge(MEMBERCLUSTERS, undefined, name, patch) as unknown as MemberCluster);
  }

  /** Secret, MemberCluster and member of that name, in contact. */
  async joined(name: string, uid?: string): Promise<FakeMember> {
    const member = this.member(name, uid);
    this.secret(name, member.kubeconfig());
    this.cluster(name);
    await this.until(() => this.pool.contact(name).ok);
    return member;
  }

  status(name: string): MemberCluster["status"] {
    return (this.hub.server.get(MEMBERCLUSTERS, undefined, name) as unknown as MemberCluster).status;
  }

  readyCondition(name: string): string {
    const ready = this.status(name)?.conditions?.find(({ type }) => type === "Ready");
    return `${ready?.status} ${ready?.reason}: ${ready?.message}`;
  }

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    await this.advance(0);
  }

  async until(condition: () => boolean): Promise<void> {
    for (let turn = 0; turn < 20 && !condition(); turn += 1) await this.clock.advance(0);
    expect(condition()).toBe(true);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#running;
  }
}

let harness: Harness | undefined;

async function start(): Promise<Harness> {
  harness = new Harness();
  await harness.settle();
  return harness;
}

afterEach(async () => {
  await harness?.[Symbol.asyncDispose]();
  harness = undefined;
});

describe("a member that is joined", () => {
  test("gets its UID written down before a session starts, and then its contact is told", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    let recordedBefore: string | undefined;
    h.hub.gate = ({ verb, phase }) => {
      if (verb === "applyStatus" && phase === "before") recordedBefore = h.told.join();
    };
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(recordedBefore).toBe("a Connecting");
    expect(h.told).toEqual(["a Connecting", "a session a-uid", "a ok"]);
    expect(h.pool.session("a")).toBe(h.sessions[0]);
    expect(h.ready.get("a")).toBe(true);
  });

  test("shows version, UID, APIs and capacity in one status write", async () => {
    const h = await start();
    const member = h.member("a");
    const status = { allocatable: { cpu: "1500m", memory: "2Gi", pods: "110" } };
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, status });
    member.cluster.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n2" }, status });
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.status("a")).toMatchObject({
      observedGeneration: 1,
      kubernetesVersion: "v1.35.4",
      clusterUID: "a-uid",
      apis: ["apps/v1", "batch/v1", "v1"],
      capacity: { nodes: 2, cpu: "3", memory: "4Gi", pods: "220" },
    });
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });

  test("is written no status and no Event while nothing changes", async () => {
    const h = await start();
    await h.joined("a");
    await h.advance(20 * 60_000);
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
  });

  test("is written no status and no Event by a manager that starts anew", async () => {
    const h = await start();
    const member = await h.joined("a");
    const object = h.hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster;
    h.pool.remove("a");
    h.pool.upsert(object);
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(h.hub.statusWrites).toHaveLength(1);
    expect(h.events).toEqual([]);
    expect(member.clients).toHaveLength(2);
  });

  test("is probed every five seconds, and again at once when somebody suspects something", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    const before = client?.probes ?? 0;
    await h.advance(22_000);
    expect((client?.probes ?? 0) - before).toBe(4);
    for (let i = 0; i < 10; i += 1) h.sessions[0]?.suspect();
    await h.settle();
    expect((client?.probes ?? 0) - before).toBe(5);
  });

  test("has no session before its UID could be written down, and gets one when it can", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig());
    h.hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    h.cluster("a");
    await h.advance(5_000);
    expect(h.sessions).toEqual([]);
    expect(h.pool.contact("a").reason).toBe("IdentityNotRecorded");
    h.hub.gate = () => undefined;
    await h.advance(20_000);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });
});

describe("a member that goes away", () => {
  test("is lost within two seconds when it refuses connections and a watch broke, and found again within ten", async () => {
    const h = await start();
    const member = await h.joined("a");
    member.failure = REFUSED;
    h.sessions[0]?.suspect();
    await h.advance(2_000);
    expect(h.pool.contact("a")).toMatchObject({
      ok: false,
      reason: "ClusterUnreachable",
      message: "connection refused",
    });
    expect(h.readyCondition("a")).toBe("False ClusterUnreachable: connection refused");
    expect(h.ready.get("a")).toBe(false);
    await h.advance(60_000);
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.told).toEqual(["a Connecting", "a session a-uid", "a ok", "a ClusterUnreachable", "a ok"]);
    expect(h.sessions[0]?.signal.aborted).toBe(false);
    expect(h.events).toEqual(["Warning ClusterUnreachable: connection refused", "Normal Connected: contact regained"]);
  });

  test("keeps the time of its last contact", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h.advance(12_000);
    const before = h.clock.now();
    member.failure = REFUSED;
    await h.advance(60_000);
    const { lastContact = 0 } = h.pool.contact("a");
    expect(before - lastContact).toBeLessThan(6_000);
    expect(lastContact).toBeLessThanOrEqual(before);
  });

  test("is not lost for one probe that failed", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    let failures = 1;
    if (client !== undefined) {
      client.gate = () => {
        if (failures-- > 0) throw REFUSED;
      };
    }
    await h.advance(20_000);
    expect(failures).toBeLessThan(0);
    expect(h.told).toEqual(["a Connecting", "a session a-uid", "a ok"]);
  });

  test("is lost when it does not answer at all", async () => {
    const h = await start();
    const member = await h.joined("a");
    const client = member.clients[0];
    if (client !== undefined) {
      client.gate = ({ options }) =>
        new Promise((_, reject) =>
          options?.signal?.addEventListener("abort", () => reject(options.signal?.reason as Error)),
        );
    }
    await h.advance(13_000);
    expect(h.pool.contact("a")).toMatchObject({
      ok: false,
      reason: "ClusterUnreachable",
      message: "no answer in time",
    });
  });

  test("does not disturb the others", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h.joined("b");
    member.failure = REFUSED;
    await h.advance(60_000);
    expect(h.told.filter((line) => line.startsWith("b "))).toEqual(["b Connecting", "b session b-uid", "b ok"]);
  });

  test("has its version and APIs read again when it is back", async () => {
    const h = await start();
    const member = await h.joined("a");
    member.failure = REFUSED;
    await h.advance(12_000);
    member.version = "v1.36.0";
    member.apis = ["apps/v1", "paas.cmft.com/v1"];
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.status("a")).toMatchObject({ kubernetesVersion: "v1.36.0", apis: ["apps/v1", "paas.cmft.com/v1", "v1"] });
  });
});

test("a cluster of another manager's is used once that one has written down which cluster it is", async () => {
  const h = await start();
  const member = h.member("a");
  h.secret("a", member.kubeconfig());
  h.cluster("a");
  const cluster = () => h.hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster;
  h.pool.upsert(cluster(), false);
  await h.advance(10_000);
  expect([h.sessions.length, h.status("a")]).toEqual([0, undefined]);
  expect(h.pool.contact("a")).toMatchObject({ ok: false, reason: "IdentityNotRecorded" });
  h.hub.server.merge(MEMBERCLUSTERS, undefined, "a", { status: { clusterUID: "a-uid" } });
  h.pool.upsert(cluster(), false);
  await h.until(() => h.sessions.length === 1);
  expect(h.status("a")).toEqual({ clusterUID: "a-uid" });
});

describe("credentials", () => {
  test("that are missing are named, and used as soon as they are there", async () => {
    const h = await start();
    const member = h.member("a");
    h.cluster("a");
    await h.settle();
    expect(h.readyCondition("a")).toBe("False SecretNotFound: Secret a is not in Meridian's namespace");
    h.secret("a", member.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
  });

  test("that a cache does not have yet are looked up, not missed", async () => {
    const h = await start();
    const member = h.member("a");
    h.hub.server.dropWatches(new TransportError("ConnectionReset", "connection closed"));
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(h.told).not.toContain("a SecretNotFound");
  });

  test("that cannot be looked up are asked for again", async () => {
    const h = await start();
    h.hub.gate = ({ verb, type }) => {
      if (verb === "get" && type === SECRETS) throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    h.cluster("a");
    await h.settle();
    expect(h.pool.contact("a").reason).toBe("Connecting");
    h.hub.gate = () => undefined;
    await h.advance(5_000);
    expect(h.pool.contact("a").reason).toBe("SecretNotFound");
  });

  test("that change make a new session with a new client, and end the old ones, without a loss of contact", async () => {
    const h = await start();
    const member = await h.joined("a");
    const [old] = member.clients;
    member.token = "better";
    h.secret("a", member.kubeconfig());
    await h.until(() => h.sessions.length === 2);
    await h.settle();
    expect(h.told).toEqual(["a Connecting", "a session a-uid", "a ok", "a session ended", "a session a-uid"]);
    expect(old?.disposed).toBe(true);
    expect(h.pool.session("a")?.client).toBe(member.clients[1]);
    expect(h.hub.statusWrites).toHaveLength(1);
  });

  test("that are rejected are named, and replaced as soon as there are others", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig("bad"));
    h.cluster("a");
    await h.settle();
    expect(h.readyCondition("a")).toBe("False CredentialsRejected: the server does not accept the credentials (401)");
    h.secret("a", member.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(
      h.hub.statusWrites.map(({ status }) => (status as MemberCluster["status"])?.conditions?.[0]?.reason),
    ).toEqual(["CredentialsRejected", "Connected"]);
  });

  test("that have expired are told from those that are rejected", async () => {
    const h = await start();
    const member = h.member("a");
    const now = h.clock.now();
    h.secret("a", member.kubeconfig(fakeToken("me", now - 7_200_000, now - 3_600_000)));
    h.cluster("a");
    await h.settle();
    expect(h.readyCondition("a")).toBe(
      "False CredentialsExpired: the token expired at 2026-01-01T07:00Z; join a again",
    );
  });

  test("that are taken away end the session", async () => {
    const h = await start();
    await h.joined("a");
    h.hub.server.delete(SECRETS, SYSTEM, "a");
    await h.until(() => h.pool.contact("a").reason === "SecretNotFound");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.pool.session("a")).toBeUndefined();
  });

  test("that are changed to lead to a metadata service end the session, and nothing is sent any more", async () => {
    const h = await start();
    const member = await h.joined("a");
    const sent = () => member.clients.flatMap(({ calls }) => calls).length;
    h.secret("a", member.kubeconfig().replace(/server: .*/, "server: https://169.254.169.254"));
    await h.until(() => h.pool.contact("a").reason === "AddressRefused");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.status("a")?.conditions).toMatchObject([
      {
        type: "Ready",
        status: "False",
        reason: "AddressRefused",
        message: "the server 169.254.169.254 is a link-local or metadata address; credentials are never sent there",
      },
    ]);
    const before = sent();
    await h.advance(60_000);
    expect([sent() - before, member.clients.length]).toEqual([0, 1]);
  });

  test("that are good, for a name that leads to a metadata service by now, are not sent there", async () => {
    const h = await start();
    const member = await h.joined("a");
    const message = "the host name a.test leads to a link-local or metadata address; credentials are never sent there";
    member.failure = new CredentialsError("Refused", message);
    await h.advance(20_000);
    expect(h.pool.contact("a").ok).toBe(false);
    expect(h.status("a")?.conditions).toMatchObject([{ status: "False", reason: "AddressRefused", message }]);
  });

  test.each([
    { name: "are no kubeconfig", kubeconfig: "hello", reason: "InvalidKubeconfig" },
    {
      name: "lead to a metadata service",
      kubeconfig: new FakeMember("x", "u").kubeconfig().replace(/server: .*/, "server: https://169.254.169.254"),
      reason: "AddressRefused",
    },
    {
      name: "do not lead to https",
      kubeconfig: new FakeMember("x", "u").kubeconfig().replace(/server: .*/, "server: http://member.test"),
      reason: "AddressRefused",
    },
    {
      name: "name a program",
      kubeconfig: new FakeMember("x", "u")
        .kubeconfig()
        .replace(/token: .*/, "exec: {apiVersion: client.authentication.k8s.io/v1, command: date}"),
      reason: "InvalidKubeconfig",
    },
  ])("that $name are refused as $reason", async ({ kubeconfig, reason }) => {
    const h = await start();
    h.secret("a", kubeconfig);
    h.cluster("a");
    await h.settle();
    expect(h.pool.contact("a").reason).toBe(reason);
    expect(h.status("a")?.conditions).toMatchObject([{ status: "False", reason }]);
  });

  test("of a pull cluster are not asked for", async () => {
    const h = await start();
    h.cluster("a", { connection: { pull: {} } });
    await h.settle();
    expect(h.pool.contact("a").reason).toBe("PullNotSupported");
  });

  test.each<{ name: string; failure: Error; reason: string }>([
    {
      name: "a certificate that is not trusted",
      failure: new TransportError("TLS", "certificate is not signed by the CA in the kubeconfig"),
      reason: "CertificateInvalid",
    },
    {
      name: "a name that does not resolve",
      failure: new TransportError("DNS", "host name m cannot be resolved"),
      reason: "ClusterUnreachable",
    },
    { name: "a refusal", failure: new ApiError(403, "Forbidden", "namespaces is forbidden"), reason: "Forbidden" },
    {
      name: "a server that is not ready",
      failure: new ApiError(500, "InternalError", "[+]ping ok\n[-]etcd failed: reason withheld\n"),
      reason: "NotReady",
    },
  ])("work, but $name is $reason", async ({ failure, reason }) => {
    const h = await start();
    const member = h.member("a");
    member.failure = failure;
    h.secret("a", member.kubeconfig());
    h.cluster("a");
    await h.settle();
    expect(h.pool.contact("a").reason).toBe(reason);
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.pool.contact("a").ok).toBe(true);
  });
});

describe("the identity of a member", () => {
  test("stops everything when it changes, until a person accepts the new one", async () => {
    const h = await start();
    const member = await h.joined("a", "u1");
    member.become("u2");
    await h.advance(6_000);
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.pool.session("a")).toBeUndefined();
    expect(h.readyCondition("a")).toBe(
      "False ClusterIdentityChanged: UID changed; if meant, annotate federation.paas.cmft.com/accept-cluster-uid: u2",
    );
    expect(h.status("a")?.clusterUID).toBe("u1");
    await h.advance(60_000);
    expect(h.sessions).toHaveLength(1);

    h.patch("a", { metadata: { annotations: { "federation.paas.cmft.com/accept-cluster-uid": "u2" } } });
    await h.until(() => h.sessions.length === 2);
    expect(h.sessions[1]?.clusterUid).toBe("u2");
    expect(h.status("a")?.clusterUID).toBe("u2");
    await h.settle();
    expect(h.readyCondition("a")).toBe("True Connected: ");
  });

  test("is remembered by the status, so that a manager that starts anew notices too", async () => {
    const h = await start();
    const member = h.member("a", "u2");
    h.secret("a", member.kubeconfig());
    h.cluster("a", { status: { clusterUID: "u1" } });
    await h.settle();
    expect(h.sessions).toEqual([]);
    expect(h.pool.contact("a").reason).toBe("ClusterIdentityChanged");
  });

  test("may be another one for a MemberCluster that was deleted and created again", async () => {
    const h = await start();
    const member = await h.joined("a", "u1");
    member.become("u2");
    h.hub.server.delete(MEMBERCLUSTERS, undefined, "a");
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    expect(h.told).toContain("a removed");
    expect(h.sessions[1]?.clusterUid).toBe("u2");
  });

  test("that two MemberClusters share leaves the older one alone", async () => {
    const h = await start();
    await h.joined("b", "same");
    const other = h.member("a", "same");
    h.secret("a", other.kubeconfig());
    h.cluster("a", { metadata: { creationTimestamp: "2026-01-02T00:00:00Z" } });
    await h.until(() => h.pool.contact("a").reason === "DuplicateCluster");
    await h.settle();
    expect(h.readyCondition("a")).toBe("False DuplicateCluster: the same cluster as MemberCluster b");
    expect(h.status("a")).not.toHaveProperty("clusterUID");
    expect(h.pool.session("a")).toBeUndefined();
    expect(h.pool.contact("b").ok).toBe(true);
    h.pool.remove("b");
    await h.advance(500);
    expect(h.pool.contact("a").ok).toBe(true);
  });

  test("passes to the older MemberCluster when that one connects later", async () => {
    const h = await start();
    await h.joined("b", "same");
    const older = h.member("a", "same");
    h.cluster("a", { metadata: { creationTimestamp: "2025-01-01T00:00:00Z" } });
    h.secret("a", older.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
    expect(h.pool.contact("b").reason).toBe("DuplicateCluster");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
  });

  test("is the hub's for a local member, which uses the hub's own client and does not close it", async () => {
    const h = await start();
    h.cluster("hub", { connection: { local: {} } });
    await h.until(() => h.pool.contact("hub").ok);
    expect(h.sessions[0]).toMatchObject({ local: true, clusterUid: HUB_UID, client: h.self.clients[0] });
    h.pool.remove("hub");
    await h.settle();
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.self.clients[0]?.disposed).toBe(false);
  });
});

describe("the end", () => {
  test("of a MemberCluster ends its session, closes its client and is told", async () => {
    const h = await start();
    const member = await h.joined("a");
    h.pool.remove("a");
    await h.settle();
    expect(h.told.slice(3)).toEqual(["a session ended", "a removed"]);
    expect(member.clients[0]?.disposed).toBe(true);
    expect(h.pool.contact("a").reason).toBe("ClusterUnknown");
    expect(h.ready.has("a")).toBe(false);
    const calls = member.clients[0]?.calls.length;
    await h.advance(60_000);
    expect(member.clients[0]?.calls.length).toBe(calls);
  });

  test("of the pool ends every session and leaves no timer", async () => {
    const h = await start();
    const member = await h.joined("a");
    await h[Symbol.asyncDispose]();
    harness = undefined;
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(member.clients[0]?.disposed).toBe(true);
    expect(h.told).not.toContain("a removed");
    expect(h.clock.pending).toBe(0);
  });
});

describe("a token of join's", () => {
  const HOUR = 3_600_000;

  async function withToken(): Promise<{ h: Harness; member: FakeMember }> {
    const h = await start();
    const member = h.member("a");
    const issuedAt = h.clock.now();
    member.token = fakeToken("system:serviceaccount:meridian-system:meridian", issuedAt, issuedAt + HOUR);
    member.issuesTokensFor = {
      subject: "system:serviceaccount:meridian-system:meridian",
      seconds: 3600,
      now: () => h.clock.now(),
    };
    h.secret("a", member.kubeconfig(), {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T08:00:00Z",
      [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T09:00:00Z",
    });
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    return { h, member };
  }

  test("is renewed at 80 % of its life, without a new session", async () => {
    const { h, member } = await withToken();
    expect(h.status("a")?.credentials).toEqual({ expiresAt: "2026-01-01T09:00:00Z", renewAt: "2026-01-01T08:48:00Z" });
    const before = member.token;
    await h.advance(47 * 60_000);
    expect(member.token).toBe(before);
    await h.advance(2 * 60_000);
    expect(member.token).not.toBe(before);

    const secret = h.hub.server.get(SECRETS, SYSTEM, "a");
    const kubeconfig = Buffer.from((secret["data"] as { kubeconfig: string }).kubeconfig, "base64").toString();
    expect(kubeconfig).toBe(member.kubeconfig());
    expect(secret.metadata.annotations).toMatchObject({
      [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T08:48:00Z",
      [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T09:48:00Z",
    });
    expect(h.status("a")?.credentials).toEqual({ expiresAt: "2026-01-01T09:48:00Z", renewAt: "2026-01-01T09:36:00Z" });
    expect(h.sessions).toHaveLength(1);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.events).toEqual(["Normal TokenRenewed: the token is valid until 2026-01-01T09:48:00Z"]);
    await h.advance(10 * 60_000);
    expect(member.clients[0]?.calls.filter((call) => call.endsWith("/token"))).toHaveLength(1);
  });

  test("is the business of the manager that carries the cluster, as its status is, and passes on with it", async () => {
    const { h, member } = await withToken();
    const cluster = () => h.hub.server.get(MEMBERCLUSTERS, undefined, "a") as unknown as MemberCluster;
    h.pool.upsert(cluster(), false);
    const token = member.token;
    h.hub.server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 2 } });
    h.pool.upsert(cluster(), false);
    await h.advance(55 * 60_000);
    expect(member.token).toBe(token);
    expect(h.status("a")?.observedGeneration).toBe(1);
    expect([h.sessions.length, h.pool.contact("a").ok, h.events]).toEqual([1, true, []]);
    h.pool.upsert(cluster(), true);
    await h.advance(1_000);
    expect(member.token).not.toBe(token);
    expect(h.status("a")?.observedGeneration).toBe(2);
  });

  test("is tried again when it could not be renewed", async () => {
    const { h, member } = await withToken();
    const issues = member.issuesTokensFor;
    member.issuesTokensFor = undefined;
    await h.advance(49 * 60_000);
    expect(h.events).toContain("Warning TokenNotRenewed: may not create serviceaccounts/token");
    member.issuesTokensFor = issues;
    await h.advance(6 * 60_000);
    expect(h.events.at(-1)).toMatch(/^Normal TokenRenewed/);
    expect(h.pool.contact("a").ok).toBe(true);
  });
});
