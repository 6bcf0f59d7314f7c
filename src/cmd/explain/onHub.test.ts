import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Explanation } from "../../desiredstate/index.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { objectsOfFiles } from "../plan/state/files.ts";
import type { PlanReport } from "../plan/report.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `explain` on a hub of the sandbox, without a manager: what is said comes from the same decision. */

const FILES = new URL("testdata/files/", import.meta.url);
let fleet: SandboxHub;

beforeAll(async () => {
  fleet = await SandboxHub.start({ namespace: "shop", install: "--crds-only" });
  await fleet.makeNamespaces("shop");
  const files = ["application.yaml", "overrides.yaml", "clusters.yaml"].map((name) => new URL(name, FILES).pathname);
  for (const { object } of await objectsOfFiles({ files, recursive: false, namespace: "shop" })) {
    const { status, ...rest } = object;
    await fleet.make(rest as KubeObject);
    if (status !== undefined) await fleet.report(MEMBERCLUSTERS, undefined, object.metadata.name, status as object);
  }
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

async function explained(line: string): Promise<Explanation | undefined> {
  const { out } = await fleet.run(`explain ${line} -o json`);
  return (JSON.parse(out) as { explanations: Explanation[] }).explanations[0];
}

describe("explain on a hub", () => {
  test("says the same as from the files that made it", async () => {
    const fromHub = await explained("nginx-demo");
    const { out } = await fleet.run(`explain nginx-demo --without-hub -n shop -f ${FILES.pathname} -o json`);
    expect(fromHub).toEqual((JSON.parse(out) as { explanations: Explanation[] }).explanations[0]);
  });

  test("takes files as if they had been applied, and writes nothing", async () => {
    const before = fleet.hub.resourceVersion();
    const text = await readFile(new URL("application.yaml", FILES), "utf8");
    const edited = fleet.file("edited.yaml");
    await writeFile(edited, text.replace("name: asia", "name: asia\n      exclude: [shanghai-1]"));
    const chosen = async (line: string): Promise<unknown> =>
      (await explained(line))?.clusters.flatMap(({ name, chosen: is }) => (is ? [name] : []));
    expect(await chosen("nginx-demo")).toEqual(["shanghai-1", "singapore-1"]);
    expect(await chosen(`nginx-demo -f ${edited}`)).toEqual(["singapore-1"]);
    expect(fleet.hub.resourceVersion()).toBe(before);
  });

  test("says that the object is being deleted, and what that waits for", async () => {
    const [type, namespace, name] = [DEMOAPPLICATIONS, "shop", "going"];
    await fleet.make({
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { namespace, name, finalizers: ["example.com/hold"] },
      spec: { image: "nginx", replicas: 1 },
    } as KubeObject);
    const conditions = [condition("Progressing", "True", "Deleting", "waits for a: held")];
    await fleet.report(type, namespace, name, { conditions });
    await fleet.admin.client.delete(type, namespace, name);
    const since = (await fleet.admin.client.get(type, namespace, name)).metadata.deletionTimestamp;
    expect((await explained(name))?.deletion).toEqual({ since, message: "waits for a: held" });
  });

  test("names what is not there", async () => {
    expect(await fleet.run(`explain blog`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/the hub has no DemoApplication "blog" in namespace shop/) as string,
    });
    expect((await fleet.run(`explain tea/pot`)).err).toMatch(/serves no kind "tea"/);
    const short = `explain cm/pot`;
    expect((await fleet.run(short)).err, "kinds have short names").toMatch(/has no ConfigMap "pot" in namespace shop/);
  });

  test("tells a tenant what the status says, and which kinds of the whole hub are hidden", async () => {
    const tenant = await fleet.account("tenant", "shop", [
      { apiGroups: ["paas.cmft.com", "federation.paas.cmft.com"], resources: ["*"], verbs: ["get", "list"] },
    ]);
    const { code, err } = await fleet.run("explain nginx-demo", tenant);
    expect(err).toMatch(
      /^Hidden from you: clusteroverridepolicies, clusterplacements, memberclusters\. .*ask the hub's/m,
    );
    expect(code).toBe(1);
    const namesOf = (text: string): unknown =>
      (JSON.parse(text) as { explanations: Explanation[] }).explanations[0]?.clusters.map(({ name, chosen }) => [
        name,
        chosen,
      ]);
    const asTenant = "explain nginx-demo -o json";
    expect(namesOf((await fleet.run(asTenant, tenant)).out)).toEqual([]);
    const placement = { kind: "ClusterPlacement", name: "everywhere" };
    const clusters = ["shanghai-1", "singapore-1"].map((name) => ({
      name,
      state: "Available",
      replicas: { desired: 1, updated: 1, ready: 1, available: 1 },
      desiredHash: "h",
      observedHash: "h",
    }));
    await fleet.report(DEMOAPPLICATIONS, "shop", "nginx-demo", { placement, clusters });
    const answer = await fleet.run(asTenant, tenant);
    expect(`${answer.code} ${answer.err}`).toMatch(/^0 Hidden/);
    expect(namesOf(answer.out)).toEqual([
      ["shanghai-1", true],
      ["singapore-1", true],
    ]);
    expect((JSON.parse(answer.out) as { explanations: Explanation[] }).explanations[0]?.placement).toMatchObject(
      placement,
    );
    const [application = ""] = (await readFile(new URL("application.yaml", FILES), "utf8")).split("---");
    const edited = fleet.file("tenant.yaml");
    await writeFile(edited, application.replace(/image: .*/, "image: nginx:99"));
    const planned = await fleet.run(`plan -f ${edited} --hub-only -o json`, tenant);
    expect(planned.code).toBe(1);
    const { objects, notes } = JSON.parse(planned.out) as PlanReport;
    expect(objects[0]?.clusters.map(({ name, change }) => [name, change])).toEqual([
      ["shanghai-1", "Changed"],
      ["singapore-1", "Changed"],
    ]);
    expect(notes).toContainEqual(expect.stringMatching(/^Hidden from you: /));
  });
});
