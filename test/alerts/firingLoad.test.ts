import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { hubThrough } from "../e2e/faultyHub.ts";
import { eventually, FaultProxy, type ProxiedRequest } from "../envtest/index.ts";
import { delaying, Drill, hangingUp, refusing } from "./drill.ts";
import { FIRED } from "./fired.ts";
import { PrometheusServer } from "./prometheusServer.ts";
import { ruleGroups } from "./promtool.ts";
import { quickened } from "./quickened.ts";

/**
 * A real Prometheus scrapes a manager that has too much to do, or whose hub and members are slow: each alert on this fires, and clears when
 * the fault is over. Time runs faster in the rules, and a queue of a few objects counts as a long one.
 */

const FRANKFURT = "frankfurt-1";
/** Behind a proxy. */
const TOKYO = "tokyo-1";
/** More than the manager works on at once, so that some of them wait. */
const SHOPS = Array.from({ length: 24 }, (_, index) => `shop-${index}`);
/** Objects that fill memory. A value of an application is no longer than 32 KiB. */
const LARGE = Array.from({ length: 64 }, (_, index) => `large-${index}`);
const VALUES = Array.from({ length: 28 }, (_, index) => `VALUE_${index}`);
const VALUE_BYTES = 32_000;

const federation = useFederation({
  members: [FRANKFURT, TOKYO].map((name) => ({ name, region: name })),
  unjoined: [TOKYO],
  // The manager stands still for a while, and must not lose its Lease by that.
  managerArgs: ["--lease-duration", "20s", "--renew-deadline", "15s", "--retry-period", "1s"],
});

const stack = new AsyncDisposableStack();
let prometheus: PrometheusServer;
let drill: Drill;
let hub: FaultProxy;
let tokyo: FaultProxy;
let namespace: string;
let version = 1;

async function startManager(...args: string[]): Promise<void> {
  await federation.startManager({ args: ["--kubeconfig", await hubThrough(federation, hub), ...args] });
  await prometheus.scrape(federation.manager.url);
}

async function restartManager(...args: string[]): Promise<void> {
  await federation.manager.kill();
  await startManager(...args);
}

/** Every application gets another image, so that there is work for all queues. */
async function changeAll(): Promise<void> {
  version += 1;
  const image = `registry.test/app:${version}`;
  await Promise.all(SHOPS.map((name) => federation.apply(shop(name).image(image))));
}

const shop = (name: string) => demoApplication(name).namespace(namespace).replica(1).image("registry.test/app:1");

const residentMemory = async () => (await federation.manager.metric("process_resident_memory_bytes"))[0]?.value ?? 0;

const isWriteOfDeployment = ({ method, path }: ProxiedRequest) => method === "PATCH" && path.includes("/deployments/");

beforeAll(async () => {
  hub = stack.use(await FaultProxy.start(federation.hub));
  await federation.manager.stop();
  await federation.startManager({ args: ["--kubeconfig", await hubThrough(federation, hub)] });
  tokyo = stack.use(await federation.joinThroughProxy(TOKYO));
  namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  await Promise.all(SHOPS.map((name) => federation.apply(shop(name))));
  for (const name of SHOPS) await federation.untilAvailable(namespace, name, { [FRANKFURT]: 1, [TOKYO]: 1 });

  const limit = Math.ceil((await residentMemory()) + 0.6 * LARGE.length * VALUES.length * VALUE_BYTES);
  const rules = quickened(await ruleGroups(), {
    times: 300,
    shortest: 6,
    alerts: {
      MeridianManagerMemory: { replace: { "0.9 * 512 * 1024 ^ 2": String(limit) } },
      MeridianQueueGrows: { replace: { "> 1000": "> 3" } },
      MeridianReconcileStuck: { replace: { "> 120": "> 4" } },
      MeridianMemberQueueOld: { replace: { "> 300": "> 3" } },
    },
  });
  const folder = stack.use(await temporaryFolder("meridian-prometheus-"));
  prometheus = stack.use(await PrometheusServer.start({ folder: folder.path, groups: rules }));
  await prometheus.scrape(federation.manager.url);
  drill = new Drill(prometheus);
});

afterAll(() => stack.disposeAsync());

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`--- prometheus\n${await prometheus.logTail()}\n`);
});

describe("fires and clears:", () => {
  test("large objects fill the memory of the manager", async () => {
    const elsewhere = await federation.namespace();
    const large = (name: string) =>
      VALUES.reduce(
        (made, value) => made.env(value, name.padEnd(VALUE_BYTES, "-")),
        demoApplication(name).namespace(elsewhere),
      );
    await drill.seeFiring(
      { MeridianManagerMemory: 'instance="manager"' },
      {
        begin: async () => {
          for (const name of LARGE) await federation.apply(large(name));
        },
        end: async () => {
          for (const name of LARGE) await federation.remove(large(name));
          await restartManager();
        },
      },
    );
  });

  test("the hub answers writes late", async () => {
    const late = ({ method, path }: ProxiedRequest) => method === "PATCH" && !path.includes("/leases/");
    await drill.seeFiring(
      {
        MeridianQueueGrows: 'name="status"',
        MeridianReconcileStuck: 'name="status"',
        MeridianQueueSlow: 'name="status"',
      },
      {
        begin: async () => {
          hub.fault = delaying(late, 7_000);
          await changeAll();
        },
        end: async () => {
          hub.fault = undefined;
        },
      },
    );
  });

  test("the manager gets too little processor time", async () => {
    const end = new AbortController();
    let stopping: Promise<void> = Promise.resolve();
    const standStill = async () => {
      while (!end.signal.aborted) {
        federation.manager.pause();
        await sleep(700);
        federation.manager.resume();
        await sleep(200);
      }
    };
    await drill.seeFiring(
      { MeridianManagerSlow: 'instance="manager"' },
      {
        begin: () => {
          stopping = standStill();
          return Promise.resolve();
        },
        end: () => {
          end.abort();
          return stopping;
        },
      },
    );
  });

  test("writes to a member do not arrive, while probes do", async () => {
    await drill.seeFiring(
      { MeridianBreakerOpen: `cluster="${TOKYO}"` },
      {
        begin: () => {
          tokyo.fault = hangingUp(({ method }) => method === "PATCH");
          return changeAll();
        },
        end: async () => {
          tokyo.fault = undefined;
        },
      },
    );
  });

  test("a member asks for fewer writes", async () => {
    await drill.seeFiring(
      { MeridianMemberQueueOld: `cluster="${TOKYO}"` },
      {
        begin: () => {
          tokyo.fault = refusing(isWriteOfDeployment, 429, { "retry-after": "8" });
          return changeAll();
        },
        end: async () => {
          tokyo.fault = undefined;
        },
      },
    );
  });

  test("the disk is full to which records go", async () => {
    await drill.seeFiring(
      { MeridianRecordsDropped: 'stream="operations",cause="failed"' },
      {
        begin: async () => {
          await restartManager("--operations-log", "/dev/full");
          await eventually(async () => {
            const scraped = await prometheus.query('federation_records_dropped_total{stream="operations"}');
            expect(scraped.length).toBeGreaterThan(0);
          });
          await changeAll();
        },
        end: () => restartManager(),
      },
    );
  });
});

test("this file sees the alerts that it is there for", () => {
  expect([...drill.seen].sort()).toEqual([...FIRED.load].sort());
});
