import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { eventually, type RequestCounters, throughout } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { collectionPath, configMap, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const FRANKFURT = "frankfurt-1";
const MEMBERS = [SHANGHAI, SINGAPORE, FRANKFURT] as const;

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: FRANKFURT, region: "eu-central-1" },
  ],
});

const on = (replicas: number) => Object.fromEntries(MEMBERS.map((name) => [name, replicas]));

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseTransitions?: number };
}

/** Who leads now; Meridian has one Lease in its namespace that more than one process can hold. */
async function leader(): Promise<string> {
  const leases = await federation.api.list<Lease>(collectionPath("Lease", DEFAULT_SYSTEM_NAMESPACE));
  expect(leases).toHaveLength(1);
  return leases[0]?.spec.holderIdentity ?? "";
}

describe("a member that goes away", () => {
  test.each([
    {
      how: "is down",
      leave: () => federation.member(FRANKFURT).plane.kill(),
      back: () => federation.member(FRANKFURT).plane.start(),
    },
    {
      how: "accepts connections and never answers",
      leave: async () => federation.member(FRANKFURT).plane.pause(),
      back: async () => federation.member(FRANKFURT).plane.resume(),
    },
  ])("and $how degrades its own entry only, and catches up", async ({ leave, back }) => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace).replica(2).port(80);
    await federation.apply(shop);
    const before = await federation.untilAvailable(namespace, "shop", on(2));
    const lastBefore = before.status?.clusters?.find(({ name }) => name === FRANKFURT);

    const leftAt = Date.now();
    await leave();
    try {
      const entry = await federation.untilEntry(
        namespace,
        "shop",
        FRANKFURT,
        { state: "Unknown", reason: "ClusterUnreachable" },
        90_000,
      );
      // Last known numbers stay, and say of when they are.
      expect(entry.replicas).toEqual(lastBefore?.replicas);
      expect(Date.parse(entry.observedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(lastBefore?.observedAt ?? ""));
      expect(Date.parse(entry.observedAt ?? "")).toBeLessThanOrEqual(leftAt + 2000);
      const application = await federation.application(namespace, "shop");
      expect(conditionOf(application, "Fresh")).toMatchObject({ status: "False", reason: "ClusterUnreachable" });
      expect(conditionOf(application, "Available")?.status).not.toBe("True");
      expect((await federation.memberCondition(FRANKFURT))?.status).not.toBe("True");
      expect(await federation.manager.metric("federation_member_ready")).toContainEqual({
        labels: expect.objectContaining({ cluster: FRANKFURT }),
        value: 0,
      });

      // The others are served meanwhile.
      await federation.apply(shop.image("nginx:1.28"));
      for (const member of [SHANGHAI, SINGAPORE]) {
        await eventually(async () => expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28"), {
          timeout: 10_000,
        });
        await federation.untilEntry(namespace, "shop", member, { state: "Available" });
      }
    } finally {
      await back();
    }
    await federation.untilAvailable(namespace, "shop", on(2), 90_000);
    expect(await federation.image(FRANKFURT, namespace, "shop")).toBe("nginx:1.28");
  });
});

describe("the hub that goes away", () => {
  test("stops nothing on the members, and Meridian goes on when it is back", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace).port(80);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", on(1));
    await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);
    await federation.hub.kill();
    await throughout(2000, async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).status?.availableReplicas).toBe(1),
    );
    await federation.hub.start();
    // Without the hub for longer than the Lease a process may have ended; a supervisor would start it again.
    if (!federation.manager.running) await federation.startManager();
    await federation.apply(shop.image("nginx:1.28"));
    await federation.untilAvailable(namespace, "shop", on(1), 90_000);
    expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28");
    expect(recorder.deletions).toEqual([]);
  });
});

