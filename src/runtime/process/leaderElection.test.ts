import { fc, test as prop } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { NotLeaderError, TransportError } from "../core/errors.ts";
import { LeaderElector, type LeaderElectorOptions } from "./leaderElection.ts";
import type { Clock } from "../core/index.ts";
import { LEASES } from "../client/resources.ts";
import { FakeClient, FakeCluster } from "../testing/fakeClient.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { MachineClock } from "../testing/machineClock.ts";

const electorOf = (client: FakeClient, clock: Clock, identity = "a", more: Partial<LeaderElectorOptions> = {}) =>
  new LeaderElector({
    client,
    namespace: "meridian-system",
    name: "meridian",
    identity,
    clock,
    logger: createLogger({ level: "silent" }),
    random: () => 0.5,
    ...more,
  });

function machine(world: FakeClock, server: FakeCluster, identity: string, clock = new MachineClock(world)) {
  const client = new FakeClient(server);
  const elector = electorOf(client, clock, identity);
  const abort = new AbortController();
  const terms: { from: number; until?: number }[] = [];
  let dead = false;
  client.gate = async () => {
    if (dead) await new Promise(() => undefined);
  };
  const lead = async (signal: AbortSignal): Promise<void> => {
    const term: { from: number; until?: number } = { from: world.monotonic() };
    terms.push(term);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    term.until = world.monotonic();
  };
  const stopped = elector.run({ lead }, abort.signal);
  return {
    client,
    clock,
    elector,
    terms,
    stopped,
    stop: () => (abort.abort(new Error("over")), stopped),
    /** SIGKILL: it does and hears nothing any more. */
    kill: () => {
      dead = true;
      clock.pause();
    },
  };
}

/** A machine that leads. */
async function leading() {
  const world = new FakeClock();
  const server = new FakeCluster();
  const a = machine(world, server, "a");
  await world.advance(100);
  return { world, server, a };
}

const lease = (server: FakeCluster): Record<string, unknown> =>
  server.get(LEASES, "meridian-system", "meridian")["spec"] as Record<string, unknown>;

