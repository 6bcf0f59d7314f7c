import { afterEach, expect } from "vitest";
import type { KubeObject, MemberCluster, MemberClusterSpec } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import { ClusterPool } from "../../clusters/index.ts";
import { FakeMember } from "../../clusters/testing/fakeMember.ts";
import type { MemberSession } from "../../clusters/types.ts";
import { MemberSecrets } from "../../hub/index.ts";
import { createLogger, type EventRecord, RecoveryRecorder } from "../../observability/index.ts";
import { connectionBytes } from "../../ports/testing/connectionBytes.ts";
import { Discovery, MEMBERCLUSTERS, SECRETS } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ConnectedMembers } from "../members/connectedMembers.ts";

export const SYSTEM = "meridian-system";
export const HUB_UID = "hub-uid";

/** What a MemberCluster has besides its Secret. */
interface Change {
  metadata?: Partial<KubeObject["metadata"]>;
  connection?: MemberClusterSpec["connection"];
  namespaces?: string[];
  status?: object;
}

/** The hub's API server. */
class FakeHub extends FakeClient {
  readonly statusWrites: KubeObject[] = [];

  override async applyStatus(...args: Parameters<FakeClient["applyStatus"]>): Promise<KubeObject> {
    const answer = await super.applyStatus(...args);
    this.statusWrites.push(args[1]);
    return answer;
  }
}

/** A pool with the hub's side, and members in memory. `heard`: calls of the listener. */
export class PoolHarness implements AsyncDisposable {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  readonly hub = new FakeHub();
  readonly members = new Map<string, FakeMember>();
  readonly heard: string[] = [];
  readonly sessions: MemberSession[] = [];
  readonly ready = new Map<string, boolean>();
  readonly events: string[] = [];
  /** Number of failed status writes. */
  failures = 0;
  /** Reason why writes are slowed down. */
  pace: Why | undefined;
  readonly connected: ConnectedMembers;
  readonly pool: ClusterPool;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** The hub as its own member. */
  readonly self = new FakeMember("hub", HUB_UID);

  constructor() {
    const local = this.self.connect(
      { server: "", currentNamespace: "", credentials: { authorization: async () => "Bearer good" } },
      "hub",
    );
    const recorder = {
      record: ({ type, reason, note }: EventRecord) => void this.events.push(`${type} ${reason}: ${note}`),
    };
    const logger = createLogger({ level: "silent" });
    const { hub, clock } = this;
    this.connected = new ConnectedMembers({
      ...{ hub, clock, logger, epoch: 1 },
      events: recorder,
      recoveries: new RecoveryRecorder({ events: recorder, after: (ms, callback) => clock.after(ms, callback) }),
      onWritten: (object) => this.upsert(object),
      onFailed: () => void (this.failures += 1),
    });
    this.connected.begin([]);
    this.pool = new ClusterPool({
      ...connectionBytes({ connections: this.connected, reports: this.connected }),
      identity: "pool",
      credentials: new MemberSecrets({ client: hub, namespace: SYSTEM, clock, logger }),
      hubLocal: { client: local, discovery: new Discovery(local, this.clock), clusterUid: HUB_UID },
      allowExec: false,
      clock,
      logger,
      metrics: {
        setMemberReady: (name, ready) => this.ready.set(name, ready),
        forgetCluster: (name) => this.ready.delete(name),
      },
      random: () => 0.5,
      clientFor: (config, cluster) => {
        const member = [...this.members.values()].find(({ server }) => server === config.server);
        if (member === undefined) throw new Error(`no member at ${config.server}`);
        return member.connect(config, cluster);
      },
      listener: {
        paceOf: () => this.pace,
        sessionStarted: (session) => {
          this.sessions.push(session);
          this.heard.push(`${session.cluster} session ${session.clusterUid}`);
          session.signal.addEventListener("abort", () => this.heard.push(`${session.cluster} session ended`));
        },
        contactChanged: (cluster, { ok, reason }) => this.heard.push(`${cluster} ${ok ? "ok" : reason}`),
        clusterRemoved: (cluster) => this.heard.push(`${cluster} removed`),
      },
    });
    this.#running = this.pool.run(this.#stop.signal);
  }

  member(name: string, uid = `${name}-uid`): FakeMember {
    const member = new FakeMember(name, uid);
    this.members.set(name, member);
    return member;
  }

  /** Connects the MemberCluster, as its controller does. */
  upsert(object: KubeObject, owned = true): void {
    this.connected.upsert(object as unknown as MemberCluster, owned);
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

  cluster(name: string, change: Change = {}): void {
    const created = this.hub.server.create(MEMBERCLUSTERS, {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z", ...change.metadata },
      spec: {
        connection: change.connection ?? { kubeconfigSecretRef: { name, key: "kubeconfig" } },
        deletionPolicy: "Orphan",
        ...(change.namespaces === undefined ? {} : { namespaces: change.namespaces }),
      },
      ...(change.status === undefined ? {} : { status: change.status }),
    });
    this.upsert(created);
  }

  patch(name: string, patch: object): void {
    this.upsert(this.hub.server.merge(MEMBERCLUSTERS, undefined, name, patch));
  }

  /** Creates a member, unless it exists, with its Secret and MemberCluster, and waits for contact. */
  async joined(name: string, uid?: string, change?: Change): Promise<FakeMember> {
    const member = this.members.get(name) ?? this.member(name, uid);
    this.secret(name, member.kubeconfig());
    this.cluster(name, change);
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

  /** Runs all work that needs no time. */
  settle(): Promise<void> {
    return this.clock.settle();
  }

  async until(condition: () => boolean): Promise<void> {
    for (let turn = 0; turn < 20 && !condition(); turn += 1) await this.clock.advance(0);
    expect(condition()).toBe(true);
  }

  advance(ms: number): Promise<void> {
    return this.clock.settle(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#running;
    await this.connected[Symbol.asyncDispose]();
  }
}

/** Returns a factory of pools that run until the test is over. */
export function poolHarness(): () => Promise<PoolHarness> {
  let harness: PoolHarness | undefined;
  afterEach(async () => {
    await harness?.[Symbol.asyncDispose]();
    harness = undefined;
  });
  return async () => {
    harness = new PoolHarness();
    await harness.settle();
    return harness;
  };
}
