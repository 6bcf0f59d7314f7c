import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { clusterRole, definition } from "../../test/builders/index.ts";
import { type KubeObject, OBJECT_ANNOTATION } from "../apis/index.ts";
import {
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  EVENTS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  RESOURCEBINDINGS,
  type ResourceType,
} from "../runtime/index.ts";
import type { SandboxCluster } from "../sandbox/index.ts";
import { clusterUid, connectMember, type Connection, find } from "./shared/connection.ts";
import { type Ran, runMeridian, startMeridian } from "./testing/commandLine.ts";
import { condition, SandboxHub } from "./testing/sandboxHub.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Commands that read a hub, on a hub of the sandbox; what a manager would write stands there already. */

let fleet: SandboxHub;
let hub: SandboxCluster;
let member: SandboxCluster;
let admin: Connection;
const never = new AbortController().signal;

beforeAll(async () => {
  fleet = await SandboxHub.start();
  ({ hub, admin } = fleet);
  member = await fleet.join("m1");
  await fleet.makeNamespaces("shop", "blog");
  await fleet.report(MEMBERCLUSTERS, undefined, "m1", { kubernetesVersion: "v1.35.4" });
  await makeApplication("web", "shop", { tier: "front" }, ["m1"]);
  await makeApplication("api", "shop", { tier: "back" }, ["m1"]);
  await makeApplication("site", "blog", { tier: "front" }, []);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const start = (line: string, screen?: { columns: number; rows: number }) =>
  startMeridian([...line.split(" "), "--kubeconfig", fleet.file("hub")], {}, screen);
const onHub = (line: string, kubeconfig?: string): Promise<Ran> => fleet.run(line, kubeconfig);

function make(
  type: ResourceType,
  metadata: KubeObject["metadata"],
  rest: object = {},
  to = admin,
): Promise<KubeObject> {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return to.client.create(type, { apiVersion, kind: type.kind, metadata, ...rest });
}

async function makeApplication(
  name: string,
  namespace: string,
  labels: Record<string, string>,
  clusters: string[],
): Promise<void> {
  await make(DEMOAPPLICATIONS, { name, namespace, labels }, { spec: { image: "nginx", replica: 1 } });
  const counts = { desired: 1, updated: 1, ready: 1, available: 1 };
  const placed = clusters.length > 0;
  const conditions = placed
    ? ["Scheduled", "Applied", "Available", "Fresh"].map((type) => condition(type, "True"))
    : [condition("Scheduled", "False", "NoPlacement", "no Placement selects it")];
  await fleet.report(DEMOAPPLICATIONS, namespace, name, {
    observedGeneration: 1,
    conditions,
    replicas: placed ? counts : { ...counts, updated: 0, ready: 0, available: 0 },
    clusters: clusters.map((cluster) => ({ name: cluster, region: "eu", state: "Available", replicas: counts })),
  });
}

describe("cordon, drain and uncordon", () => {
  const taints = async (): Promise<unknown> => {
    const { spec } = (await admin.client.get(MEMBERCLUSTERS, undefined, "m1")) as KubeObject & { spec: object };
    return ("taints" in spec ? (spec.taints as { key: string; effect: string }[]) : []).map(
      ({ key, effect }) => `${key.split("/")[1]}:${effect}`,
    );
  };

  test("mark the MemberCluster, and say what is on the way", async () => {
    expect((await onHub("cordon m1 --dry-run")).out).toBe("membercluster/m1 cordoned (dry run)\n");
    expect(await taints()).toEqual([]);
    expect((await onHub("cordon m1")).out).toBe("membercluster/m1 cordoned\n");
    expect((await onHub("cordon m1")).out).toBe("membercluster/m1 already cordoned\n");
    expect((await onHub("status membercluster/m1")).out).toMatch(/^m1 +eu +True,Cordoned /m);
    const unasked = await onHub("drain m1");
    expect(unasked).toMatchObject({ code: 2, out: "" });
    expect(unasked.err).toMatch(/no terminal to ask on: give --yes, or .*`meridian plan --drain m1`/);
    expect(await taints()).toEqual(["unschedulable:NoSchedule"]);
    const drain = await onHub("drain m1 --yes --timeout 200ms");
    expect(drain.code).toBe(3);
    expect(drain.err).toMatch(/2 objects on m1 have not left in time .*run `meridian drain m1 --yes` again/s);
    expect(await taints()).toEqual(["unschedulable:NoSchedule", "drain:NoExecute"]);
    hub.faults.set({ latencyMs: [3_000, 3_000], only: ({ path }) => path.includes("demoapplications") });
    try {
      const blind = await onHub("drain m1 --yes --timeout 1s");
      expect(blind).toMatchObject({ code: 3, out: "" });
      expect(blind.err).toMatch(/copies on m1 could not be read within 1 s, .*`meridian cordon m1`/);
    } finally {
      hub.faults.clear();
    }
    expect((await onHub("uncordon m1")).out).toBe("membercluster/m1 uncordoned\n");
    expect(await taints()).toEqual([]);
    expect((await onHub("drain m2 --yes")).code).toBe(2);
  });
});

describe("status", () => {
  const shape = async (line: string) => {
    const { out } = await onHub(`status ${line} -o json`);
    const { objects, clusters } = JSON.parse(out) as {
      objects: { name: string }[];
      clusters: { name: string; objects: number }[];
    };
    return { objects: objects.map(({ name }) => name), counts: clusters.map(({ name, objects: n }) => `${name}:${n}`) };
  };

  test.each([
    { line: "-A", objects: ["site", "api", "web"], counts: ["m1:2"] },
    { line: "-n shop", objects: ["api", "web"], counts: ["m1:2"] },
    { line: "-n shop -l tier=front", objects: ["web"], counts: ["m1:1"] },
    { line: "-l tier=front", objects: ["site", "web"], counts: ["m1:1"] },
    { line: "-n blog", objects: ["site"], counts: [] },
    { line: "web", objects: ["web"], counts: ["m1:1"] },
    { line: "membercluster/m1", objects: [], counts: ["m1:2"] },
  ])("$line shows $objects, and clusters count only those", async ({ line, objects, counts }) => {
    expect(await shape(line)).toEqual({ objects, counts });
  });

  test.each([
    { line: "-n nowhere", says: "No resources found in nowhere namespace.\n" },
    { line: "-l tier=none", says: "No resources found with the labels tier=none.\n" },
    { line: "-n shop -l tier=none -o name", says: "No resources found with the labels tier=none in shop namespace.\n" },
  ])("$line says that there is nothing, as kubectl does", async ({ line, says }) => {
    expect(await onHub(`status ${line}`)).toEqual({ code: 0, out: "", err: says });
  });

  test("says of a selector that is none which flag it came by", async () => {
    const { code, out, err } = await onHub("status -l tier=(front)");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^meridian: -l "tier=\(front\)" is no selector of labels: the hub \(.*\) answers: /);
  });

  test("shows objects of other kinds beside the applications, by their bindings", async () => {
    const resource = { apiVersion: "v1", kind: "ConfigMap", namespace: "blog", name: "settings", uid: "u" };
    await make(RESOURCEBINDINGS, { name: "configmap.settings", namespace: "blog" }, { spec: { resource } });
    try {
      const counts = { desired: 0, updated: 0, ready: 0, available: 0 };
      await fleet.report(RESOURCEBINDINGS, "blog", "configmap.settings", {
        conditions: ["Scheduled", "Applied", "Available", "Fresh"].map((type) => condition(type, "True")),
        clusters: [{ name: "m1", region: "eu", state: "Available", replicas: counts }],
      });
      expect((await onHub("status -n blog -o name")).out).toBe(
        "configmap/settings\ndemoapplication.paas.cmft.com/site\nmembercluster.federation.paas.cmft.com/m1\n",
      );
      const { code, out } = await onHub("status configmap/settings");
      expect(out).toMatch(/^blog\/configmap\/settings +0\/0 +1\/1 /m);
      expect(code).toBe(0);
      expect(await shape("-n blog -l tier=front")).toEqual({ objects: ["site"], counts: [] });
      // They are not left out silently; where there are none, nothing is said.
      expect((await onHub("status -n blog -l tier=front")).err).toMatch(
        /^Labels choose among applications and bundles; /,
      );
      expect((await onHub("status -n shop -l tier=front")).err).toBe("");
    } finally {
      await admin.client.delete(RESOURCEBINDINGS, "blog", "configmap.settings");
    }
  });

  test("finds the hub in ~/.kube/config", async () => {
    const home = await mkdtemp(fleet.file("home-"));
    await writeHome(home, hub.kubeconfig());
    expect((await runMeridian(["status", "web"], { HOME: home })).out).toMatch(/^shop +web /m);
  });
});

async function writeHome(home: string, kubeconfig: string): Promise<void> {
  await mkdir(join(home, ".kube"));
  await writeFile(join(home, ".kube", "config"), kubeconfig);
}

describe("a tenant, who may read applications in one namespace and nothing else", () => {
  let file: string;

  beforeAll(async () => {
    file = await fleet.account("tenant", "shop", [
      { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["get", "list", "watch"] },
    ]);
  });

  test("sees it without naming it, and reads what is left out", async () => {
    const { code, out, err } = await onHub("status", file);
    expect(out).toMatch(/^OBJECT .*\nshop\/api .*\nshop\/web .*\n$/);
    expect(err).toBe(
      "Your rights do not reach every namespace: this is shop, the namespace of your context (-n shows another).\n" +
        "Your rights do not show member clusters, bundles and placed objects of other kinds, so they are left out (to see them, ask for the right to list and watch memberclusters, manifestbundles and resourcebindings).\n",
    );
    expect(code).toBe(0);
  });

  test("sees it by name", async () => {
    const { code, out } = await onHub("status web -n shop -o json", file);
    expect(JSON.parse(out)).toMatchObject({ objects: [{ name: "web", clusters: [{ name: "m1" }] }], clusters: [] });
    expect(code).toBe(0);
  });

  test.each(["-A", "-n blog", "membercluster/m1"])("is told why not with %s", async (line) => {
    const { code, err } = await onHub(`status ${line}`, file);
    expect(code).toBe(2);
    expect(err).toMatch(/ask its administrator for th(is|e) right/);
  });

  test("may watch it", async () => {
    const watching = startMeridian(["status", "--watch", "--kubeconfig", file]);
    await watching.until(/shop\/web in m1: Available, 1 of 1 ready/);
    watching.stop();
    expect((await watching.ended).code).toBe(0);
  });
});

/** As the manager records the end of a trouble. */
function recover(name: string, namespace: string, ago: number, note: string): Promise<KubeObject> {
  const time = (ms: number): string => new Date(Date.now() - ms).toISOString();
  const annotations = { "federation.paas.cmft.com/since": time(ago + 720_000) };
  return make(
    EVENTS,
    { name: `${name}.${ago}`, namespace, annotations },
    {
      eventTime: time(ago).replace("Z", "000Z"),
      reportingController: "paas.cmft.com/meridian",
      reportingInstance: "test",
      ...{ type: "Normal", reason: "Recovered", action: "Run", note },
      regarding: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace, name },
    },
  );
}

