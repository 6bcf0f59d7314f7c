import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { QUERY_GROUP } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { hubThrough } from "../e2e/faultyHub.ts";
import { collectionPath } from "../e2e/objects.ts";
import { eventually, type Fault, FaultProxy, meridianOk, type ProxiedRequest, REPOSITORY } from "../envtest/index.ts";
import { type Dashboard, expressionsOf } from "./dashboards.ts";
import { Drill, refusing } from "./drill.ts";
import { FIRED } from "./fired.ts";
import { PrometheusServer } from "./prometheusServer.ts";
import { ruleGroups } from "./promtool.ts";
import { quickened } from "./quickened.ts";

/**
 * A real Prometheus scrapes a manager of a fleet of the sandbox while that is broken: alerts on members, objects and restarts fire, and clear
 * when the fault is over. Time runs faster in the rules; the expressions are those of the chart.
 */

const FRANKFURT = "frankfurt-1";
const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Behind a proxy. */
const TOKYO = "tokyo-1";
const ALL = [FRANKFURT, SHANGHAI, SINGAPORE, TOKYO] as const;

/** Enough of them that many can be degraded, and that many can vanish. */
const MANY = Array.from({ length: 12 }, (_, index) => `many-${index}`);
const CHANGED = ["shop", "cart"];

const QUICKENING = {
  times: 300,
  shortest: 6,
  alerts: {
    MeridianStatusStale: { replace: { "> 300": "> 3" } },
    MeridianRolloutWaits: { replace: { "> 3600": "> 3" } },
    // Three starts take a while.
    MeridianManagerRestarts: { range: 60 },
  },
};

const groups = await ruleGroups();

const federation = useFederation({
  members: ALL.map((name) => ({ name, region: name })),
  unjoined: [TOKYO],
  // A manager that loses its Lease ends, so that a busy machine needs some time here.
  managerArgs: [
    ...["--objective-propagated", "1s", "--objective-fresh", "3s"],
    ...["--lease-duration", "10s", "--renew-deadline", "8s", "--retry-period", "1s"],
  ],
});

const stack = new AsyncDisposableStack();
let prometheus: PrometheusServer;
let drill: Drill;
let hub: FaultProxy;
let tokyo: FaultProxy;
let namespace: string;

async function startManager(): Promise<void> {
  await federation.startManager({ args: ["--kubeconfig", await hubThrough(federation, hub)] });
  await prometheus.scrape(federation.manager.url);
}

const application = (name: string) => demoApplication(name).namespace(namespace).replica(1);
const applications = (names: readonly string[], image: string) =>
  Promise.all(names.map((name) => federation.apply(application(name).image(image))));

beforeAll(async () => {
  const folder = stack.use(await temporaryFolder("meridian-prometheus-"));
  prometheus = stack.use(await PrometheusServer.start({ folder: folder.path, groups: quickened(groups, QUICKENING) }));
  drill = new Drill(prometheus);
  hub = stack.use(await FaultProxy.start(federation.hub));
  await federation.manager.stop();
  await startManager();
  tokyo = stack.use(await federation.joinThroughProxy(TOKYO));
  namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  await applications([...CHANGED, ...MANY], "registry.test/app:1");
  for (const name of [...CHANGED, ...MANY])
    await federation.untilAvailable(namespace, name, Object.fromEntries(ALL.map((cluster) => [cluster, 1])));
});

afterAll(() => stack.disposeAsync());

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`--- prometheus\n${await prometheus.logTail()}\n`);
});

const isWriteOfDeployment = ({ method, path }: ProxiedRequest) => method !== "GET" && path.includes("/deployments");

