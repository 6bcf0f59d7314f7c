import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { startMeridian } from "../testing/commandLine.ts";

import { managedFleet } from "../testing/managedFleet.ts";
import type { SandboxHub } from "../testing/sandboxHub.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Rows of the query API and of the objects, on a hub of the sandbox with a manager. */

let fleet: SandboxHub;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  ({ fleet } = stack.use(await managedFleet("m1", "m2")));
  await fleet.make({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { name: "all", namespace: "default" },
    spec: { resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "web" }] },
  });
  for (const name of ["web", "lonely"]) {
    const metadata = { name, namespace: "default" };
    await fleet.make({ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata, spec: { image: "nginx" } });
  }
  await fleet.ran("status web --wait --timeout 50s");
  await vi.waitFor(
    async () => {
      const { code, err } = await fleet.run("status --source=query");
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("from the query API") });
    },
    { timeout: 30_000, interval: 200 },
  );
});
afterAll(() => stack.disposeAsync());

interface Answer {
  source: string;
  partial: unknown[];
  objects?: { waits?: object[] }[];
}

/** Without what only the query API knows. */
function alike(text: string): unknown {
  const { source: _, ...answer } = JSON.parse(text) as Answer;
  return { ...answer, objects: answer.objects?.map(({ waits: _waits, ...object }) => object) };
}

test.each([
  "status",
  "status web",
  "get demo",
  "get demo --clusters",
  "get mc",
  "describe web",
  "tree web",
  "tree mc/m1",
])("%s answers the same from both sources, and says which it was", async (line) => {
  const [query, objects] = [
    await fleet.run(`${line} -o json --source=query`),
    await fleet.run(`${line} -o json --source=objects`),
  ];
  expect(query.code).toBe(objects.code);
  expect(alike(query.out)).toEqual(alike(objects.out));
  expect([query, objects].map(({ out }) => (JSON.parse(out) as Answer).source)).toEqual(["query", "objects"]);
  expect(query.err).toMatch(
    /^Read from the objects of the hub and from the query API, through the manager at http:\/\/127\.0\.0\.1:\d+\.$/m,
  );
  expect(objects.err).toBe("");
});

test("without --source, the query API is asked if it is there", async () => {
  expect((await fleet.run("tree web")).err).toContain("from the query API");
});

test("whoever may not see the Lease has the rows of the objects, and is told why if he asks for others", async () => {
  const rules = [{ apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["get", "list", "watch"] }];
  const file = await fleet.account("reader", "default", rules);
  const { out, err } = await fleet.run("get demo -n default", file);
  expect(out).toContain("web");
  expect(err).not.toContain("query API");
  const asked = await fleet.run("get demo -n default --source=query", file);
  expect(asked).toMatchObject({ code: 2, out: "" });
  expect(asked.err).toMatch(
    /^meridian: the query API is not reached: your rights do not show the Lease .* --source=objects\n$/,
  );
  const logs = await fleet.run("logs web -n default --cluster m1", file);
  expect(logs.err).toMatch(/the query API is not reached: your rights do not show the Lease .*; put that right\n$/);
});

test("why of an object in another namespace says how to name it", async () => {
  const { code, err } = await fleet.run("why web -n kube-system");
  expect(code).toBe(2);
  expect(err).toContain("give another namespace with -n: `meridian status` lists what is there");
});

describe("timeline", () => {
  const rowsOf = (out: string) =>
    (JSON.parse(out) as { transitions: { to: string; cluster?: string; object?: { name: string } }[] }).transitions;

  test("of an object ends with its present states, of the fleet has the clusters as well", async () => {
    const own = rowsOf((await fleet.run("timeline web -o json")).out);
    expect(new Set(own.map(({ object }) => object?.name))).toEqual(new Set(["web"]));
    for (const cluster of ["m1", "m2"])
      expect(own.findLast((row) => row.cluster === cluster)).toMatchObject({ to: "Available" });
    const all = rowsOf((await fleet.run("timeline --fleet -o json")).out);
    expect(all).toEqual(expect.arrayContaining(own));
    expect(rowsOf((await fleet.run("timeline mc/m1 -o json")).out).every(({ cluster }) => cluster === "m1")).toBe(true);
    expect((await fleet.run("timeline web")).out).toMatch(
      /^AT +SEEN +OBJECT +CLUSTER +FROM +TO +REASON +BECAUSE OF +MESSAGE\n.* ago +default\/web +m\d .*\n$/s,
    );
  });

  test("--since leaves out what is older", async () => {
    expect(await fleet.run("timeline web --since 1ms")).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("No transitions in that time."),
    });
  });

  test("--watch goes on with what happens", async () => {
    const running = startMeridian(["timeline", "--fleet", "-w", "--kubeconfig", fleet.file("hub")]);
    await running.until(/default\/web +m1/);
    await fleet.patch(DEMOAPPLICATIONS, "default", "web", { metadata: { labels: { tier: "front" } } });
    await fleet.make({
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { name: "late", namespace: "default" },
      spec: { image: "nginx" },
    });
    await running.until(/default\/late +- /);
    running.stop();
    expect((await running.ended).code).toBe(0);
  });

  test("without the query API shows the hub's Events, and says so", async () => {
    const { code, err } = await fleet.run("timeline web --source=objects -o json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { out } = await fleet.run("timeline --fleet --source=objects -o json");
    expect(JSON.parse(out)).toMatchObject({ source: "objects", transitions: [] });
    expect((JSON.parse(out) as { events: unknown[] }).events).not.toEqual([]);
    expect(await fleet.run("timeline web --source=objects -w")).toMatchObject({
      code: 2,
      err: expect.stringContaining("leave out --watch to see the hub's Events"),
    });
  });
});

test("check says how the query API is reached", async () => {
  const { out } = await fleet.run("check --hub-only -o json");
  const { checks } = JSON.parse(out) as { checks: { check: string }[] };
  expect(checks.find(({ check }) => check === "Queries")).toMatchObject({
    result: "Fine",
    what: expect.stringMatching(/^are answered through the manager at http:\/\/127\.0\.0\.1:\d+$/),
  });
});

test("rows of a following verb come from the hub's watches", async () => {
  const { code, err } = await fleet.run("status --wait --source=query");
  expect({ code, err }).toEqual({
    code: 2,
    err: "meridian: --watch and --wait follow the objects of the hub: leave out --source=query\n",
  });
});
