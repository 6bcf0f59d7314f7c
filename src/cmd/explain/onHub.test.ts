import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Explanation } from "../../desiredstate/index.ts";
import { DEMOAPPLICATIONS, requestToken } from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { objectsOfFiles } from "../plan/state/files.ts";
import { connectMember, type Connection } from "../shared/connection.ts";
import { HubReader } from "../shared/index.ts";
import type { PlanReport } from "../plan/report.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `explain` on a hub of the sandbox, without a manager: what is said comes from the same decision. */

const FILES = new URL("testdata/files/", import.meta.url);
const never = new AbortController().signal;
let folder: string;
let hub: SandboxCluster;
let admin: Connection;
const hubFile = (): string => join(folder, "hub");
const tenantFile = (): string => join(folder, "tenant");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-explain-"));
  hub = await startSandboxCluster({ name: "hub", controllers: false });
  await writeFile(hubFile(), hub.kubeconfig({ namespace: "shop" }));
  admin = connectMember("hub", hubFile(), undefined);
  expect((await run(`install --crds-only --kubeconfig ${hubFile()}`)).code).toBe(0);
  await make({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const files = ["application.yaml", "overrides.yaml", "clusters.yaml"].map((name) => new URL(name, FILES).pathname);
  for (const { object } of await objectsOfFiles({ files, recursive: false, namespace: "shop" })) await make(object);
});

afterAll(async () => {
  await admin?.[Symbol.asyncDispose]();
  await hub?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function make(object: KubeObject): Promise<void> {
  const { status, ...rest } = object;
  const type = await new HubReader(admin, never).typeOf(object);
  if (type === undefined) throw new Error(`${object.kind} is not served`);
  const { namespace, name } = (await admin.client.create(type, rest as KubeObject)).metadata;
  if (status === undefined) return;
  const media = "application/merge-patch+json";
  await admin.client.patch(type, namespace, name, media, { status }, { subresource: "status" });
}

const run = (line: string): Promise<Ran> => runMeridian(line.split(" "));

async function explained(line: string): Promise<Explanation | undefined> {
  const { out } = await run(`explain ${line} -o json --kubeconfig ${hubFile()}`);
  return (JSON.parse(out) as { explanations: Explanation[] }).explanations[0];
}

describe("explain on a hub", () => {
  test("says the same as from the files that made it", async () => {
    const fromHub = await explained("nginx-demo");
    const { out } = await run(`explain nginx-demo --without-hub -n shop -f ${FILES.pathname} -o json`);
    expect(fromHub).toEqual((JSON.parse(out) as { explanations: Explanation[] }).explanations[0]);
  });

  test("takes files as if they had been applied, and writes nothing", async () => {
    const before = hub.resourceVersion();
    const text = await readFile(new URL("application.yaml", FILES), "utf8");
    const edited = join(folder, "edited.yaml");
    await writeFile(edited, text.replace("name: asia", "name: asia\n      exclude: [shanghai-1]"));
    const chosen = async (line: string): Promise<unknown> =>
      (await explained(line))?.clusters.flatMap(({ name, chosen: is }) => (is ? [name] : []));
    expect(await chosen("nginx-demo")).toEqual(["shanghai-1", "singapore-1"]);
    expect(await chosen(`nginx-demo -f ${edited}`)).toEqual(["singapore-1"]);
    expect(hub.resourceVersion()).toBe(before);
  });

  test("says that the object is being deleted, and what that waits for", async () => {
    const [type, namespace, name] = [DEMOAPPLICATIONS, "shop", "going"];
    const progressing = { type: "Progressing", status: "True", reason: "Deleting", message: "waits for a: held" };
    await make({
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { namespace, name, finalizers: ["example.com/hold"] },
      spec: { image: "nginx", replicas: 1 },
      status: { conditions: [{ ...progressing, lastTransitionTime: "2026-11-22T10:00:00Z" }] },
    } as KubeObject);
    await admin.client.delete(type, namespace, name);
    const since = (await admin.client.get(type, namespace, name)).metadata.deletionTimestamp;
    expect((await explained(name))?.deletion).toEqual({ since, message: "waits for a: held" });
  });

  test("names what is not there", async () => {
    expect(await run(`explain blog --kubeconfig ${hubFile()}`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/the hub has no DemoApplication "blog" in namespace shop/) as string,
    });
    expect((await run(`explain tea/pot --kubeconfig ${hubFile()}`)).err).toMatch(/serves no kind "tea"/);
    const short = `explain cm/pot --kubeconfig ${hubFile()}`;
    expect((await run(short)).err, "kinds have short names").toMatch(/has no ConfigMap "pot" in namespace shop/);
  });

  test("tells a tenant what the status says, and which kinds of the whole hub are hidden", async () => {
    const metadata = { name: "tenant", namespace: "shop" };
    const rbac = "rbac.authorization.k8s.io";
    await make({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    await make({
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: ["paas.cmft.com", "federation.paas.cmft.com"], resources: ["*"], verbs: ["get", "list"] }],
    });
    await make({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "tenant" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    });
    const request = { namespace: "shop", serviceAccount: "tenant", expirationSeconds: 3_600 };
    const { token } = await requestToken(admin.client, request);
    await writeFile(tenantFile(), hub.kubeconfig({ token, namespace: "shop" }));
    const { code, err } = await run(`explain nginx-demo --kubeconfig ${tenantFile()}`);
    expect(err).toMatch(
      /^Hidden from you: clusteroverridepolicies, clusterplacements, memberclusters\. .*ask the hub's/m,
    );
    expect(code).toBe(1);
    const namesOf = (text: string): unknown =>
      (JSON.parse(text) as { explanations: Explanation[] }).explanations[0]?.clusters.map(({ name, chosen }) => [
        name,
        chosen,
      ]);
    const asTenant = `explain nginx-demo -o json --kubeconfig ${tenantFile()}`;
    expect(namesOf((await run(asTenant)).out)).toEqual([]);
    const placement = { kind: "ClusterPlacement", name: "everywhere" };
    const clusters = ["shanghai-1", "singapore-1"].map((name) => ({
      name,
      state: "Available",
      replicas: { desired: 1, updated: 1, ready: 1, available: 1 },
      desiredHash: "h",
      observedHash: "h",
    }));
    const media = "application/merge-patch+json";
    const patch = { status: { placement, clusters } };
    await admin.client.patch(DEMOAPPLICATIONS, "shop", "nginx-demo", media, patch, { subresource: "status" });
    const answer = await run(asTenant);
    expect(`${answer.code} ${answer.err}`).toMatch(/^0 Hidden/);
    expect(namesOf(answer.out)).toEqual([
      ["shanghai-1", true],
      ["singapore-1", true],
    ]);
    expect((JSON.parse(answer.out) as { explanations: Explanation[] }).explanations[0]?.placement).toMatchObject(
      placement,
    );
    const [application = ""] = (await readFile(new URL("application.yaml", FILES), "utf8")).split("---");
    const edited = join(folder, "tenant.yaml");
    await writeFile(edited, application.replace(/image: .*/, "image: nginx:99"));
    const planned = await run(`plan -f ${edited} --hub-only -o json --kubeconfig ${tenantFile()}`);
    expect(planned.code).toBe(1);
    const { objects, notes } = JSON.parse(planned.out) as PlanReport;
    expect(objects[0]?.clusters.map(({ name, change }) => [name, change])).toEqual([
      ["shanghai-1", "Changed"],
      ["singapore-1", "Changed"],
    ]);
    expect(notes).toContainEqual(expect.stringMatching(/^Hidden from you: /));
  });
});
