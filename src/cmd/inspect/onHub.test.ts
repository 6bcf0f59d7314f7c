import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEMOAPPLICATIONS, EVENTS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { startMeridian } from "../testing/commandLine.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Verbs for one object, on a hub of the sandbox; what a manager would write stands there already. */

let fleet: SandboxHub;
const APP = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const counts = (ready: number, desired = 1) => ({ desired, updated: desired, ready, available: ready });
const fine = ["Scheduled", "Applied", "Available", "Fresh"].map((type) => condition(type, "True"));
const healthy = {
  observedGeneration: 1,
  conditions: fine,
  placement: { kind: "Placement", namespace: "shop", name: "all" },
  replicas: counts(2, 2),
  clusters: ["m1", "m2"].map((name) => ({ name, region: "eu", state: "Available", replicas: counts(1) })),
};
const failing = {
  ...healthy,
  conditions: [...fine.slice(0, 2), condition("Available", "False", "QuotaExceeded", "exceeded quota"), fine[3]],
  replicas: counts(1, 2),
  clusters: [
    healthy.clusters[0],
    {
      name: "m2",
      region: "us",
      state: "Degraded",
      reason: "QuotaExceeded",
      message: "exceeded quota",
      since: "2026-11-21T08:20:00Z",
      replicas: counts(0),
    },
  ],
};

