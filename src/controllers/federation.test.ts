import { PROTOCOL_VERSION, type WorkSource } from "../ports/index.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FederatedStatus, OBJECT_FINALIZER } from "../apis/index.ts";
import type { PoolListener } from "../clusters/index.ts";
import type { GateReply } from "../rollout/index.ts";
import { CONTROLLERREVISIONS, MEMBERCLUSTERS, PLACEMENTS, SECRETS } from "../runtime/index.ts";
import type { FakeCluster } from "../runtime/testing/fakeClient.ts";
import { createFederation, type FederationOptions, type Ports } from "./federation.ts";
import { inContact, observation, owner } from "./testing/builders.ts";
import { APP, app, placement, planning } from "./testing/planning.ts";
import { CANARY } from "./testing/rollingOut.ts";

/** A leader with a hub in memory and unreachable members. */
async function leading(
  more: Partial<FederationOptions> = {},
  prepare: {
    objects?: Parameters<typeof planning>[0];
    before?: (all: Awaited<ReturnType<typeof planning>>) => unknown;
  } = {},
) {
  const all = await planning(prepare.objects);
  await prepare.before?.(all);
  const { cache, client, clock, metrics, tracer } = { ...all.shared, cache: all.cache };
  const heard: string[] = [];
  const listeners: PoolListener[] = [];
  const pool = {
    run: async (signal: AbortSignal) => {
      heard.push("the pool runs");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      heard.push("the pool ends");
    },
  };
  const federation = createFederation({
    hub: cache,
    client,
    hubId: "hub",
    epoch: 1,
    identity: "manager",
    clock,
    random: () => 0.5,
    logger: all.context.logger,
    metrics,
    tracer,
    events: all.recorder,
    recoveries: all.shared.recoveries,
    pool: ({ listener, connections }) => {
      listeners.push(listener);
      connections.follow(
        { version: PROTOCOL_VERSION, worker: "manager" },
        {
          take: (message) => {
            if (message.kind === "Set") heard.push(`${message.settings.cluster} is connected`);
            if (message.kind === "Remove") heard.push(`${message.cluster} is not connected any more`);
          },
          ended: () => undefined,
        },
      );
      return pool;
    },
    ...more,
  });
  const end = new AbortController();
  let isOver = false;
  /** The error that ended the term. */
  const running = federation
    .run(end.signal)
    .catch((error: unknown) => error)
    .finally(() => (isOver = true));
  onTestFinished(async () => {
    end.abort(new Error("the test is over"));
    await running;
  });
  await all.settle();
  const stop = async (): Promise<void> => {
    end.abort(new Error("over"));
    for (let turn = 0; turn < 50 && !isOver; turn += 1) await all.settle(100);
    await running;
  };
  const scraped = async (prefix: string): Promise<string[]> =>
    (await metrics.scrape()).body.split("\n").filter((line) => line.startsWith(prefix));
  return { ...all, federation, heard, listeners, stop, running, end, scraped };
}

/** A status that records a Deployment and an Ingress on `a`. */
const ON_A = {
  observedGeneration: 1,
  clusters: [{ name: "a", state: "Available", replicas: { desired: 2 }, observedHash: "h" }],
  kinds: ["Ingress.networking.k8s.io"],
};
const WITH_SECRET = app({}, { envFrom: [{ secretRef: { name: "password" } }] });

const LEFT = "a policy's status is left to the next leader";