describe("status --watch", () => {
  test("begins with the causes as status does, and tells what ended before and meanwhile", async () => {
    await recover("site", "blog", 180_000, "healthy again on m1 (CrashLoopBackOff for 12m)");
    await recover("web", "shop", 60_000, "of another namespace");
    const watching = start("status --watch -n blog");
    await watching.until(/ended 3m ago: blog\/site: healthy again on m1 \(CrashLoopBackOff for 12m\)/);
    await recover("site", "blog", 1_000, "over: NoPlacement for 5m");
    await watching.until(/ended \ds ago: blog\/site: over: NoPlacement for 5m/);
    const counts = { desired: 1, updated: 1, ready: 0, available: 0 };
    const failed = { name: "m1", state: "Failed", reason: "QuotaExceeded", replicas: counts };
    await fleet.report(DEMOAPPLICATIONS, "blog", "site", { clusters: [failed] });
    await watching.until(/cause QuotaExceeded on m1 \(blog\/site\): \w+/);
    await fleet.report(DEMOAPPLICATIONS, "blog", "site", { clusters: [] });
    watching.stop();
    const { code, out } = await watching.ended;
    expect(code).toBe(1);
    expect(out).toMatch(/^CAUSE +CLUSTERS +OBJECTS +SINCE +NEXT STEP *\nNoPlacement +- +blog\/site /);
    expect(out).not.toContain("of another namespace");
    const { out: table } = await onHub("status -n blog");
    expect(table.slice(table.indexOf("ENDED"))).toMatch(
      /^ENDED +LASTED +OF +WHAT\n.*\n3m ago +12m +blog\/site +healthy/,
    );
  });

  test("draws the causes above the rows on a terminal, and what has ended below them", async () => {
    await recover("site", "blog", 120_000, "healthy again on m1");
    const watching = start("status --watch -n blog", { columns: 120, rows: 40 });
    await watching.until(
      /\nCAUSE .*\nNoPlacement .*\n\nREGION .*\n[^]*\n\nENDED .*\n[^]*2m ago +12m +blog\/site +healthy again on m1\n/,
    );
    watching.stop();
    expect((await watching.ended).code).toBe(1);
  });

  test("goes on when what was named goes away", async () => {
    await makeApplication("brief", "blog", {}, ["m1"]);
    const watching = start("status --watch brief membercluster/m1");
    await watching.until(/m1: Available, 1 of 1 ready/);
    await admin.client.delete(DEMOAPPLICATIONS, "blog", "brief");
    await watching.until(/m1: Ready/);
    watching.stop();
    expect((await watching.ended).code).toBe(0);
  });
});