beforeAll(async () => {
  fleet = await SandboxHub.start();
  for (const name of ["m1", "m2"]) await fleet.join(name);
  await fleet.makeNamespaces("shop");
  await fleet.make({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { name: "all", namespace: "shop" },
    spec: {
      resourceSelectors: [{ apiVersion: APP.apiVersion, kind: "DemoApplication", name: "web" }],
      clusterAffinities: [{ name: "eu", clusterNames: ["m1"] }],
    },
  });
  for (const name of ["web", "lonely"])
    await fleet.make({ ...APP, metadata: { name, namespace: "shop" }, spec: { image: "nginx", replicas: 1 } });
  await fleet.report(DEMOAPPLICATIONS, "shop", "web", failing);
  const unplaced = [condition("Scheduled", "False", "NoPlacement", "no placement selects it")];
  await fleet.report(DEMOAPPLICATIONS, "shop", "lonely", { observedGeneration: 1, conditions: unplaced });
  const resource = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "settings", uid: "u" };
  await fleet.make({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "ResourceBinding",
    metadata: { name: "configmap.settings", namespace: "shop" },
    spec: { resource },
  });
  await fleet.report(RESOURCEBINDINGS, "shop", "configmap.settings", { ...healthy, observedGeneration: 3 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const T0 = "2026-11-21T08:20:00Z";
const line = (text: string, start: string): string => text.split("\n").find((one) => one.startsWith(start)) ?? "";

describe("get", () => {
  test("lists the objects of a kind", async () => {
    const { code, out } = await fleet.run("get demoapplications");
    expect(code).toBe(0);
    expect(out).toMatch(/^OBJECT .*\nshop\/lonely .*\nshop\/web +1\/2 +1\/2 +m2:QuotaExceeded .*\n$/);
    expect((await fleet.run("get configmap")).out).toMatch(/^OBJECT .*\nshop\/configmap\/settings .* gen 3 .*\n$/);
  });

  test("with --clusters has a line for each object on each cluster", async () => {
    const { out } = await fleet.run("get demo/web --clusters");
    expect(out.trimEnd().split("\n")).toHaveLength(3);
    expect(out).toMatch(/^shop +web +m2 +us +Degraded .* QuotaExceeded +exceeded quota$/m);
    const { items } = JSON.parse((await fleet.run("get demo --clusters -o json")).out) as {
      items: { object: string; cluster: string; state: string; reason?: string }[];
    };
    expect(items.map(({ object, cluster, state, reason }) => [object, cluster, state, reason])).toEqual([
      ["shop/web", "m1", "Available", undefined],
      ["shop/web", "m2", "Degraded", "QuotaExceeded"],
    ]);
  });

  test("lists clusters", async () => {
    expect((await fleet.run("get mc")).out).toMatch(/^CLUSTER .*\nm1 .*\nm2 .*\n$/);
    expect((await fleet.run("get mc/m2")).out).toMatch(/^CLUSTER .*\nm2 .*\n$/);
  });

  test.each([
    { args: "web", says: "write `meridian get demoapplication/web`" },
    { args: "settings", says: "write `meridian get configmap/settings`" },
    { args: "pods", says: "name one of these: configmap, demoapplication, membercluster" },
    { args: "demo/nope", says: 'the hub has no demoapplication "nope"' },
  ])("refuses $args, and says what there is", async ({ args, says }) => {
    const { code, out, err } = await fleet.run(`get ${args}`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(says);
  });
});

test("tree shows the placement, and the clusters by region", async () => {
  expect((await fleet.run("tree web")).out).toBe(
    [
      "shop/web   ready 1/2, clusters 1/2",
      "├─ Placement/all",
      "├─ generation 1",
      "├─ region eu",
      "│  └─ m1   Available 1/1",
      "└─ region us",
      "   └─ m2   Degraded 0/1   QuotaExceeded: exceeded quota",
      "",
    ].join("\n"),
  );
  expect((await fleet.run("tree mc/m2")).out).toBe(
    "cluster m2\n├─ shop/configmap/settings   Available 1/1\n└─ shop/web   Degraded 0/1   QuotaExceeded: exceeded quota\n",
  );
});

describe("events", () => {
  const event = (name: string, ageMs: number, regarding: object, note: string, namespace = "shop") =>
    fleet.make({
      apiVersion: `${EVENTS.group}/${EVENTS.version}`,
      kind: EVENTS.kind,
      metadata: { name, namespace },
      eventTime: new Date(Date.now() - ageMs).toISOString().replace("Z", "000Z"),
      reportingController: "paas.cmft.com/meridian",
      reportingInstance: "test",
      ...{ type: "Normal", reason: "Said", action: "Run", note, regarding },
    });

  test("are those of the object and of its placement, the newest last", async () => {
    const web = { ...APP, namespace: "shop", name: "web" };
    const all = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "Placement", namespace: "shop", name: "all" };
    await event("new", 125_000, web, "second\nline");
    await event("old", 245_000, web, "first");
    await event("policy", 185_000, all, "of the policy");
    await event("other", 1_000, { ...web, name: "lonely" }, "of another object");
    const { code, out } = await fleet.run("events web");
    expect(code).toBe(0);
    expect(out.split("\n").map((row) => row.split(/ {3,}/))).toEqual([
      ["SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
      ["4m ago", "Normal", "Said", "demoapplication/web", "first"],
      ["3m ago", "Normal", "Said", "placement/all", "of the policy"],
      ["2m ago", "Normal", "Said", "demoapplication/web", "second line"],
      [""],
    ]);
    expect((await fleet.run("describe web")).out).toContain("placement/all");
  });

  test("may be none", async () => {
    const { code, out, err } = await fleet.run("events configmap/settings -o json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((JSON.parse(out) as { events: object[] }).events).toHaveLength(1);
    const none = await fleet.run("events membercluster/m1");
    expect(none.out).toBe("");
    expect(none.err).toMatch(/^No Events of membercluster\/m1 found: a hub keeps Events for an hour\.\n$/);
  });
});

test("describe has the causes, the conditions, the clusters, and the command that follows", async () => {
  const { code, out } = await fleet.run("describe web");
  expect(code).toBe(0);
  expect(out).toMatch(/^shop\/web\nKind +DemoApplication paas.cmft.com\/v1\n/);
  expect(out).toMatch(/^QuotaExceeded: shop\/web in m2 since /m);
  expect(out).toMatch(/^Available +False .* QuotaExceeded +exceeded quota$/m);
  expect(out).toMatch(/^shop +web +m2 +us +Degraded /m);
  expect(line(out, "Placed where")).toBe("Placed where  `meridian why web -n shop`");
  expect((await fleet.run("describe mc/m1")).out).toMatch(/^membercluster\/m1\nRegion +eu\n/);
});

describe("why", () => {
  test("says that the object is placed, and where it is not and what would have to change", async () => {
    const { code, out } = await fleet.run("why web -n shop");
    expect(code).toBe(0);
    expect(out).toMatch(/^demoapplication\/web in namespace shop\nPlaced +yes, on 1 of 2 clusters, /);
    expect(line(out, "Decided by")).toBe("Decided by    Placement shop/all");
    expect(line(out, "yes")).toMatch(/^yes +m1 .* -$/);
    expect(line(out, "no ")).toMatch(/^no +m2 .*\S+ {3,}[^-].*$/);
  });

  test("of one cluster says the answer, what runs there now, and the way on", async () => {
    const there = await fleet.run("why web -n shop --cluster m1");
    expect(there.code).toBe(0);
    expect(line(there.out, "Placed there")).toMatch(/^Placed there +yes, /);
    expect(there.out).not.toContain("To run there");
    const absent = await fleet.run("why web -n shop --cluster m2");
    expect(absent.code).toBe(1);
    expect(line(absent.out, "Placed there")).toMatch(/^Placed there +no, /);
    expect(line(absent.out, "Now")).toMatch(/^Now +Degraded, QuotaExceeded: exceeded quota$/);
    expect(line(absent.out, "Next")).toContain("raise the ResourceQuota");
    expect(line(absent.out, "To run there")).not.toBe("");
    expect(line(absent.out, "More")).toContain("`meridian explain web -n shop --cluster m2`");
  });

  test("agrees with explain", async () => {
    const [said, explained] = await Promise.all(
      ["why", "explain"].map((verb) => fleet.run(`${verb} web -n shop -o json`)),
    );
    const { explanations } = JSON.parse(explained?.out ?? "") as { explanations: object[] };
    expect(JSON.parse(said?.out ?? "")).toEqual({ source: "objects", explanations });
  });

  test("like explain and describe, says what the object waits for, of one cluster only what concerns it", async () => {
    const lost = { ...failing.clusters[0], state: "Unknown", reason: "ClusterUnreachable", observedAt: T0 };
    const stages = [{ name: "eu", state: "Paused" }];
    const rollout = { state: "Paused", reason: "Gate", message: "stage eu waits for approval", since: T0, stages };
    await fleet.report(DEMOAPPLICATIONS, "shop", "web", { ...failing, clusters: [lost, failing.clusters[1]], rollout });
    const waits = async (command: string): Promise<string[]> =>
      [...(await fleet.run(command)).out.matchAll(/^Waits +(.*)$/gm)].map(([, text = ""]) => text);
    const approval = `for a person to approve stage eu since ${T0}`;
    const contact = `for reports of cluster m1 since ${T0}`;
    for (const verb of ["why", "explain", "why --cluster m1"])
      expect(await waits(`${verb} web -n shop`)).toEqual([approval, contact]);
    expect(await waits("why web -n shop --cluster m2")).toEqual([approval]);
    expect(await waits("describe web -n shop")).toEqual([approval, contact]);
    await fleet.report(DEMOAPPLICATIONS, "shop", "web", { ...failing, rollout: null });
    expect(await waits("why web -n shop")).toEqual([]);
  });

  test("names the policy that nearly selects an object which no policy places", async () => {
    const { code, out } = await fleet.run("why lonely -n shop");
    expect(code).toBe(1);
    expect(line(out, "Placed")).toMatch(/^Placed +no, NoPlacement: /);
    expect(line(out, "Nearly")).toContain("Placement shop/all");
  });

  test.each([
    { args: "web -n shop --cluster m9", says: 'there is no member cluster "m9"; name one of these: m1, m2' },
    { args: "placement/all -n shop", says: "`meridian explain placement/all`" },
  ])("refuses $args", async ({ args, says }) => {
    const { code, err } = await fleet.run(`why ${args}`);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

describe("status --wait", () => {
  const start = (args: string) =>
    startMeridian(["status", "--wait", ...args.split(" "), "--kubeconfig", fleet.file("hub")]);

  test("prints a line for each change, and ends when all is well", async () => {
    const waiting = start("web -n shop");
    await waiting.until(/^waiting for shop\/web \(QuotaExceeded\)\n$/);
    await fleet.report(DEMOAPPLICATIONS, "shop", "web", healthy);
    const { code, out, err } = await waiting.ended;
    await fleet.report(DEMOAPPLICATIONS, "shop", "web", failing);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")).toEqual([
      "waiting for shop/web (QuotaExceeded)",
      "m2: Available, 1 of 1 ready",
      "all is well",
      "",
    ]);
  });

  test("exits with 3 when the time is over, and names what is not well", async () => {
    const { code, out, err } = await start("web -n shop --timeout 200ms").ended;
    expect({ code, out }).toEqual({ code: 3, out: "waiting for shop/web (QuotaExceeded)\n" });
    expect(err).toMatch(/^meridian: not well after \S+: shop\/web \(QuotaExceeded\)\n$/);
  });

  test("goes with no other output", async () => {
    expect((await fleet.run("status --wait -o json")).code).toBe(2);
    expect((await fleet.run("status --wait --watch")).code).toBe(2);
  });
});

test("a shell completes names of other kinds, and clusters", async () => {
  const words = async (...typed: string[]): Promise<string[]> => {
    const running = startMeridian(
      ["__complete", ...typed, ""].flatMap((word, index) =>
        index === 0 ? [word, "--kubeconfig", fleet.file("hub")] : [word],
      ),
    );
    return (await running.ended).out.split("\n").map((row) => row.split("\t")[0] ?? "");
  };
  expect(await words("tree")).toEqual(
    expect.arrayContaining(["web", "configmap/settings", "membercluster/m1", "membercluster/m2"]),
  );
  expect(await words("why", "web", "--cluster")).toEqual(expect.arrayContaining(["m1", "m2"]));
});

test("a person without rights to Events is told so, and sees the rest", async () => {
  const file = await fleet.account("reader", "shop", [
    { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["get", "list", "watch"] },
  ]);
  const { code, out, err } = await fleet.run("describe web -n shop", file);
  expect(code).toBe(0);
  expect(out).toMatch(/^shop\/web\n/);
  const hidden = await fleet.run("get configmap", file);
  expect(hidden.code).toBe(2);
  expect(hidden.err).toMatch(/do not show whether an object of the kind "configmap" is placed: .* resourcebindings\n$/);
  expect(err).toContain("You may not list Events in namespace shop on the hub, so they are left out\n");
});
