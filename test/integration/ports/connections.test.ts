import { describe, expect, onTestFinished, test } from "vitest";
import type { MemberCluster } from "../../../src/apis/index.ts";
import { ClusterReporter } from "../../../src/clusters/connection/clusterReporter.ts";
import { ConnectionsReader } from "../../../src/clusters/connection/connectionsReader.ts";
import { type Call, ScriptedClient } from "../../../src/clusters/testing/scriptedClient.ts";
import { ConnectedMembers } from "../../../src/controllers/members/connectedMembers.ts";
import { createLogger } from "../../../src/observability/index.ts";
import type { ConnectionSettings, IdentityAnswer, Liveness } from "../../../src/ports/index.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import type { Faults } from "./byteLink.ts";
import { type Link, LINKS, seeded } from "./links.ts";

/**
 * The contract of the connection ports: a worker ends with the connections that the hub wants, the hub with what the
 * worker says of each cluster, and a removed cluster is released only when its connection has ended.
 */

const NAMES = ["a", "b", "c"];
const STEPS = 40;
const LIVENESS: Liveness = { heartbeatMs: 2_000, silentAfterMs: 7_000 };
/** Enough for every backoff. */
const CALM_MS = 300_000;
const logger = createLogger({ level: "silent" });

interface Connection {
  settings: ConnectionSettings;
  reporter: ClusterReporter;
}

async function playing(seed: number, link: Link) {
  const clock = new FakeClock();
  const faults: Faults = { random: seeded(seed + 1_000_000), clock, delayMs: 1_500, doubled: 0.2, lost: 0.1 };
  /** The MemberClusters on the hub, with the last status. */
  const objects = new Map<string, MemberCluster>();
  const client = new ScriptedClient(({ name = "", body }: Call) => {
    const object = objects.get(name);
    if (object === undefined) return new Error("it is gone");
    return { ...object, status: { ...object.status, ...(body as { status: object }).status } };
  });
  const connections = new Map<string, Connection>();
  const wrong: string[] = [];
  /** Removed clusters that were not released yet. */
  const leaving = new Set<string>();
  const released = (cluster: string): void => {
    const connected = connections.get(cluster);
    const isOther = connected !== undefined && connected.settings.uid !== objects.get(cluster)?.metadata.uid;
    if (leaving.delete(cluster) && isOther && reader.isLive) wrong.push(`${cluster} was released with a connection`);
  };
  const lead = (epoch: number): ConnectedMembers => {
    const members = new ConnectedMembers({
      ...{ hub: client.client, clock, logger, epoch, liveness: LIVENESS },
      events: { record: () => undefined },
      recoveries: { ended: () => undefined },
      onWritten: (object) => {
        if (!objects.has(object.metadata.name)) return;
        objects.set(object.metadata.name, object as unknown as MemberCluster);
        members.upsert(object as unknown as MemberCluster, true);
      },
      onFailed: () => undefined,
    });
    members.released.subscribe((cluster) => {
      if (leaving.has(cluster) && members.remove(cluster)) released(cluster);
    });
    return members;
  };
  let epoch = 1;
  let present = lead(epoch);
  present.begin([]);
  const takers = new Set<() => void>();
  const over = link(
    {
      source: { async *assignment() {} },
      sink: { open: () => ({ send: () => undefined, [Symbol.dispose]: () => undefined }) },
      reports: { open: (...given) => present.open(...given) },
      connections: {
        follow(request, taker) {
          takers.add(() => taker.ended("the planner has gone"));
          return present.follow(request, taker);
        },
      },
    },
    faults,
  );
  let sessions = 0;
  const remove = (cluster: string): void => {
    connections.get(cluster)?.reporter[Symbol.dispose]();
    connections.delete(cluster);
  };
  const reader = new ConnectionsReader({
    ...{ connections: over.connections, worker: "worker", clock, random: () => 0.5, logger },
    silentAfterMs: LIVENESS.silentAfterMs,
    set: (settings) => {
      const known = connections.get(settings.cluster);
      if (known?.settings.uid === settings.uid && known !== undefined) {
        known.settings = settings;
        return;
      }
      remove(settings.cluster);
      const reporter = new ClusterReporter({
        ...{ member: settings, reports: over.reports, clock, logger, random: () => 0.5 },
        heartbeatMs: LIVENESS.heartbeatMs,
        session: () => ({ worker: "worker", number: (sessions += 1), epoch: reader.epoch }),
      });
      connections.set(settings.cluster, { settings, reporter });
    },
    remove,
    connected: () => [...connections].map(([cluster, { settings }]) => ({ cluster, uid: settings.uid })),
  });
  reader.follow();
  onTestFinished(async () => {
    for (const cluster of [...connections.keys()]) remove(cluster);
    reader[Symbol.dispose]();
    await present[Symbol.asyncDispose]();
  });
  const takeOver = async (): Promise<void> => {
    await present[Symbol.asyncDispose]();
    epoch += 1;
    present = lead(epoch);
    present.begin(objects.keys());
    for (const end of [...takers]) end();
    takers.clear();
    await clock.settle(2_000);
    for (const object of objects.values()) present.upsert(object, true);
    for (const cluster of [...leaving]) if (present.remove(cluster)) released(cluster);
  };
  return { ...{ clock, faults, objects, connections, wrong, leaving, released, takeOver }, members: () => present };
}

