import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { crdNameOf, KINDS, type KubeObject } from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import {
  eventually,
  type Fleet,
  type Manager,
  meridian,
  meridianOk,
  type Plane,
  startManager,
} from "../envtest/index.ts";
import {
  ADMISSION,
  applications,
  asManager,
  clear,
  CRDS,
  expectNoTraces,
  type Installation,
  running,
  setUp,
  SYSTEM,
  traces,
  uninstall,
  end,
  startFleet,
} from "./installation.ts";
import { collectionPath, configMap, objectPath } from "./objects.ts";

/**
 * Meridian comes to a hub with `install` and leaves it with `uninstall`. Every test begins and ends with clusters on which there is
 * nothing of Meridian.
 */

const CLUSTER_ROLE = objectPath("ClusterRole", undefined, `meridian-manager-${SYSTEM}`);
const SHOP = objectPath("DemoApplication", "default", "shop");
const DRAIN = ["--drain", "--yes"];
const ORPHAN = ["--orphan", "--yes"];

let fleet: Fleet<Plane>;
let hub: Plane;
let installation: Installation | undefined;

beforeAll(async () => {
  fleet = await startFleet();
  hub = fleet.hub;
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  await end(installation, task.result?.state === "fail");
  installation = undefined;
});

async function installed(...managerArgs: string[]): Promise<Manager> {
  installation = await setUp(fleet, managerArgs);
  return installation.manager;
}

const everything = (): Plane[] => [hub, ...fleet.members.map(({ plane }) => plane)];
const crds = async (): Promise<string[]> => (await hub.api.list(CRDS)).map(({ metadata }) => metadata.name);

describe("install", () => {
  test("with --dry-run changes nothing and names everything", async () => {
    const { stdout } = await meridianOk(hub, ["install", "--dry-run", "--secrets-of", "default"]);
    expect(stdout).toContain(`namespace/${SYSTEM} created (dry run)\n`);
    expect(stdout).toContain(`clusterrole/meridian-manager-${SYSTEM} created (dry run)\n`);
    expect(stdout).toContain(`rolebinding/meridian-manager in namespace ${SYSTEM} created (dry run)\n`);
    expect(await traces(hub)).toEqual([]);
  });

  test("writes nothing when the hub refuses any of it, and says which and why", async () => {
    const taken = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules: [] };
    await hub.api.apply(CLUSTER_ROLE, { ...taken, metadata: { name: `meridian-manager-${SYSTEM}` } });
    const { code, stdout, stderr } = await meridian(hub, ["install", "--secrets-of", "no-such-namespace"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(
      `clusterrole/meridian-manager-${SYSTEM}: the hub has an object of that name that is not Meridian's`,
    );
    expect(stderr).toMatch(/role\/meridian-manager-\S+ in namespace no-such-namespace: .*not found/);
    expect(stderr).toMatch(/nothing was written: .* run install again\n$/);
    expect(await crds()).toEqual([]);
    await hub.api.delete(CLUSTER_ROLE);
  });

  test("of the CRDs only brings nothing else, and can be completed, and repeated without a change", async () => {
    await meridianOk(hub, ["install", "--crds-only"]);
    expect((await traces(hub)).map((trace) => trace.split("/")[0])).toEqual(
      Array(KINDS.length).fill("customresourcedefinitions"),
    );
    const { stdout } = await meridianOk(hub, ["install"]);
    expect(stdout).toContain(`serviceaccount/meridian-manager in namespace ${SYSTEM} created\n`);
    const again = await meridianOk(hub, ["install"]);
    expect(
      again.stdout
        .trim()
        .split("\n")
        .filter((line) => !line.endsWith(" unchanged")),
    ).toEqual([]);
    expect(await uninstall(hub, ["--yes"])).toMatchObject({ code: 0 });
    await expectNoTraces([hub]);
  });

  test("leaves alone what a Helm release owns, and names it", async () => {
    await meridianOk(hub, ["install"]);
    const owner = {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "fed", "meta.helm.sh/release-namespace": "ops" },
    };
    await hub.api.patch(CLUSTER_ROLE, "merge", { metadata: owner, rules: [] });
    const { stdout } = await meridianOk(hub, ["install"]);
    expect(stdout).toContain("left to the Helm release fed in namespace ops\n");
    expect(await hub.api.get<KubeObject & { rules: unknown }>(CLUSTER_ROLE)).toMatchObject({ rules: null });
    // What is Helm's now goes with Helm.
    expect(await uninstall(hub, ["--yes"])).toMatchObject({
      code: 1,
      output: expect.stringContaining("helm uninstall fed -n ops") as string,
    });
    // Who said what becomes of the objects goes on with that command.
    expect(await uninstall(hub, ["--orphan", "--yes"])).toMatchObject({ code: 0 });
    expect(await crds()).toHaveLength(KINDS.length);
    await hub.api.delete(CLUSTER_ROLE);
    expect(await uninstall(hub, ["--yes"])).toMatchObject({ code: 0 });
    await expectNoTraces([hub]);
  });
});