describe("leader election", () => {
  test("the first candidate leads, renews, and the second stands by", async () => {
    const { world, server, a } = await leading();
    const b = machine(world, server, "b");
    await world.advance(60_000);
    expect([a.elector.isHeld(), b.elector.isHeld()]).toEqual([true, false]);
    expect(a.terms).toEqual([{ from: 0 }]);
    expect(b.elector.holder).toBe("a");
    expect(lease(server)).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(lease(server)["renewTime"]).toMatch(/^2026-01-01T00:0\d:\d\d\.\d{6}Z$/);
    expect(() => b.elector.assertHeld()).toThrow(NotLeaderError);
    await Promise.all([a.stop(), b.stop()]);
  });

  test("a leader that ends gives the Lease back when its work is done, and a successor leads within a second", async () => {
    const { world, server, a } = await leading();
    const b = machine(world, server, "b");
    await world.advance(30_000);
    await a.stop();
    expect(a.elector.isHeld()).toBe(false);
    const released = world.monotonic();
    await world.advance(1_000);
    expect(b.elector.isHeld()).toBe(true);
    expect((b.terms[0]?.from ?? Infinity) - released).toBeLessThan(1_000);
    expect(lease(server)).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    await b.stop();
    expect(lease(server)["holderIdentity"]).toBe("");
  });

  test("renews while the leader's work comes to its end, and releases only then", async () => {
    const world = new FakeClock();
    const elector = electorOf(new FakeClient(), world);
    const abort = new AbortController();
    let heldAtEnd: boolean | undefined;
    const lead = async (signal: AbortSignal): Promise<void> => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await world.sleep(25_000);
      heldAtEnd = elector.isHeld();
    };
    const run = elector.run({ lead }, abort.signal);
    await world.advance(5_000);
    abort.abort(new Error("over"));
    await world.advance(26_000);
    await run;
    expect(heldAtEnd).toBe(true);
    expect(elector.isHeld()).toBe(false);
    expect(world.pending).toBe(0);
  });

  test("the Lease of a killed leader is taken once it has run out, not before", async () => {
    const { world, server, a } = await leading();
    const b = machine(world, server, "b");
    await world.advance(30_000);
    const killed = world.monotonic();
    a.kill();
    await world.advance(12_900);
    expect(b.elector.isHeld()).toBe(false);
    await world.advance(2_200);
    expect(b.elector.isHeld()).toBe(true);
    expect((b.terms[0]?.from ?? Infinity) - killed).toBeLessThanOrEqual(15_000);
    await b.stop();
  });

  test("a leader that is cut off stops before the Lease can be taken, and stands again when the server is back", async () => {
    const { world, a } = await leading();
    a.client.gate = () => {
      throw new TransportError("ConnectionRefused", "connection refused");
    };
    await world.advance(9_800);
    expect(a.elector.isHeld()).toBe(true);
    await world.advance(200);
    expect(a.elector.isHeld()).toBe(false);
    expect(a.terms[0]?.until).toBeLessThanOrEqual(10_100);
    a.client.gate = () => undefined;
    await world.advance(5_000);
    expect(a.terms).toHaveLength(2);
    await a.stop();
  });

  test("a request that hangs does not keep a leader from knowing that its time is over", async () => {
    const { world, a } = await leading();
    a.client.gate = () => new Promise(() => undefined);
    await world.advance(10_000);
    expect(a.terms[0]?.until).toBeDefined();
    a.client.gate = () => undefined;
    await a.stop();
  });

  test("the time of a renewal counts from when it was sent, however late the answer", async () => {
    const { world, a } = await leading();
    let sentAt = 0;
    a.client.gate = async ({ verb, phase }) => {
      if (sentAt !== 0 && phase === "before") throw new TransportError("ConnectionRefused", "connection refused");
      if (verb === "patch" && phase === "before") sentAt = world.monotonic();
      if (verb === "patch" && phase === "after") await world.sleep(4_000);
    };
    await world.advance(7_000);
    expect(sentAt).toBe(2_000);
    expect(a.elector.isHeld()).toBe(true);
    await world.advance(sentAt + 9_999 - world.monotonic());
    expect(a.elector.isHeld()).toBe(true);
    await world.advance(1);
    expect(a.elector.isHeld()).toBe(false);
    await a.stop();
  });

  test("a renewal whose answer was lost costs nothing", async () => {
    const { world, a } = await leading();
    let lost = 0;
    a.client.gate = ({ verb, phase }) => {
      if (verb === "patch" && phase === "after" && (lost += 1) === 1)
        throw new TransportError("ConnectionReset", "connection reset");
    };
    await world.advance(60_000);
    expect(lost).toBeGreaterThan(10);
    expect(a.terms).toEqual([{ from: 0 }]);
    await a.stop();
  });

  test("when the machine slept, which the monotonic clock does not show, the Lease counts as lost until it is renewed", async () => {
    const { world, a } = await leading();
    a.clock.skewMs += 60_000;
    expect(a.elector.isHeld()).toBe(false);
    await world.advance(2_100);
    expect(a.elector.isHeld()).toBe(true);
    await a.stop();
  });

  test("what the leader's work throws by itself ends the election, with the Lease given back", async () => {
    const world = new FakeClock();
    const server = new FakeCluster();
    const elector = electorOf(new FakeClient(server), world);
    const run = elector.run({ lead: () => Promise.reject(new Error("cannot lead")) }, new AbortController().signal);
    await expect(run).rejects.toThrow("cannot lead");
    expect(lease(server)["holderIdentity"]).toBe("");
    expect(world.pending).toBe(0);
  });

  test.each([
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
    { renewDeadlineMs: 2_000, retryPeriodMs: 2_000 },
  ])("refuses durations that could not be safe: %o", (durations) => {
    expect(() => electorOf(new FakeClient(), new FakeClock(), "a", durations)).toThrow(RangeError);
  });
});

const TROUBLES = ["pause", "resume", "cut off", "heal"] as const;
type Step =
  | { do: (typeof TROUBLES)[number] | "stop"; who: number }
  | { do: "jump"; who: number; ms: number }
  | { do: "advance"; ms: number };

type Fate = { kind: "fine" } | { kind: "refused" | "answer lost" } | { kind: "slow there" | "slow back"; ms: number };

