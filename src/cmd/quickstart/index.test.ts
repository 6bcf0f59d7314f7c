import { once } from "node:events";
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
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

describe("--once --json", () => {
  test("prints the status with the replicas of each region, and leaves nothing behind", async () => {
    const { code, out, err } = await start({ regions: 3 }).ended;
    expect(code).toBe(0);
    expect(readyByCluster(out)).toEqual({ "cn-shanghai": 5, "ap-southeast-1": 3, "eu-central-1": 2 });
    const folder = /in (\S+) \(temporary\)/.exec(err)?.[1] ?? "";
    expect(folder).not.toBe("");
    await expect(access(folder)).rejects.toThrow("ENOENT");
  });

  test("gives up in time, with what was missing", async () => {
    const { ended, written } = start({ regions: 1, timeout: 1 });
    await expect(ended).rejects.toMatchObject({ exitCode: 3 });
    expect(written.err).toContain("cn-shanghai is not ready");
    expect(written.out).toBe("");
  });
});

describe("--dir", () => {
  test("keeps the state: the second run doubles nothing, undoes nothing and finds its ports again", async () => {
    expect((await start({ regions: 1, dir: dir() }).ended).code).toBe(0);
    const kubeconfig = join(dir(), "hub.kubeconfig");
    const before = await readFile(kubeconfig, "utf8");

    const second = start({ dir: dir(), once: false, json: false });
    await second.until(/Four things to try/);
    expect(await readFile(kubeconfig, "utf8")).toBe(before);
    await using hub = connectMember("hub", kubeconfig, undefined);
    const names = async (type: typeof MEMBERCLUSTERS) =>
      (await hub.client.list(type)).items.map(({ metadata }) => metadata.name);
    expect(await names(MEMBERCLUSTERS)).toEqual(["cn-shanghai"]);
    expect(await names(DEMOAPPLICATIONS)).toEqual(["nginx-demo"]);
    await hub.client.delete(OVERRIDEPOLICIES, "default", "cn-shanghai");
    await second.until(/cn-shanghai: Available, 2 of 2 ready/);
    second.stop();
    expect((await second.ended).code).toBe(0);

    const third = await start({ dir: dir() }).ended;
    expect(third.code).toBe(0);
    expect(readyByCluster(third.out)).toEqual({ "cn-shanghai": 2 });
    expect((await readdir(dir())).sort()).toEqual([
      "clusters",
      "cn-shanghai.kubeconfig",
      "hub.kubeconfig",
      "manager.log",
      "quickstart.json",
    ]);
  });

  test("is for one process at a time", async () => {
    const first = start({ regions: 1, dir: dir(), once: false });
    await first.until(/starting a hub/);
    await expect(start({ dir: dir() }).ended).rejects.toMatchObject({ exitCode: 2 });
    first.stop();
    expect((await first.ended).code).toBe(0);
  });
});

test("a region is broken and mended by an annotation on the hub, while the rest runs on", async () => {
  const run = start({ regions: 2, dir: dir(), once: false, json: false });
  await run.until(/Four things to try/);
  await using hub = connectMember("hub", join(dir(), "hub.kubeconfig"), undefined);
  const annotate = (value: string | null) =>
    hub.client.patch(MEMBERCLUSTERS, undefined, "ap-southeast-1", "application/merge-patch+json", {
      metadata: { annotations: { [FAULT_ANNOTATION]: value } },
    });
  await annotate("crash");
  await run.until(/ap-southeast-1: broken on purpose \(crash\)/);
  await run.until(/ap-southeast-1: Unknown, 3 of 3 ready \(ClusterUnreachable/);
  await annotate(null);
  await run.until(/ap-southeast-1: Unknown[\s\S]*ap-southeast-1: mended[\s\S]*ap-southeast-1: Available, 3 of 3 ready/);
  expect(run.written.out).not.toMatch(/cn-shanghai: Unknown/);
  run.stop();
  expect((await run.ended).code).toBe(0);
});

test("a port that is occupied is named", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await expect(start({ port }).ended).rejects.toMatchObject({
      exitCode: 2,
      // Others may have the ports that follow.
      message: expect.stringMatching(new RegExp(`^ports? ${port} \\(for hub\\)`)) as string,
    });
  } finally {
    server.close();
  }
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