describe("unjoin --dry-run", () => {
  test("counts what runs there, names what would go, and writes nothing", async () => {
    await using there = connectMember("m1", fleet.file("m1"), undefined);
    const hubId = await clusterUid(admin.client, never);
    const labels = { "federation.paas.cmft.com/managed-by": hubId };
    const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "x", image: "x" }] } };
    const spec = { selector: { matchLabels: { app: "x" } }, template };
    const annotations = { [OBJECT_ANNOTATION]: "apps/Deployment/default/x" };
    await make(DEPLOYMENTS, { name: "x", namespace: "default", labels, annotations }, { spec }, there);
    // Kubernetes copies labels, too: what does not name itself is nobody's business.
    await make(DEPLOYMENTS, { name: "copied", namespace: "default", labels }, { spec }, there);
    const before = [hub.resourceVersion(), member.resourceVersion()];

    const orphan = await onHub("unjoin m1 --dry-run");
    expect(orphan).toMatchObject({ code: 0, err: "" });
    expect(orphan.out.replaceAll(/meridian-[0-9a-f]{8}/g, "ACCOUNT")).toBe(
      [
        "1 object of Meridian on m1: left running, no longer managed (dry run)",
        "membercluster/m1: removed from the hub (dry run)",
        "secret/m1: removed from namespace meridian-system of the hub (dry run)",
        "clusterrole/ACCOUNT, with its binding: removed from m1 (dry run)",
        "validatingadmissionpolicy/ACCOUNT, with its binding, if join made one: removed from m1 (dry run)",
        "serviceaccount/ACCOUNT in namespace meridian-system, with its role and binding: removed from m1 (dry run)",
        "namespace/meridian-system, if join made it and nothing else is in it: removed from m1 (dry run)",
        "",
      ].join("\n"),
    );
    expect((await onHub("unjoin m1 --drain --dry-run")).out).toMatch(
      /^1 object of Meridian on m1: deleted \(dry run\)$/m,
    );
    expect([hub.resourceVersion(), member.resourceVersion()]).toEqual(before);
  });

  test("says what would wait, and what would be left", async () => {
    const finalizers = ["federation.paas.cmft.com/member-cluster"];
    const patch = (value: string[] | null) =>
      fleet.patch(MEMBERCLUSTERS, undefined, "m1", { metadata: { finalizers: value } });
    await patch(finalizers);
    const held = await onHub("unjoin m1 --dry-run");
    expect(held.code).toBe(1);
    expect(held.err).toBe("No manager runs on the hub, and m1 would wait for one: start one first, or add --force.\n");
    expect((await onHub("unjoin m1 --dry-run --force")).code).toBe(0);
    await patch(null);
    member.faults.set({ partition: "refuse" });
    try {
      const away = await onHub("unjoin m1 --dry-run");
      expect(away.code).toBe(1);
      expect(away.err).toMatch(
        /^What join made there would be left: member m1 \(https:.*, the kubeconfig that the hub stores of it\) was not reached/,
      );
    } finally {
      member.faults.clear();
    }
  });

  test("of a cluster that there is not names those that there are", async () => {
    expect(await onHub("unjoin nope --dry-run")).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^meridian: the hub \(https:.*\) has no member cluster nope; name one of these: m1\n$/,
      ) as string,
    });
  });
});