describe("uninstall", () => {
  test("of a hub without Meridian is done at once", async () => {
    expect(await uninstall(hub, [])).toEqual({ code: 0, output: "Meridian was removed from this hub" });
  });

  test("refuses, asks and tells before it does anything; then drains everything", async () => {
    const manager = await installed();
    const before = await Promise.all(fleet.members.map(running));
    const refused = await uninstall(hub, ["--yes"]);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(
      /^3 demoapplications, 1 placement, 1 clusterplacement and 2 memberclusters are on the hub/,
    );
    expect(refused.output).toMatch(/--drain .*\n.*--orphan/);

    expect(await uninstall(hub, ["--drain"])).toMatchObject({
      code: 2,
      output: expect.stringContaining("--yes") as string,
    });

    const told = await uninstall(hub, ["--drain", "--dry-run"]);
    expect(told.code).toBe(0);
    expect(told.output).toContain("delete 3 demoapplications (dry run)");
    expect(told.output).toContain(`delete ${KINDS.length} customresourcedefinitions (dry run)`);

    // A label of an application is one of its Deployment, too: only until here must nothing have changed.
    expect(await Promise.all(fleet.members.map(running))).toEqual(before);

    await hub.api.patch(SHOP, "merge", { metadata: { labels: { "paas.cmft.com/deletion-protection": "true" } } });
    const guarded = await uninstall(hub, DRAIN);
    expect(guarded).toMatchObject({ code: 1, output: expect.stringContaining("default/shop") as string });
    await hub.api.patch(SHOP, "merge", { metadata: { labels: { "paas.cmft.com/deletion-protection": null } } });
    const { code, output } = await uninstall(hub, DRAIN, manager);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain("demoapplication default/shop removed");
    expect(output).toContain("membercluster shanghai-1 removed");
    await expectNoTraces(everything());
  });

  test("without a manager says so, and with --orphan leaves what runs untouched", async () => {
    const manager = await installed();
    await manager.stop();
    const before = await Promise.all(fleet.members.map(running));
    const drained = await uninstall(hub, DRAIN);
    expect(drained).toMatchObject({ code: 2, output: expect.stringContaining("none is alive") as string });
    expect(await hub.api.list(collectionPath("DemoApplication"))).toHaveLength(3);

    const { code, output } = await uninstall(hub, ORPHAN);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain("left running on shanghai-1: default/shop, team-a/api, team-a/web");
    expect(output).toContain("left running on frankfurt-1: default/shop, team-a/web");
    expect(await Promise.all(fleet.members.map(running))).toEqual(before);
    await expectNoTraces(everything());
    await clear(fleet.members);
  });

  test("with --orphan leaves what runs untouched also under a manager that is at work", async () => {
    const manager = await installed();
    const before = await Promise.all(fleet.members.map(running));
    const { code, output } = await uninstall(hub, ORPHAN, manager);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(await Promise.all(fleet.members.map(running))).toEqual(before);
    await expectNoTraces(everything());
    await clear(fleet.members);
  });

  test("two at once get in nobody's way", async () => {
    const manager = await installed();
    const both = await Promise.all([uninstall(hub, DRAIN, manager), uninstall(hub, DRAIN, manager)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    await expectNoTraces(everything());
  });

  test("names the member that holds it back when the time is up, and goes on when begun again", async () => {
    const manager = await installed();
    await fleet.member("frankfurt-1").plane.stop();
    try {
      const late = await uninstall(hub, [...DRAIN, "--timeout", "8s"]);
      expect(late).toMatchObject({
        code: 3,
        output: expect.stringMatching(/time is up, still waiting for .*frankfurt-1/) as string,
      });
      expect(late.output).toMatch(/^demoapplication default\/shop; default\/shop waits for .*frankfurt-1/m);
      expect(late.output).not.toMatch(/^demoapplication team-a\/api/m);
      expect(await crds()).toHaveLength(KINDS.length);
    } finally {
      await fleet.member("frankfurt-1").plane.start();
    }
    expect(await uninstall(hub, DRAIN, manager)).toMatchObject({ code: 0 });
    await expectNoTraces(everything());
  });

  test("names a member that keeps its account, in every run until the account is removed", async () => {
    const manager = await installed();
    const frankfurt = fleet.member("frankfurt-1").plane;
    await frankfurt.stop();
    try {
      const first = await uninstall(hub, ORPHAN, manager);
      const again = await uninstall(hub, ["--yes"]);
      for (const { code, output } of [first, again]) {
        expect({ code, output }).toMatchObject({ code: 1 });
        expect(output).toMatch(/kubectl delete clusterrole,clusterrolebinding meridian-/);
        expect(output).toMatch(/kubectl delete validatingadmissionpolicybinding,validatingadmissionpolicy meridian-/);
        expect(output).toContain("Meridian still has rights or marks on frankfurt-1");
        expect(output).not.toContain("Meridian was removed from this hub");
      }
      expect(await crds()).toEqual([]);
    } finally {
      await frankfurt.start();
    }
    expect(await uninstall(hub, ["--yes"])).toMatchObject({ code: 0 });
    await clear(fleet.members);
    await expectNoTraces(everything());
  });

  test("leaves a namespace in which somebody keeps something, and the CRDs when told so", async () => {
    const manager = await installed();
    const kept = configMap(SYSTEM, "runbook", { a: "b" });
    await hub.api.apply(objectPath("ConfigMap", SYSTEM, "runbook"), kept);
    const { code, output } = await uninstall(hub, [...DRAIN, "--keep-crds"], manager);
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toContain(`left: namespace/${SYSTEM} holds ConfigMap runbook`);
    expect(await crds()).toHaveLength(KINDS.length);
    expect(await hub.api.get(objectPath("ConfigMap", SYSTEM, "runbook"))).toMatchObject({ data: { a: "b" } });
    await hub.api.delete(objectPath("ConfigMap", SYSTEM, "runbook"));
    expect(await uninstall(hub, ["--yes"])).toMatchObject({ code: 0 });
    await expectNoTraces(everything());
  });

  test("leaves a running application on the hub itself, where it is a member", async () => {
    await meridianOk(hub, ["install", "--local-member"]);
    const manager = await startManager({ hub: await asManager(fleet), folder: fleet.dir });
    installation = { manager };
    const here = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", metadata: { name: "here" } };
    await hub.api.apply(objectPath("MemberCluster", undefined, "here"), {
      ...here,
      spec: { connection: { local: {} } },
    });
    const [shop] = applications();
    await hub.api.apply(SHOP, shop);
    const path = objectPath("Deployment", "default", "shop");
    const { metadata } = await eventually(() => hub.api.get(path));
    expect(metadata.ownerReferences).toHaveLength(1);
    const { code, output } = await uninstall(hub, ORPHAN, manager);
    expect({ code, output }).toMatchObject({ code: 0 });
    const left = await hub.api.get(path);
    expect(left.metadata).toMatchObject({ uid: metadata.uid });
    expect(left.metadata.ownerReferences).toBeUndefined();
    await clear([{ name: "hub", region: "", plane: hub }]);
    await expectNoTraces([hub]);
  });

  test("takes back the webhooks of a manager that died, which would refuse everything", async () => {
    const port = await freePort();
    const manager = await installed(
      "--webhooks",
      "--webhook-port",
      `${port}`,
      "--webhook-url",
      `https://127.0.0.1:${port}`,
    );
    await eventually(async () => {
      for (const path of ADMISSION) expect(await hub.api.list(path)).toHaveLength(1);
    });
    const before = await Promise.all(fleet.members.map(running));
    await manager.kill();
    // As long as the Lease does not show it, the webhooks do.
    expect(await uninstall(hub, ORPHAN)).toMatchObject({
      code: 2,
      output: expect.stringContaining("nobody answers at a webhook") as string,
    });
    await eventually(
      async () =>
        expect(await uninstall(hub, DRAIN)).toMatchObject({
          code: 2,
          output: expect.stringContaining("none is alive") as string,
        }),
      { timeout: 90_000 },
    );
    const { code, output } = await uninstall(hub, [...ORPHAN, "--keep-crds"]);
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const kind of KINDS) {
      const crd = await hub.api.get<KubeObject & { spec: { conversion: unknown } }>(`${CRDS}/${crdNameOf(kind)}`);
      expect(crd.spec.conversion, kind.kind).toEqual({ strategy: "None" });
    }
    for (const path of ADMISSION) expect(await hub.api.list(path)).toEqual([]);
    expect(await Promise.all(fleet.members.map(running))).toEqual(before);
    expect(await uninstall(hub, ["--yes"])).toMatchObject({ code: 0 });
    await clear(fleet.members);
    await expectNoTraces(everything());
  });
});