describe("fires and clears:", () => {
  test("a member is killed", async () => {
    const rules = { gracePeriod: "2s", returnAfter: "3s" };
    const groupsOfMover = [
      { name: "primary", clusterNames: [FRANKFURT] },
      { name: "backup", clusterNames: [SHANGHAI] },
    ];
    const mover = placement("mover")
      .namespace(namespace)
      .of("mover")
      .priority(1)
      .affinity(...groupsOfMover);
    await federation.apply(mover.clusterCount(1).failover(rules));
    await federation.apply(application("mover"));
    await federation.untilAvailable(namespace, "mover", { [FRANKFURT]: 1 });
    await drill.seeFiring(
      {
        MeridianMemberNotReady: `cluster="${FRANKFURT}"`,
        MeridianStatusStale: `cluster="${FRANKFURT}"`,
        MeridianStatusStaleOften: "",
        MeridianFailover: 'reason="ClusterLost"',
        MeridianObjectsDegraded: 'kind="DemoApplication"',
        MeridianManyObjectsDegraded: "",
      },
      {
        begin: () => federation.member(FRANKFURT).plane.kill(),
        end: () => federation.member(FRANKFURT).plane.start(),
      },
    );
  });

  test("half of the members are killed", async () => {
    const lost = [FRANKFURT, SINGAPORE];
    await drill.seeFiring(
      { MeridianManyMembersNotReady: "" },
      {
        begin: () => Promise.all(lost.map((name) => federation.member(name).plane.kill())),
        end: () => Promise.all(lost.map((name) => federation.member(name).plane.start())),
      },
    );
  });

  test("a token is revoked", async () => {
    const token = federation.member(TOKYO).plane.adminToken;
    await drill.seeFiring(
      { MeridianCredentialsRejected: `cluster="${TOKYO}"` },
      {
        begin: () => federation.setKubeconfig(TOKYO, tokyo.kubeconfigFor("revoked")),
        end: () => federation.setKubeconfig(TOKYO, tokyo.kubeconfigFor(token)),
      },
    );
  });

  test("a member refuses writes, so that a change is late", async () => {
    await drill.seeFiring(
      {
        MeridianWritesFail: `cluster="${TOKYO}"`,
        MeridianOutOfSync: 'resource="Deployment"',
      },
      {
        begin: () => {
          tokyo.fault = refusing(isWriteOfDeployment, 503);
          return applications(CHANGED, "registry.test/app:2");
        },
        end: async () => {
          tokyo.fault = undefined;
        },
      },
    );
  });

  test("a change needs seconds to reach every member", async () => {
    await drill.seeFiring(
      { MeridianSlowPropagation: "", MeridianSlowPropagationLasts: "" },
      {
        begin: async () => {
          const before = tokyo.requests.length;
          tokyo.fault = refusing(isWriteOfDeployment, 503);
          await applications(CHANGED, "registry.test/app:3");
          // Each try comes later than the one before: two of each application take longer than the second that is the goal here.
          const tries = () =>
            tokyo.requests
              .slice(before)
              .filter(({ method, path }) => method === "PATCH" && path.includes("/deployments/"));
          await eventually(() => expect(tries().length).toBeGreaterThan(6), { timeout: 60_000 });
          tokyo.fault = undefined;
        },
        end: () => Promise.resolve(),
      },
    );
  });

  test("the applications vanish from the hub's answers", async () => {
    await drill.seeFiring(
      { MeridianDeletionsHeld: 'scope="hub"' },
      {
        begin: async () => {
          hub.cut();
          // A place before that of the last bookmark would mean that the hub went back in time.
          const { metadata } = await federation.api.get<{ metadata: object }>(collectionPath("DemoApplication"));
          hub.fault = vanishing(metadata);
          hub.heal();
        },
        end: async () => {
          hub.fault = undefined;
          hub.disconnect();
        },
      },
    );
  });

  test("a rollout waits for a person", async () => {
    const stages = [FRANKFURT, SHANGHAI].map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
    const [first, last] = stages;
    const rollout = { stages: [{ ...first, approval: "Manual" as const }, last] } as never;
    const staged = placement("staged").namespace(namespace).of("staged").priority(1);
    await federation.apply(staged.onClusters(FRANKFURT, SHANGHAI).rollout(rollout));
    await drill.seeFiring(
      { MeridianRolloutWaits: 'for="approval"' },
      {
        begin: () => federation.apply(application("staged").image("registry.test/app:1")),
        end: () => meridianOk(federation.hub, ["rollout", "approve", "staged", "-n", namespace]),
      },
    );
    await federation.untilAvailable(namespace, "staged", { [FRANKFURT]: 1, [SHANGHAI]: 1 });
  });

  test("a rollout fails and goes back", async () => {
    const risky = placement("risky").namespace(namespace).of("risky").priority(1);
    const backward = { gate: { timeout: "3s" }, onFailure: "Rollback" as const };
    await federation.apply(risky.onClusters(FRANKFURT, SHANGHAI).rollsOut(backward, FRANKFURT, SHANGHAI));
    await federation.apply(application("risky").image("registry.test/app:1"));
    await federation.untilAvailable(namespace, "risky", { [FRANKFURT]: 1, [SHANGHAI]: 1 });
    await drill.seeFiring(
      { MeridianRolloutFailed: 'of="Run"' },
      {
        begin: () => {
          federation.member(SHANGHAI).kubelet?.failImages(/:bad$/);
          return federation.apply(application("risky").image("registry.test/app:bad"));
        },
        end: () => federation.apply(application("risky").image("registry.test/app:1")),
      },
    );
  });

  test("the hub takes no Events and no statuses", async () => {
    await drill.seeFiring(
      { MeridianReconcileErrors: "", MeridianEventsDropped: 'cause="failed"' },
      {
        begin: () => {
          hub.fault = refusing(({ method, path }) => method !== "GET" && /\/(?:events|status)$/.test(path), 403);
          return applications(CHANGED, "registry.test/app:4");
        },
        end: async () => {
          hub.fault = undefined;
        },
      },
    );
  });

  test("somebody asks the query API without end", async () => {
    const headers = { authorization: `Bearer ${federation.hub.adminToken}` };
    const ask = async () => {
      const { url } = federation.manager;
      const asked = Array.from({ length: 100 }, () => fetch(`${url}/apis/${QUERY_GROUP}`, { headers }));
      for (const response of await Promise.all(asked)) await response.arrayBuffer();
    };
    await drill.untilCalm();
    await eventually(
      async () => {
        await ask();
        expect(await prometheus.firing()).toEqual(["MeridianQueriesRefused"]);
      },
      { timeout: 60_000, interval: 500 },
    );
    drill.seen.add("MeridianQueriesRefused");
    await drill.untilCalm();
  });

  test("the manager is killed, again and again", async () => {
    /** Of the manager that Prometheus has scraped last. */
    const startTime = async () => (await prometheus.query("process_start_time_seconds"))[0]?.value;
    await drill.seeFiring(
      { MeridianNoLeader: "" },
      { begin: () => federation.manager.kill(), end: () => startManager() },
    );
    await drill.seeFiring(
      { MeridianManagerRestarts: 'instance="manager"' },
      {
        begin: async () => {
          for (let start = 0; start < 3; start++) {
            const before = await startTime();
            await federation.manager.kill();
            await startManager();
            await eventually(async () => {
              const now = await startTime();
              expect(now).toBeDefined();
              expect(now).not.toBe(before);
            });
          }
        },
        end: () => Promise.resolve(),
      },
    );
  });
});