describe("a manager that leads", () => {
  test("connects every cluster, and plans every object", async () => {
    const { federation, heard, onHub } = await leading();
    expect(new Set(heard)).toEqual(new Set(["the pool runs", "a is connected", "b is connected"]));
    expect(onHub().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    expect(federation.view.states.planOf(APP)?.target?.clusters.map(({ name }) => name)).toEqual(["a", "b"]);
    expect([...federation.view.assignments.in("a")].map(({ ref }) => ref.kind)).toEqual(["Deployment"]);
  });

  test("says what policies do before it ends, though that would have waited", async () => {
    const { stop, hub, server, heard, lines } = await leading();
    const before = hub.count("applyStatus", PLACEMENTS);
    await stop();
    expect(hub.count("applyStatus", PLACEMENTS)).toBeGreaterThan(before);
    expect(server.get(PLACEMENTS, "default", "everywhere")["status"]).toMatchObject({ matchedObjects: 1 });
    expect(heard.at(-1)).toBe("the pool ends");
    expect(lines.filter(({ msg }) => msg === LEFT)).toEqual([]);
  });

  test("serves the classes that it is given", async () => {
    const { onHub, heard, server } = await leading({ classes: new Set(["canary"]) });
    expect([onHub().metadata.finalizers, server.get(MEMBERCLUSTERS, undefined, "a").metadata.finalizers]).toEqual([
      undefined,
      undefined,
    ]);
    expect(heard).toContain("a is connected");
  });

  test("tells a worker what the hub's record says is there", async () => {
    let source: WorkSource | undefined;
    const link = (ports: Ports): Ports => {
      ({ source } = ports);
      return ports;
    };
    await leading({ link }, { objects: { apps: [{ ...app(), status: ON_A }] } });
    const { signal } = new AbortController();
    const deltas: unknown[] = [];
    for await (const delta of source?.assignment("a", { version: PROTOCOL_VERSION }, signal) ?? []) {
      if (delta.kind === "Kinds") deltas.push(delta.others);
      if (delta.kind === "Expected") deltas.push(delta.owners);
      if (deltas.length === 2) break;
    }
    expect(deltas).toEqual([[APP], [{ group: "networking.k8s.io", kind: "Ingress" }]]);
  });

  test("reads what applications refer to", async () => {
    const before = ({ server }: { server: FakeCluster }): void =>
      void server.create(SECRETS, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "password", namespace: "default" },
        data: {},
      });
    const { federation, server, stop, settle } = await leading({}, { objects: { apps: [WITH_SECRET] }, before });
    await settle();
    expect(federation.view.states.planOf(APP)?.target).toMatchObject({ missing: new Set(), clusters: [{}, {}] });
    const watched = (): boolean => [...server.watchers].some(({ type }) => type === SECRETS);
    expect(watched()).toBe(true);
    await stop();
    expect(watched()).toBe(false);
  });

  test.each([
    { name: "its own", more: { systemNamespace: "default" } },
    { name: "those that it is told to leave alone", more: { protectedNamespaces: ["default"] } },
  ])("writes nothing into namespaces that are protected: $name", async ({ more }) => {
    const { federation } = await leading(more);
    expect([...federation.view.assignments.in("a")]).toEqual([]);
  });

  test("warns of what an application lacks, when that is still so a moment later", async () => {
    const { settle, events } = await leading({}, { objects: { apps: [WITH_SECRET] } });
    await settle();
    const warnings = (): string[] => events.filter(({ type }) => type === "Warning").map(({ reason }) => reason);
    const before = warnings();
    await settle(3_000);
    expect([before, warnings()]).toEqual([[], ["DependencyMissing"]]);
  });

  test("warns of nothing any more when it has ended", async () => {
    const { settle, events, stop } = await leading({}, { objects: { apps: [WITH_SECRET] } });
    await settle();
    await stop();
    await settle(5_000);
    expect(events.filter(({ type }) => type === "Warning")).toEqual([]);
  });

  test("measures its queues and controllers, and traces each reconcile", async () => {
    const { scraped, spans } = await leading();
    const of = (name: string): Promise<string[]> =>
      scraped(`controller_runtime_max_concurrent_reconciles{controller="${name}"}`);
    expect(await Promise.all(["placement", "handover", "binding"].map(of))).toEqual([
      ['controller_runtime_max_concurrent_reconciles{controller="placement"} 8'],
      ['controller_runtime_max_concurrent_reconciles{controller="handover"} 2'],
      ['controller_runtime_max_concurrent_reconciles{controller="binding"} 1'],
    ]);
    expect(await scraped('workqueue_adds_total{name="placement"}')).not.toEqual([]);
    // The workers of members have no reconciles.
    expect(await scraped('controller_runtime_reconcile_errors_total{controller="worker"}')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="worker"} 0',
    ]);
    expect(spans.some(({ attributes }) => attributes["reconcile.controller"] === "placement")).toBe(true);
  });

  test("shows how far members are, and not any more once it does not lead any more", async () => {
    const { scraped, stop, settle } = await leading();
    await settle(5_000);
    expect(await scraped('operator_sync_status{resource="Deployment"')).toEqual([
      'operator_sync_status{resource="Deployment",status="up-to-date"} 0',
      'operator_sync_status{resource="Deployment",status="out-of-sync"} 2',
    ]);
    await stop();
    expect(await scraped("operator_sync_status{")).toEqual([]);
  });

  test("gives up a reconcile that takes longer than it may", async () => {
    const hanging = ({ hub }: Awaited<ReturnType<typeof planning>>): void => {
      hub.patch = async (_type, _namespace, _name, _patchType, _body, options) =>
        await new Promise((_, reject) =>
          options?.signal?.addEventListener("abort", () => reject(new Error("aborted"))),
        );
    };
    const failures = async ({ scraped }: Awaited<ReturnType<typeof leading>>): Promise<string[]> =>
      await scraped('controller_runtime_reconcile_errors_total{controller="placement"}');
    const quick = await leading({ reconcileTimeoutMs: 1_000 }, { before: hanging });
    await quick.settle(1_000);
    expect(await failures(quick)).toEqual(['controller_runtime_reconcile_errors_total{controller="placement"} 1']);
    const patient = await leading({}, { before: hanging });
    await patient.settle(29_000);
    expect(await failures(patient)).toEqual(['controller_runtime_reconcile_errors_total{controller="placement"} 0']);
    await patient.settle(1_000);
    expect(await failures(patient)).toEqual(['controller_runtime_reconcile_errors_total{controller="placement"} 1']);
  });

  test("holds the copies of objects that the hub lacks, if they are many", async () => {
    const { federation, settle, server } = await leading();
    const copies = Array.from({ length: 10 }, (_, index) =>
      observation({
        cluster: "a",
        ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: `lost-${index}` },
        present: { owner: owner(`lost-${index}`) },
      }),
    );
    federation.view.observations.report("a", copies);
    await settle(1_000);
    expect(server.get(MEMBERCLUSTERS, undefined, "a")["status"]).toMatchObject({
      conditions: [{ type: "DeletionsHeld", status: "True", reason: "OwnersMissing" }],
    });
  });
});

