import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { freePort, temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { demoApplication, memberCluster } from "../builders/index.ts";
import { pathOf } from "../e2e/objects.ts";
import {
  eventually,
  FaultProxy,
  type Fleet,
  type Manager,
  managerToken,
  meridianOk,
  type ProxiedRequest,
  startFleet,
  startManager,
} from "../envtest/index.ts";
import { delaying, Drill, refusing } from "./drill.ts";
import { FIRED } from "./fired.ts";
import { PrometheusServer } from "./prometheusServer.ts";
import { ruleGroups } from "./promtool.ts";
import { quickened } from "./quickened.ts";

/**
 * A real Prometheus scrapes a manager and the real API server that calls its webhooks. The server counts the calls that fail, under names
 * that only a real one knows.
 */

const stack = new AsyncDisposableStack();
let fleet: Fleet;
let hub: FaultProxy;
let manager: Manager;
let prometheus: PrometheusServer;
let drill: Drill;
let webhookArgs: string[];

async function startManagerHere(): Promise<void> {
  const kubeconfig = join(fleet.dir, "kubeconfig-of-manager");
  await writeFile(kubeconfig, hub.kubeconfigFor(await managerToken(fleet.hub)), { mode: 0o600 });
  const args = [...webhookArgs, "--kubeconfig", kubeconfig];
  manager = await startManager({ hub: fleet.hub, folder: fleet.dir, args });
  await prometheus.scrape(manager.url);
}

beforeAll(async () => {
  fleet = stack.use(await startFleet({ hub: { controllerManager: false }, members: [] }));
  hub = stack.use(await FaultProxy.start(fleet.hub));
  await meridianOk(fleet.hub, ["install"]);
  const port = await freePort();
  webhookArgs = ["--webhooks", "--webhook-port", `${port}`, "--webhook-url", `https://127.0.0.1:${port}`];
  const folder = stack.use(await temporaryFolder("meridian-prometheus-"));
  // No member and no placement is there, so that the other alerts fire without a fault.
  const rules = (await ruleGroups()).filter(({ name }) => name === "meridian-requests");
  // The API server is scraped every other second.
  const groups = quickened(rules, { times: 300, shortest: 10, alerts: {} });
  prometheus = stack.use(await PrometheusServer.start({ folder: folder.path, groups, apiServer: fleet.hub }));
  drill = new Drill(prometheus);
  await startManagerHere();
  stack.defer(() => manager[Symbol.asyncDispose]());
  // The API server knows the webhooks a moment after their registration.
  await eventually(async () => {
    await attempt(memberCluster("nowhere"));
    const called = (await manager.metric("controller_runtime_webhook_requests_total")).filter(
      ({ labels, value }) => labels["webhook"] === "validate" && value > 0,
    );
    expect(called).not.toEqual([]);
  });
}, 900_000);

afterAll(() => stack.disposeAsync());

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  process.stderr.write(`--- prometheus\n${await prometheus.logTail()}\n--- manager\n${await manager.logTail()}\n`);
});

let attempts = 0;

/** A change that the webhooks are called for. The hub may refuse it. */
async function attempt(object: { label(key: string, value: string): { object(): KubeObject } }): Promise<void> {
  const changed = object.label("attempt", String(++attempts)).object();
  await fleet.hub.api.apply(pathOf(changed), changed).catch(() => undefined);
}

/** Somebody changes objects for as long as the fault lasts. */
function throughout(...objects: Parameters<typeof attempt>[0][]) {
  const end = new AbortController();
  const changing = (async () => {
    while (!end.signal.aborted) {
      for (const object of objects) await attempt(object);
      await sleep(200);
    }
  })();
  return {
    stop: () => {
      end.abort();
      return changing;
    },
  };
}

const readsSecret = ({ method, path }: ProxiedRequest) => method === "GET" && path.includes("/secrets/");

describe("fires and clears:", () => {
  test.each([
    {
      what: "of policies, whose requests it then refuses",
      name: "federation.paas.cmft.com",
      object: memberCluster("nowhere"),
    },
    {
      what: "of applications, whose requests it then passes unchecked",
      name: "applications.paas.cmft.com",
      object: demoApplication("shop").image("registry.test/app:1"),
    },
  ])("no manager answers the hub's calls $what", async ({ name, object }) => {
    let changes: ReturnType<typeof throughout>;
    await drill.seeFiring(
      { MeridianWebhookUnreachable: `name="${name}"` },
      {
        begin: async () => {
          await manager.kill();
          changes = throughout(object);
        },
        end: async () => {
          await changes.stop();
          await startManagerHere();
        },
      },
    );
  });

  test("the hub answers the webhooks' questions with errors", async () => {
    let changes: ReturnType<typeof throughout>;
    await drill.seeFiring(
      { MeridianWebhookErrors: 'webhook="validate"' },
      {
        begin: async () => {
          hub.fault = refusing(readsSecret, 503);
          changes = throughout(memberCluster("nowhere"));
        },
        end: async () => {
          hub.fault = undefined;
          await changes.stop();
        },
      },
    );
  });

  test("the hub answers the webhooks' questions late", async () => {
    let changes: ReturnType<typeof throughout>;
    await drill.seeFiring(
      { MeridianWebhookSlow: 'webhook="validate"' },
      {
        begin: async () => {
          hub.fault = delaying(readsSecret, 1_200);
          changes = throughout(memberCluster("nowhere"));
        },
        end: async () => {
          hub.fault = undefined;
          await changes.stop();
        },
      },
    );
  });
});

test("this file sees the alerts that it is there for", () => {
  expect([...drill.seen].sort()).toEqual([...FIRED.webhooks].sort());
});
