import { afterEach, expect } from "vitest";
import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
  type ObjectRef,
} from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { createLogger, createMetrics, createTracing } from "../../observability/index.ts";
import { CONFIGMAPS, Discovery, NAMESPACES, SECRETS } from "../../runtime/index.ts";
import { FakeApiClient, FakeApiServer } from "../../runtime/testing/fakeApiServer.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Fleet } from "../fleet.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "./builders.ts";
import { FakeHubSide } from "./fakePorts.ts";

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
      annotations: { [OWNER_ANNOTATION]: JSON.stringify(owner), [HASH_ANNOTATION]: hash },
    },
    data: { key: hash },
  };
}

export function wanted(change: Partial<ApplyRow> = {}): ApplyRow {
  const ref = change.ref ?? CONFIG_REF;
  return row({ object: marked(ref, change.hash), ...change });
}

/** A fleet of one member, with nothing but the two ports on the other side. */
export class FleetHarness implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly hub = new FakeHubSide();
  readonly server = new FakeApiServer("member-uid");
  readonly client = new FakeApiClient(this.server, CLUSTER);
  readonly fleet: Fleet;
  session = new AbortController();

  private constructor(fleet: (options: Pick<FleetHarness, "clock" | "hub">) => Fleet) {
    this.fleet = fleet(this);
  }

  static async start(): Promise<FleetHarness> {
    const { tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} });
    return new FleetHarness(
      ({ clock, hub }) =>
        new Fleet({
          source: hub,
          sink: hub,
          hubId: HUB,
          clock,
          random: () => 0.5,
          logger: createLogger({ level: "silent" }),
          metrics: createMetrics({ processMetrics: false }),
          tracer,
        }),
    );
  }

  /** The MemberCluster is there. */
  join(): void {
    this.fleet.contactChanged(CLUSTER, { ok: false, reason: "Connecting" });
  }

  connect({ local = false } = {}): void {
    this.session = new AbortController();
    this.fleet.sessionStarted({
      cluster: CLUSTER,
      client: this.client,
      discovery: new Discovery(this.client, this.clock),
      clusterUid: "member-uid",
      local,
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

  async settle(ms = 10): Promise<void> {
    await this.clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.abort(new Error("the test is over"));
    await this.fleet[Symbol.asyncDispose]();
  }
}

/** Gives fleets that end with their test. */
export function fleetHarness(): () => Promise<FleetHarness> {
  let harness: FleetHarness | undefined;
  afterEach(async () => {
    await harness?.[Symbol.asyncDispose]();
    harness = undefined;
  });
  return async () => (harness = await FleetHarness.start());
}
