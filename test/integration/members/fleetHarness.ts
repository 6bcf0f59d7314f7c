import { expect, onTestFinished } from "vitest";
import {
  DEFAULT_SYSTEM_NAMESPACE,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  type ObjectRef,
  refKey,
} from "../../../src/apis/index.ts";
import type { ApplyRow } from "../../../src/desiredstate/index.ts";
import { createLogger, createMetrics, createTracing, type Tracing } from "../../../src/observability/index.ts";
import { CONFIGMAPS, Discovery, NAMESPACES, SECRETS } from "../../../src/runtime/index.ts";
import { Fleet } from "../../../src/clusters/fleet.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "../../../src/clusters/testing/builders.ts";
import { FakeHubSide } from "../../../src/clusters/testing/fakePorts.ts";
import { startMember, type TestMember } from "./testMember.ts";

export const HUB = "hub";
export const KINDS = [CONFIGMAPS, SECRETS, NAMESPACES];

/** The ConfigMap of a row, with our marks. */
export function marked(ref: ObjectRef = CONFIG_REF, hash = "h1", owner = OWNER): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: ref.name,
      ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
      labels: { [MANAGED_BY_LABEL]: HUB },
      annotations: {
        [OWNER_ANNOTATION]: JSON.stringify(owner),
        [OBJECT_ANNOTATION]: refKey(ref),
        [HASH_ANNOTATION]: hash,
      },
    },
    data: { key: hash },
  };
}

export function wanted(change: Partial<ApplyRow> = {}): ApplyRow {
  const ref = change.ref ?? CONFIG_REF;
  return row({ object: marked(ref, change.hash), ...change });
}

/** A fleet of one member, with nothing but the two ports on the other side. */
export class FleetHarness {
  readonly hub = new FakeHubSide();
  readonly member: TestMember;
  readonly fleet: Fleet;
  session = new AbortController();

  private constructor(member: TestMember, tracer: Tracing["tracer"]) {
    this.member = member;
    this.fleet = new Fleet({
      identity: "this worker",
      liveness: undefined,
      source: this.hub,
      sink: this.hub,
      hubId: HUB,
      systemNamespace: DEFAULT_SYSTEM_NAMESPACE,
      clock: member.clock,
      random: () => 0.5,
      logger: createLogger({ level: "silent" }),
      metrics: createMetrics({ processMetrics: false }),
      tracer,
    });
  }

  /** It ends with the test. */
  static async start(): Promise<FleetHarness> {
    const { tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} });
    const harness = new FleetHarness(await startMember(CLUSTER), tracer);
    onTestFinished(async () => {
      harness.session.abort(new Error("the test is over"));
      await harness.fleet[Symbol.asyncDispose]();
    });
    return harness;
  }

  get server() {
    return this.member.server;
  }

  get client() {
    return this.member.client;
  }

  get clock() {
    return this.member.clock;
  }

  /** The MemberCluster is there. */
  join(): void {
    this.fleet.contactChanged(CLUSTER, { ok: false, reason: "Connecting" });
  }

  /** `namespaces`: the only ones that the credentials reach. */
  connect({ local = false, namespaces }: { local?: boolean; namespaces?: readonly string[] } = {}): void {
    this.session = new AbortController();
    this.fleet.sessionStarted({
      cluster: CLUSTER,
      client: this.client,
      discovery: new Discovery(this.client, this.clock),
      clusterUid: this.server.uid,
      local,
      namespaces,
      signal: this.session.signal,
      suspect: () => undefined,
    });
    this.fleet.contactChanged(CLUSTER, { ok: true, lastContact: this.clock.now() });
  }

  /** Joined, connected, and known; with nothing expected to be there. */
  async synced(): Promise<void> {
    this.join();
    this.connect();
    await this.settle();
    this.hub.send(
      CLUSTER,
      { kind: "Expected", owners: [] },
      { kind: "Kinds", kinds: KINDS },
      { kind: "Rows", rows: [] },
    );
    await this.settle();
    expect(this.contact).toMatchObject({ ok: true, synced: true, pending: false });
  }

  get contact() {
    return this.hub.lastContact(CLUSTER);
  }

  seen(ref: ObjectRef = CONFIG_REF) {
    return this.hub.observation(CLUSTER, ref);
  }

  has(ref: ObjectRef = CONFIG_REF): boolean {
    return this.server.has(CONFIGMAPS, ref.namespace, ref.name);
  }

  /** Puts an object there that Meridian wrote before. */
  wroteBefore(object: KubeObject): Promise<KubeObject> {
    return this.member.earlier.apply(CONFIGMAPS, object);
  }

  settle(ms = 10): Promise<void> {
    return this.member.pass(ms);
  }
}