describe("completion", () => {
  const completed = (line: string): Promise<Ran> =>
    runMeridian(["__complete", "--kubeconfig", fleet.file("hub"), ...line.split(" ")]);

  test("offers names from the hub", async () => {
    expect((await completed("unjoin m")).out).toBe("m1\n:4\n");
    expect((await completed("status -n shop w")).out).toBe("web\tDemoApplication\n:4\n");
    expect((await completed("status --context h")).out).toBe("hub\n:4\n");
    expect((await completed("status -n bl")).out).toBe("blog\n:4\n");
    const rolledOut = await completed("rollout status -n shop w");
    expect(rolledOut.out).toBe("web\tDemoApplication\n:4\n");
  });

  test("offers nothing, and says nothing, where there is no hub", async () => {
    expect(await runMeridian(["__complete", "unjoin", "m"])).toEqual({ code: 0, out: ":4\n", err: "" });
  });
});

describe("a bundle that is applied", () => {
  const ALLOWED = "federation.paas.cmft.com/allowed-bundle-kinds";
  const MANIFESTS = ["role", "definition"].map((name) => `${name}.yaml`);

  beforeAll(async () => {
    await writeFile(fleet.file("role.yaml"), JSON.stringify(clusterRole("op")));
    await writeFile(fleet.file("definition.yaml"), JSON.stringify(definition()));
  });
  const applied = (namespace: string): Promise<Ran> =>
    onHub(`bundle create op -n ${namespace} ${MANIFESTS.map((name) => `-f ${fleet.file(name)}`).join(" ")} --apply`);
  const stored = (namespace: string): Promise<KubeObject | undefined> =>
    find(admin.client, MANIFESTBUNDLES, namespace, "op", never);

  test("is not stored where the hub would send nothing of it; the command that allows it keeps what was allowed before", async () => {
    await make(NAMESPACES, { name: "ops", annotations: { [ALLOWED]: "Role" } });
    const refused = await applied("ops");
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      `nothing was applied: \`kubectl annotate --overwrite namespace ops ${ALLOWED}=ClusterRole,CustomResourceDefinition,Role --kubeconfig ${fleet.file("hub")}\``,
    );
    expect(refused.err.indexOf("brings the definition")).toBeLessThan(refused.err.indexOf("nothing was applied"));
    expect(await stored("ops")).toBeUndefined();
  });

  test("is stored where the hub allows it, and nothing is asked for again", async () => {
    await make(NAMESPACES, { name: "allowing", annotations: { [ALLOWED]: "ClusterRole,CustomResourceDefinition" } });
    const { code, err } = await applied("allowing");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("manifestbundle/op applied in allowing\n") });
    expect(err).not.toContain("kubectl annotate");
    expect(await stored("allowing")).toBeDefined();
  });

  test("needs its namespace on the hub", async () => {
    const { code, err } = await applied("nowhere");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`\`kubectl create namespace nowhere --kubeconfig ${fleet.file("hub")}\``),
    ]);
  });

  test("is not asked for definitions that the hub serves already", async () => {
    await admin.client.apply(CRDS, definition(), { fieldManager: "test", signal: never });
    await vi.waitFor(
      async () => expect((await applied("allowing")).err).not.toContain("brings the definition"),
      10_000,
    );
  });
});
