import { describe, expect, onTestFinished, test } from "vitest";
import {
  HASH_ANNOTATION,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  type KubeObject,
  type ObjectRef,
  OWNER_ANNOTATION,
  type OwnerRef,
  refKey,
} from "../../../src/apis/index.ts";
import type { ApplyRow, Row } from "../../../src/desiredstate/index.ts";
import { Worker } from "../../../src/clusters/worker.ts";
import { AppliedMember } from "../../../src/clusters/testing/appliedMember.ts";
import { Assignments } from "../../../src/controllers/tables/assignments.ts";
import { Observations } from "../../../src/controllers/tables/observations.ts";
import { ReportReceiver } from "../../../src/controllers/tables/reportReceiver.ts";
import { WorkStreams } from "../../../src/controllers/tables/workStreams.ts";
import { createLogger, createMetrics, createTracing } from "../../../src/observability/index.ts";
import type { Liveness } from "../../../src/ports/index.ts";
import {
  type ApplyOptions,
  CONFIGMAPS,
  Discovery,
  Emitter,
  NAMESPACES,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import type { Faults } from "./byteLink.ts";
import { type Link, LINKS, seeded } from "./links.ts";

/**
 * The contract of the ports: whatever carries the messages, a member ends in the state that the planner wants. Random
 * plays of a planner with one worker; the same seed plays the same changes over each link.
 */

const CLUSTER = "shanghai-1";
const NAMES = ["a", "b", "c", "d", "e"];
const KINDS = [CONFIGMAPS, NAMESPACES];
const STEPS = 40;
const LIVENESS: Liveness = { heartbeatMs: 2_000, silentAfterMs: 7_000 };
/** Enough for every backoff. */
const CALM_MS = 300_000;

const refOf = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });
const ownerOf = (name: string): OwnerRef => ({
  ...{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name, uid: `uid of ${name}` },
});

function applied(name: string, value: string): ApplyRow {
  const [ref, owner] = [refOf(name), ownerOf(name)];
  const annotations = {
    [OWNER_ANNOTATION]: JSON.stringify(owner),
    [OBJECT_ANNOTATION]: refKey(ref),
    [HASH_ANNOTATION]: value,
  };
  const metadata = { name, namespace: "default", labels: { [MANAGED_BY_LABEL]: "hub" }, annotations };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: value } };
  return {
    verb: "Apply",
    cluster: CLUSTER,
    ref,
    owner,
    role: "rendered",
    object,
    hash: value,
    conflictResolution: "Abort",
  };
}

/** The tables of one planner. */
function planner(epoch: number, clock: FakeClock) {
  const observations = new Observations();
  const assignments = new Assignments({
    observations,
    others: { needing: () => [], needs: new Emitter() },
    monotonic: () => clock.monotonic(),
  });
  const progress = { hasBegun: false, isComplete: false, stages: new Emitter<void>() };
  const source = new WorkStreams({
    ...{ assignments, epoch, clock, progress, heartbeatMs: LIVENESS.heartbeatMs },
    kinds: { memberKinds: () => KINDS, onChange: () => ({ [Symbol.dispose]: () => undefined }) },
    expected: () => [],
    recordedKinds: () => [],
    capacities: { isWanted: () => false, wanted: new Emitter<string>() },
  });
  const sink = new ReportReceiver({ observations, epoch, clock, silentAfterMs: LIVENESS.silentAfterMs });
  const advance = (stage: "hasBegun" | "isComplete"): void => {
    progress[stage] = true;
    progress.stages.emit();
  };
  return { epoch, observations, assignments, source, sink, advance };
}

/** A member that counts what is done to its ConfigMaps. */
class CountedMember extends AppliedMember {
  readonly applies: string[] = [];
  readonly deletedUids: (string | undefined)[] = [];

  override apply(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    if (type === CONFIGMAPS) this.applies.push(object.metadata.name);
    return super.apply(type, object, options);
  }

  override delete(...given: Parameters<AppliedMember["delete"]>): ReturnType<AppliedMember["delete"]> {
    const [type, , , options] = given;
    if (type === CONFIGMAPS) this.deletedUids.push(options?.uid);
    return super.delete(...given);
  }
}

type Planner = ReturnType<typeof planner>;