describe("the manager", () => {
  test("gives its Lease back on SIGTERM, and a successor works within 3 s", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", on(1));
    const first = federation.manager;
    const firstIdentity = await eventually(async () => {
      const holder = await leader();
      expect(holder).not.toBe("");
      return holder;
    });
    const second = await federation.startManager({ waitUntilReady: false });
    await eventually(async () => expect((await fetch(`${second.url}/healthz`)).ok).toBe(true));
    await throughout(3000, async () => expect(await leader()).toBe(firstIdentity));

    const startedAt = performance.now();
    const stopping = first.stop();
    await federation.apply(shop.image("nginx:1.28"));
    await Promise.all(
      MEMBERS.map((member) =>
        eventually(async () => expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28"), {
          interval: 20,
        }),
      ),
    );
    await eventually(async () => expect(await leader()).not.toBe(firstIdentity), { interval: 20 });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(await stopping).toEqual({ code: 0, signal: null });
    await federation.untilAvailable(namespace, "shop", on(1));
  });

  test("that is killed is followed within the Lease's duration", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const first = federation.manager;
    await federation.startManager({ waitUntilReady: false });
    await eventually(async () => expect((await fetch(`${federation.manager.url}/healthz`)).ok).toBe(true));
    await first.kill();
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", on(1), 20_000);
  });

  test("writes nothing when it starts on a hub that is in sync", async () => {
    const namespace = await federation.namespace();
    const names = ["a", "b", "c", "d", "e", "f"];
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(overridePolicy("regions").namespace(namespace).inRegion("cn-shanghai", { replicas: 3 }));
    await federation.apply(configMap(namespace, "settings", { mode: "a" }));
    for (const name of names)
      await federation.apply(demoApplication(name).namespace(namespace).port(80).envFromConfigMap("settings"));
    for (const name of names)
      await federation.untilAvailable(namespace, name, { [SHANGHAI]: 3, [SINGAPORE]: 1, [FRANKFURT]: 1 });
    expect(await federation.manager.stop()).toEqual({ code: 0, signal: null });
    await untilQuiet();

    const servers = [federation.hub, ...federation.fleet.members.map(({ plane }) => plane)];
    const before = await Promise.all(servers.map((server) => server.metrics()));
    await federation.startManager();
    const applications = (await federation.api.list(collectionPath("DemoApplication"))).length;
    await eventually(async () => {
      for (const member of MEMBERS) {
        expect(await federation.manager.metric("federation_member_ready")).toContainEqual({
          labels: expect.objectContaining({ cluster: member }),
          value: 1,
        });
      }
      const reconciles = await federation.manager.metric("controller_runtime_reconcile_total");
      expect(reconciles.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(applications);
    });
    await sleep(5000);
    const after = await Promise.all(servers.map((server) => server.metrics()));
    const writes = servers.map(({ name }, index) => [name, describeWrites(after[index], before[index])]);
    expect(Object.fromEntries(writes)).toEqual({ hub: [], [SHANGHAI]: [], [SINGAPORE]: [], [FRANKFURT]: [] });
    for (const name of names)
      await federation.untilAvailable(namespace, name, { [SHANGHAI]: 3, [SINGAPORE]: 1, [FRANKFURT]: 1 }, 1000);
  });

  test("killed at 20 points of a rollout loses nothing and doubles nothing", { timeout: 600_000 }, async () => {
    const namespace = await federation.namespace();
    const quick = ["--lease-duration", "3s", "--renew-deadline", "2s", "--retry-period", "300ms"];
    const random = seeded(Number(process.env["MERIDIAN_TEST_SEED"] ?? Date.now() % 1_000_000));
    await federation.apply(placement("all").namespace(namespace));
    await federation.manager.stop();
    await using stack = new AsyncDisposableStack();
    const recorders = MEMBERS.map((member) =>
      stack.use(new Recorder(federation.memberApi(member), ["Deployment", "Service"])),
    );

    await federation.startManager({ args: quick, waitUntilReady: false });
    const names: string[] = [];
    for (let point = 1; point <= 20; point++) {
      // Each point has objects being made and objects being changed.
      if (point <= 10) names.push(`shop-${point}`);
      for (const name of names)
        await federation.apply(
          demoApplication(name).namespace(namespace).replica(2).port(80).image(`nginx:1.${point}`),
        );
      await eventually(async () => expect((await fetch(`${federation.manager.url}/healthz`)).ok).toBe(true));
      // From before the Lease is taken over to after everything is written.
      await sleep(random() * 5000);
      await federation.manager.kill();
      await federation.startManager({ args: quick, waitUntilReady: false });
    }
    for (const name of names) await federation.untilAvailable(namespace, name, on(2), 120_000);
    for (const [index, member] of MEMBERS.entries()) {
      const expected = Object.fromEntries(
        names.flatMap((name) => [
          [`Deployment ${name}`, 1],
          [`Service ${name}`, 1],
        ]),
      );
      expect(recorders[index]?.countsOf(namespace)).toEqual(expected);
      expect(recorders[index]?.deletions).toEqual([]);
      for (const name of names) expect(await federation.image(member, namespace, name)).toBe("nginx:1.20");
    }

    // And on the way out.
    for (const name of names) {
      await federation.api.delete(objectPath("DemoApplication", namespace, name));
      if (random() < 0.3) {
        await sleep(random() * 1000);
        await federation.manager.kill();
        await federation.startManager({ args: quick, waitUntilReady: false });
      }
    }
    await eventually(
      async () => expect(await federation.api.list(collectionPath("DemoApplication", namespace))).toEqual([]),
      { timeout: 120_000 },
    );
    for (const member of MEMBERS) {
      for (const kind of ["Deployment", "Service"])
        expect(await federation.memberApi(member).list(collectionPath(kind, namespace))).toEqual([]);
    }
  });
});

/** Waits until no server has counted a write for two seconds: controllers of the members have settled too. */
async function untilQuiet(): Promise<void> {
  const servers = [federation.hub, ...federation.fleet.members.map(({ plane }) => plane)];
  let last = await Promise.all(servers.map((server) => server.metrics()));
  await eventually(
    async () => {
      await sleep(2000);
      const now = await Promise.all(servers.map((server) => server.metrics()));
      const moved = servers.flatMap((_, index) => describeWrites(now[index], last[index]));
      last = now;
      expect(moved).toEqual([]);
    },
    { timeout: 60_000 },
  );
}

function describeWrites(after: RequestCounters | undefined, before: RequestCounters | undefined): string[] {
  if (after === undefined || before === undefined) throw new Error("no counters");
  return after.since(before).writes().describe();
}

/** Numbers from 0 to 1, the same for the same seed, which is printed so that a failure can be repeated. */
function seeded(seed: number): () => number {
  process.stderr.write(`MERIDIAN_TEST_SEED=${seed}\n`);
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