async function play(seed: number, link: Link) {
  const all = await playing(seed, link);
  const { clock, faults, objects, connections, leaving, released, takeOver, members } = all;
  const random = seeded(seed);
  const said = new Map<string, string>();
  const answers: IdentityAnswer[] = [];
  let [versions, asked] = [0, 0];
  const upsert = (name: string, uid: string): void => {
    versions += 1;
    const { status } = objects.get(name) ?? {};
    const object = {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, uid, resourceVersion: String(versions), annotations: { changed: String(versions) } },
      spec: { connection: { local: {} } },
      ...(objects.get(name)?.metadata.uid === uid && status !== undefined ? { status } : {}),
    } as unknown as MemberCluster;
    objects.set(name, object);
    leaving.delete(name);
    members().upsert(object, random() < 0.5);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const name = NAMES[Math.floor(random() * NAMES.length)] ?? "a";
    const what = random();
    const connection = connections.get(name);
    if (what < 0.25) upsert(name, objects.get(name)?.metadata.uid ?? `uid ${step}`);
    else if (what < 0.3) upsert(name, `uid ${step}`);
    else if (what < 0.4) {
      objects.delete(name);
      said.delete(name);
      leaving.add(name);
      if (members().remove(name)) released(name);
    } else if (what < 0.75) {
      const message = `said in step ${step}`;
      connection?.reporter.send({ kind: "Contact", contact: { ok: false, reason: "ClusterUnreachable", message } });
    } else if (what < 0.85 && connection !== undefined) {
      asked += 1;
      void connection.reporter.recordIdentity({ uid: `identity ${step}` }).then((answer) => answers.push(answer));
    } else if (what < 0.9) await takeOver();
    await clock.settle(random() * 3_000);
  }
  faults.lost = 0;
  faults.doubled = 0;
  await clock.settle(CALM_MS);
  for (const name of objects.keys()) upsert(name, objects.get(name)?.metadata.uid ?? "");
  for (const object of objects.values()) members().upsert(object, true);
  await clock.settle(CALM_MS);
  for (const [cluster, { reporter }] of connections) {
    said.set(cluster, `at last from ${cluster}`);
    reporter.send({
      kind: "Contact",
      contact: { ok: false, reason: "ClusterUnreachable", message: `at last from ${cluster}` },
    });
  }
  await clock.settle(CALM_MS);
  const status = [...objects].map(([name, object]): [string, string | undefined] => [
    name,
    object.status?.conditions?.find(({ type }) => type === "Ready")?.message,
  ]);
  return { ...all, said, status, asked, answers };
}

describe.each(LINKS)("over %s", (_, link) => {
  test.each(Array.from({ length: 40 }, (_, seed) => [seed]))(
    "seed %i: both sides end with what the other one says",
    async (seed) => {
      const { objects, connections, wrong, leaving, said, status, asked, answers } = await play(seed, link);
      const uids = [...connections].map(([name, { settings }]) => `${name} ${settings.uid}`);
      expect(uids.toSorted()).toEqual([...objects].map(([name, { metadata }]) => `${name} ${metadata.uid}`).toSorted());
      expect(new Map(status)).toEqual(said);
      expect([wrong, [...leaving]]).toEqual([[], []]);
      expect(answers).toHaveLength(asked);
    },
  );
});
