import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  isNotFound,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  SERVICEACCOUNTS,
} from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember } from "../shared/connection.ts";
import { recorded, type Running } from "../testing/commandLine.ts";
import type { StatusReport } from "../view/statusView.ts";
import { FAULT_ANNOTATION } from "./fleet/faultPlan.ts";
import { quickstart } from "./index.ts";
import type { QuickstartOptions } from "./verb.ts";

// Whole federations, on the machine's own clock.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

const OPTIONS: QuickstartOptions = {
  logLevel: "info",
  once: true,
  json: true,
  timeout: 60_000,
  real: false,
  keep: false,
};

const start = (options: Partial<QuickstartOptions>): Running =>
  recorded((context) => quickstart({ ...OPTIONS, ...options }, context));

/** Name of each cluster with the replicas that are ready there. */
function readyByCluster(json: string): Record<string, number> {
  const { objects } = JSON.parse(json) as StatusReport;
  return Object.fromEntries(
    objects.flatMap(({ clusters }) => clusters.map(({ name, replicas }) => [name, replicas.ready] as const)),
  );
}

let parent: string;
const dir = (): string => join(parent, "state");
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "meridian-quickstart-test-"));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test("--once gives up in time, with what was missing", async () => {
  const { ended, written } = start({ regions: 1, timeout: 1 });
  await expect(ended).rejects.toMatchObject({ exitCode: 3 });
  expect(written.err).toContain("cn-shanghai is not ready");
  expect(written.out).toBe("");
});

test("--dir keeps the state: a second run doubles nothing, undoes nothing and finds its ports again", async () => {
  const first = await start({ regions: 2, dir: dir() }).ended;
  expect(first.code).toBe(0);
  expect(readyByCluster(first.out)).toEqual({ "cn-shanghai": 5, "ap-southeast-1": 3 });
  const kubeconfig = join(dir(), "hub.kubeconfig");
  const before = await readFile(kubeconfig, "utf8");

  const second = start({ dir: dir(), once: false, json: false });
  await second.until(/Four things to try/);
  expect(await readFile(kubeconfig, "utf8")).toBe(before);
  await using hub = connectMember("hub", kubeconfig, undefined);
  const names = async (type: typeof MEMBERCLUSTERS) =>
    (await hub.client.list(type)).items.map(({ metadata }) => metadata.name);
  expect(await names(MEMBERCLUSTERS)).toEqual(["ap-southeast-1", "cn-shanghai"]);
  expect(await names(DEMOAPPLICATIONS)).toEqual(["nginx-demo"]);
  await hub.client.delete(OVERRIDEPOLICIES, "default", "cn-shanghai");
  await second.until(/cn-shanghai: Available, 2 of 2 ready/);

  // What becomes of a broken region is tried on the page that names these commands.
  const annotate = (value: string | null) => {
    const patch = { metadata: { annotations: { [FAULT_ANNOTATION]: value } } };
    return hub.client.patch(MEMBERCLUSTERS, undefined, "ap-southeast-1", "application/merge-patch+json", patch);
  };
  await using member = connectMember("m", join(dir(), "ap-southeast-1.kubeconfig"), undefined);
  await annotate("crash");
  await second.until(/ap-southeast-1: broken on purpose \(crash\)/);
  await expect(member.client.list(DEPLOYMENTS)).rejects.toThrow();
  await annotate(null);
  await second.until(/ap-southeast-1: mended/);
  expect((await member.client.list(DEPLOYMENTS)).items).toHaveLength(1);
  second.stop();
  expect((await second.ended).code).toBe(0);

  const third = await start({ dir: dir() }).ended;
  expect(third.code).toBe(0);
  expect(readyByCluster(third.out)).toEqual({ "cn-shanghai": 2, "ap-southeast-1": 3 });
  expect((await readdir(dir())).sort()).toEqual([
    "ap-southeast-1.kubeconfig",
    "clusters",
    "cn-shanghai.kubeconfig",
    "hub.kubeconfig",
    "manager.log",
    "quickstart.json",
  ]);
});

describe("clusters of the person", () => {
  let hub: SandboxCluster;
  let member: SandboxCluster;
  beforeAll(async () => {
    [hub, member] = await Promise.all([
      startSandboxCluster({ name: "my-hub" }),
      startSandboxCluster({ name: "my-member" }),
    ]);
  });
  afterAll(() => Promise.all([hub?.stop(), member?.stop()]));

  async function given(token?: string): Promise<NonNullable<QuickstartOptions["given"]>> {
    const [hubFile, memberFile] = [join(parent, "hub.yaml"), join(parent, "member.yaml")];
    await writeFile(hubFile, hub.kubeconfig());
    await writeFile(memberFile, member.kubeconfig(token === undefined ? {} : { token }));
    return { hub: hubFile, members: [{ name: "m1", kubeconfig: memberFile, region: "moon" }] };
  }

  test("run the sample in whatever region they are, and are left as they were", async () => {
    const { code, out, err } = await start({ given: await given() }).ended;
    expect(code).toBe(0);
    expect(readyByCluster(out)).toEqual({ m1: 2 });
    expect(err).toContain("removing what quickstart made on your clusters");
    expect(err).not.toContain("left on your clusters");
    await using hubNow = connectMember("hub", join(parent, "hub.yaml"), undefined);
    await using memberNow = connectMember("m1", join(parent, "member.yaml"), undefined);
    expect((await hubNow.client.list(CRDS)).items).toEqual([]);
    expect((await memberNow.client.list(DEPLOYMENTS)).items).toEqual([]);
    for (const { client } of [hubNow, memberNow])
      await expect(client.get(NAMESPACES, undefined, "meridian-system")).rejects.toSatisfy(isNotFound);
  });

  test("without the rights are not touched, and what is missing is listed", async () => {
    await using admin = connectMember("m1", (await given()).members[0]?.kubeconfig ?? "", undefined);
    const metadata = { name: "poor", namespace: "default" };
    await admin.client.create(SERVICEACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const { status } = (await admin.client.raw("POST", "/api/v1/namespaces/default/serviceaccounts/poor/token", {
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
    })) as { status: { token: string } };
    const { ended, written } = start({ given: await given(status.token) });
    await expect(ended).rejects.toMatchObject({
      exitCode: 2,
      message: "rights are missing on m1 (listed above): use an administrator's kubeconfig",
    });
    expect(written.err).toContain("m1: the kubeconfig's user may not\n");
    expect(written.err).toContain("get, create, patch, delete clusterroles.rbac.authorization.k8s.io\n");
    await using hubNow = connectMember("hub", join(parent, "hub.yaml"), undefined);
    expect((await hubNow.client.list(CRDS)).items).toEqual([]);
  });
});