describe("a manager that rolls objects out in stages", () => {
  const gate = { prometheus: { query: "up" } };
  /** Two applications whose policy rolls out one at a time. */
  const rolling = async () => {
    const asked: { query: string; signal: AbortSignal }[] = [];
    const askGate = (query: string, signal: AbortSignal): Promise<GateReply> => {
      asked.push({ query, signal });
      return new Promise(() => undefined);
    };
    const placements = [placement(["a", "b"], { rollout: { ...CANARY, maxObjects: 1, gate } })];
    const all = await leading(
      { askGate },
      {
        objects: { apps: [app(), app({ name: "cart" })], placements },
        before: ({ hub }) => hub.serve(CONTROLLERREVISIONS),
      },
    );
    const { observations, assignments } = all.federation.view;
    for (const name of ["a", "b"]) observations.contact(name, inContact);
    await all.settle(5_000);
    const rolloutOf = (name: string) => (all.onHub(name)["status"] as FederatedStatus | undefined)?.rollout;
    const appliedIn = (name: string): string[] =>
      [...assignments.in(name)].flatMap(({ ref, effective }) => (effective?.verb === "Apply" ? [ref.name] : []));
    return { ...all, observations, assignments, asked, rolloutOf, appliedIn };
  };

  test("asks the gates, and asks nobody any more when its term is over", async () => {
    const { assignments, observations, settle, asked, rolloutOf, stop } = await rolling();
    for (const { ref, effective } of assignments.in("a")) {
      if (effective?.verb !== "Apply") continue;
      const { hash, owner: of } = effective;
      const present = { hash, owner: of };
      observations.report("a", [observation({ cluster: "a", ref, inSyncWith: hash, revision: 1_000_000, present })]);
    }
    await settle(5_000);
    expect(rolloutOf("shop")).toMatchObject({ state: "Paused", message: "stage canary: the gate is being asked" });
    expect(asked.map(({ query, signal }) => [query, signal.aborted])).toEqual([["up", false]]);
    await stop();
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
  });
});

const waiting = async (failure: Error | undefined) =>
  await leading(
    {},
    {
      before: ({ cache }) => {
        cache.waitForSync = async (signal) => {
          if (failure !== undefined) throw failure;
          await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
        };
      },
    },
  );

test("a manager whose term ends before the hub was read has done nothing", async () => {
  const { stop, heard } = await waiting(undefined);
  await stop();
  expect(heard).toEqual([]);
});
