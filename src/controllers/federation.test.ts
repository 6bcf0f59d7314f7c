import { describe, expect, onTestFinished, test } from "vitest";
import { OBJECT_FINALIZER } from "../apis/index.ts";
import type { ClusterPool, PoolListener } from "../clusters/index.ts";
import { ApiError, MEMBERCLUSTERS, PLACEMENTS } from "../runtime/index.ts";
import { createFederation, type FederationOptions } from "./federation.ts";
import { APP, planning } from "./testing/planning.ts";

/** One term of leadership over a hub in memory, with members that nobody reaches. */
async function leading(more: Partial<FederationOptions> = {}) {
  const all = await planning();
  const { cache, client, clock, metrics, tracer } = { ...all.shared, cache: all.cache };
  const heard: string[] = [];
  const listeners: PoolListener[] = [];
  const pool = {
    run: async (signal: AbortSignal) => {
      heard.push("the pool runs");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      heard.push("the pool ends");
    },
    upsert: ({ metadata }: { metadata: { name: string } }) => void heard.push(`${metadata.name} is connected`),
    remove: (name: string) => void heard.push(`${name} is not connected any more`),
  } as unknown as ClusterPool;
  const federation = createFederation({
    hub: cache,
    client,
    hubId: "hub",
    clock,
    random: () => 0.5,
    logger: all.context.logger,
    metrics,
    tracer,
    events: all.recorder,
    pool: (listener) => {
      listeners.push(listener);
      return pool;
    },
    ...more,
  });
  const end = new AbortController();
  let isOver = false;
  const running = federation.run(end.signal).then(() => (isOver = true));
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
  return { ...all, federation, heard, listeners, stop };
}

describe("a manager that leads", () => {
  test("connects every cluster, and plans every object", async () => {
    const { federation, heard, onHub } = await leading();
    expect(new Set(heard)).toEqual(new Set(["the pool runs", "a is connected", "b is connected"]));
    expect(onHub().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    expect(federation.view.plans.get(APP)?.target?.clusters.map(({ name }) => name)).toEqual(["a", "b"]);
    expect([...federation.view.assignments.in("a")].map(({ ref }) => ref.kind)).toEqual(["Deployment"]);
  });

  test("lets the members' workers report to what plans and statuses read", async () => {
    const { federation, listeners } = await leading();
    listeners[0]?.contactChanged("a", { ok: true, lastContact: 5 });
    expect(federation.view.observations.contactOf("a")).toMatchObject({ ok: true, lastContact: 5 });
  });

  test("says what policies do before it ends, though that would have waited", async () => {
    const { stop, hub, server, heard } = await leading();
    const before = hub.count("applyStatus", PLACEMENTS);
    await stop();
    expect(hub.count("applyStatus", PLACEMENTS)).toBeGreaterThan(before);
    expect(server.get(PLACEMENTS, "default", "everywhere")["status"]).toMatchObject({ matchedObjects: 1 });
    expect(heard.at(-1)).toBe("the pool ends");
  });

  test("leaves that to the next one where the hub does not take it", async () => {
    const { stop, hub, lines } = await leading();
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "applyStatus") throw new ApiError(500, "InternalError", "etcd is away");
      return gate(call);
    };
    await stop();
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "debug", msg: "a policy's status is left to the next leader" }),
    );
  });

  test("serves the classes that it is given", async () => {
    const { onHub, heard, server } = await leading({ classes: new Set(["canary"]) });
    expect([onHub().metadata.finalizers, server.get(MEMBERCLUSTERS, undefined, "a").metadata.finalizers]).toEqual([
      undefined,
      undefined,
    ]);
    expect(heard).toContain("a is connected");
  });
});