const ofWeights = <T>(...kinds: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const who = fc.nat(2);
const step = ofWeights<Step>(
  [4, fc.record({ do: fc.constantFrom(...TROUBLES), who })],
  [1, fc.record({ do: fc.constant("stop" as const), who })],
  [1, fc.record({ do: fc.constant("jump" as const), who, ms: fc.integer({ min: -100_000, max: 100_000 }) })],
  [6, fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 100, max: 20_000 }) })],
);
const fate = ofWeights<Fate>(
  [6, fc.constant({ kind: "fine" })],
  [2, fc.record({ kind: fc.constantFrom("refused" as const, "answer lost" as const) })],
  [3, fc.record({ kind: fc.constantFrom("slow there" as const, "slow back" as const), ms: fc.nat(20_000) })],
);

describe("among machines with skewed clocks that are paused, cut off and badly connected", () => {
  prop.prop(
    [
      fc.array(step, { minLength: 5, maxLength: 16, size: "max" }),
      fc.array(fate, { minLength: 1, maxLength: 30, size: "max" }),
      fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), { minLength: 3, maxLength: 3 }),
    ],
    { numRuns: 40 },
  )(
    "two never lead at once, and one leads when the trouble is over",
    async (steps, fates, rates) => {
      const world = new FakeClock();
      const server = new FakeCluster();
      let calls = 0;
      let calm = false;
      const cutOff = new Set<number>();
      const machines = rates.map((rate, index) => {
        const made = machine(world, server, `m${index}`, new MachineClock(world, (index - 1) * 3_600_000, rate));
        made.client.gate = async ({ phase }) => {
          const next = fates[(calls += phase === "before" ? 1 : 0) % fates.length] ?? { kind: "fine" };
          if (!calm) {
            if (cutOff.has(index) || (phase === "before" && next.kind === "refused"))
              throw new TransportError("ConnectionRefused", "connection refused");
            if (phase === "before" && next.kind === "slow there") await world.sleep(next.ms);
            if (phase === "after" && next.kind === "slow back") await world.sleep(next.ms);
            if (phase === "after" && next.kind === "answer lost")
              throw new TransportError("ConnectionReset", "connection reset");
          }
          if (phase === "after") await made.clock.whenRunning();
        };
        return made;
      });
      const stopping: Promise<void>[] = [];
      const check = (): void =>
        expect(machines.filter(({ elector }) => elector.isHeld()).length).toBeLessThanOrEqual(1);
      const advance = async (ms: number): Promise<void> => {
        for (let left = ms; left > 0; left -= 500) {
          await world.advance(Math.min(left, 500));
          check();
        }
      };
      for (const now of steps) {
        if (now.do === "advance") await advance(now.ms);
        else {
          const one = machines[now.who];
          if (now.do === "pause") one?.clock.pause();
          if (now.do === "resume") one?.clock.resume();
          if (now.do === "cut off") cutOff.add(now.who);
          if (now.do === "heal") cutOff.delete(now.who);
          if (now.do === "jump" && one !== undefined) one.clock.skewMs += now.ms;
          if (now.do === "stop" && one !== undefined && now.who !== 0) stopping.push(one.stop());
          await world.advance(0);
          check();
        }
      }
      calm = true;
      for (const { clock } of machines) clock.resume();
      await advance(60_000);
      expect(machines.filter(({ elector }) => elector.isHeld())).toHaveLength(1);
      for (const one of machines) stopping.push(one.stop());
      await world.advance(30_000);
      await Promise.all(stopping);
      expect(machines.some(({ elector }) => elector.isHeld())).toBe(false);
    },
    30_000,
  );
});

test("the leader's annotations are on the Lease, as they are at each renewal", async () => {
  const world = new FakeClock();
  const server = new FakeCluster();
  const client = new FakeClient(server);
  let annotations: Record<string, string> | undefined = undefined;
  const elector = electorOf(client, world, "a", { annotations: () => annotations });
  const end = new AbortController();
  const lead = (signal: AbortSignal): Promise<void> => world.sleep(3_600_000, signal);
  const running = elector.run({ lead }, end.signal);
  await world.settle(100);
  const seen = async () => (await client.get(LEASES, "meridian-system", "meridian")).metadata.annotations;
  expect(await seen()).toBeUndefined();
  annotations = { address: "https://10.0.0.7:9444" };
  await world.settle(2_000);
  expect(await seen()).toEqual(annotations);
  end.abort(new Error("over"));
  await running;
});