async function playing(seed: number, link: Link) {
  const clock = new FakeClock();
  const random = seeded(seed);
  const chance = seeded(seed + 1_000_000);
  const faults: Faults = { random: chance, clock, delayMs: 1_500, doubled: 0.2, lost: 0.1 };
  const member = new CountedMember();
  const { tracer, shutdown } = await createTracing({ serviceVersion: "test", identity: "test", env: {} });
  let present: Planner = planner(1, clock);
  const streams = new Set<AbortController>();
  const over = link(
    {
      source: {
        async *assignment(cluster, request, signal) {
          const stream = new AbortController();
          streams.add(stream);
          yield* present.source.assignment(cluster, request, AbortSignal.any([signal, stream.signal]));
        },
      },
      sink: { open: (...given) => present.sink.open(...given) },
      // connections.test.ts plays these.
      reports: { open: () => ({ send: () => undefined, [Symbol.dispose]: () => undefined }) },
      connections: { follow: () => ({ send: () => undefined, [Symbol.dispose]: () => undefined }) },
    },
    faults,
  );
  const worker = new Worker({
    ...{ cluster: CLUSTER, identity: "worker", source: over.source, sink: over.sink, liveness: LIVENESS },
    ...{ hubId: "hub", systemNamespace: "meridian-system", clock, random: () => 0.5, tracer },
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics({ processMetrics: false }),
    share: () => 32,
    working: () => undefined,
  });
  let end = new AbortController();
  onTestFinished(async () => {
    end.abort(new Error("over"));
    await worker.end();
    await shutdown();
  });
  const startSession = (): void => {
    end = new AbortController();
    worker.startSession({
      ...{ cluster: CLUSTER, client: member, discovery: new Discovery(member, clock), clusterUid: "uid", local: false },
      signal: end.signal,
      suspect: () => undefined,
    });
  };

  /** Contents that the planner wants; undefined: the copy is to be removed. */
  const wanted = new Map<string, string | undefined>();
  const asked: string[] = [];
  /** UIDs that a row has named. */
  const removable = new Set<string | undefined>();
  const uidOf = (name: string) => present.observations.get(CLUSTER, refKey(refOf(name)))?.present?.uid;
  const rowsFor = (name: string): Row[] => {
    const value = wanted.get(name);
    if (value !== undefined) return [applied(name, value)];
    const uid = uidOf(name);
    if (uid === undefined) return [];
    removable.add(uid);
    const why = { reason: "NotSelected", message: "no cluster is selected" };
    return [{ verb: "Delete", cluster: CLUSTER, ref: refOf(name), owner: ownerOf(name), role: "rendered", uid, why }];
  };
  const plan = (name: string): void => void present.assignments.replace(refKey(ownerOf(name)), rowsFor(name));
  const watch = (): void => {
    const { observations } = present;
    observations.changes.subscribe(({ ref }) => {
      if (observations === present.observations && ref.kind === "ConfigMap" && wanted.has(ref.name)) plan(ref.name);
    });
  };
  const lead = (): void => {
    watch();
    present.sink.expect(CLUSTER);
    present.advance("hasBegun");
    for (const name of wanted.keys()) plan(name);
    present.advance("isComplete");
  };
  /** Another planner takes over, with a greater epoch and empty tables. */
  const takeOver = (): void => {
    present.sink[Symbol.dispose]();
    present = planner(present.epoch + 1, clock);
    for (const stream of streams) stream.abort(new Error("the planner has gone"));
    streams.clear();
    lead();
  };
  lead();
  worker.start();
  startSession();
  worker.setContact({ ok: true, lastContact: 5 });
  const want = (name: string, value: string | undefined): void => {
    if (value !== undefined) asked.push(name);
    wanted.set(name, value);
    plan(name);
  };
  return {
    ...{ clock, random, faults, member, wanted, asked, removable, want, takeOver },
    observations: () => present.observations,
    reconnect: () => {
      end.abort(new Error("other credentials"));
      startSession();
    },
  };
}

async function play(seed: number, link: Link) {
  const all = await playing(seed, link);
  const { clock, random, faults, wanted, want, takeOver, reconnect } = all;
  const pick = (): string => NAMES[Math.floor(random() * NAMES.length)] ?? "a";
  for (let step = 0; step < STEPS; step += 1) {
    const what = random();
    if (what < 0.55) want(pick(), `value ${step}`);
    else if (what < 0.75) want(pick(), undefined);
    else if (what < 0.8) takeOver();
    else if (what < 0.85) reconnect();
    await clock.settle(random() * 3_000);
  }
  faults.lost = 0;
  faults.doubled = 0;
  await clock.settle(CALM_MS);
  const contents = all.member.server
    .list(CONFIGMAPS)
    .map(({ metadata, data }) => `${metadata.name}: ${(data as { key: string }).key}`);
  return {
    ...all,
    contents,
    state: [...wanted].flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`)).toSorted(),
  };
}

describe.each(LINKS)("over %s", (_, link) => {
  test.each(Array.from({ length: 40 }, (_, seed) => [seed]))(
    "seed %i: the member is as the planner wants",
    async (seed) => {
      const { contents, state, member, asked, removable, observations } = await play(seed, link);
      expect(contents.toSorted()).toEqual(state);
      // Every copy is reported, and nothing is reported that is not there.
      const known = [...observations().in(CLUSTER)].flatMap(({ ref, present, inSyncWith }) =>
        ref.kind === "ConfigMap" && present !== undefined ? `${ref.name}: ${inSyncWith}` : [],
      );
      expect(known.toSorted()).toEqual(state);
      expect(observations().contactOf(CLUSTER)).toMatchObject({ ok: true, synced: true });
      // Nothing is removed that no row names.
      expect(member.deletedUids.filter((uid) => !removable.has(uid))).toEqual([]);
      // No row is carried out twice.
      for (const name of NAMES)
        expect(member.applies.filter((one) => one === name).length).toBeLessThanOrEqual(
          asked.filter((one) => one === name).length,
        );
    },
  );
});