test("this file sees the alerts that it is there for", () => {
  expect([...drill.seen].sort()).toEqual([...FIRED.members].sort());
});

describe("the dashboards", async () => {
  const folder = join(REPOSITORY, "charts/meridian/files/dashboards");
  /** This fleet has no webhooks, and no alert fires at the end. */
  const EMPTY = /webhook|ALERTS/;

  test.each(await readdir(folder))("%s: Prometheus answers every query, and has data", async (file) => {
    const dashboard = JSON.parse(await readFile(join(folder, file), "utf8")) as Dashboard;
    const without: string[] = [];
    for (const expr of expressionsOf(dashboard)) {
      const series = await prometheus.query(expr);
      if (series.length === 0 && !EMPTY.test(expr)) without.push(expr);
    }
    expect(without).toEqual([]);
  });
});

/** The first read of all applications comes back empty, and no second one is answered. */
function vanishing(metadata: object): Fault {
  let told = false;
  const failure = (code: number) => ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code });
  return ({ method, path, query }) => {
    if (method !== "GET" || !path.endsWith("/demoapplications") || query.get("limit") === "1") return undefined;
    if (query.get("sendInitialEvents") === "true") return { status: 422, body: failure(422) };
    const isWatch = query.get("watch") === "true" || query.get("watch") === "1";
    if (isWatch && !told) return { status: 410, body: failure(410) };
    if (told) return { status: 503, body: failure(503) };
    told = true;
    return { status: 200, body: { kind: "DemoApplicationList", apiVersion: "paas.cmft.com/v1", metadata, items: [] } };
  };
}
