import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  requestToken,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import { connectMember } from "../shared/connection.ts";
import { SandboxHub } from "../testing/sandboxHub.ts";
import type { PlanReport } from "./report.ts";
import { application, placement, runsOn, secret } from "./testing/objects.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `plan` on clusters of the sandbox, without a manager. That what it says is what happens, test/e2e/planPrediction.ts shows. */

const never = new AbortController().signal;
let fleet: SandboxHub;

beforeAll(async () => {
  fleet = await SandboxHub.start({ namespace: "shop" });
  for (const name of ["m1", "m2"]) await fleet.join(name);
  await fleet.makeNamespaces("shop");
  for (const object of [secret, application(), placement(["m1"])]) await fleet.make(object);
  await fleet.report(DEMOAPPLICATIONS, "shop", "web", runsOn("m1"));
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const fileOf = (...objects: unknown[]): Promise<string> => fleet.fileOf(...objects);
const planned = (line: string, kubeconfig?: string) => fleet.run(`plan ${line}`, kubeconfig);

async function reported(line: string): Promise<PlanReport> {
  const { code, out, err } = await planned(`${line} -o json`);
  expect({ code, err }).toEqual({ code: 1, err: "" });
  return JSON.parse(out) as PlanReport;
}

describe("plan", () => {
  test("says nothing and ends with 0 where nothing changes", async () => {
    const file = await fileOf(application(), placement(["m1"]));
    expect(await planned(`-f ${file} --hub-only`)).toEqual({
      code: 0,
      out: "0 objects on 0 of 2 clusters: 0 created, 0 changed, 0 moved, 0 deleted\n",
      err: "",
    });
  });

  test("shows what a changed object becomes, with what the hub sends now where members are not asked", async () => {
    const file = await fileOf(application({ image: "nginx:1.28", replica: 3 }));
    const { code, out } = await planned(`-f ${file} --hub-only`);
    expect(out).toBe(
      [
        "1 object on 1 of 2 clusters: 0 created, 1 changed, 0 moved, 0 deleted",
        "",
        "demoapplication/web in namespace shop, placed by Placement shop/some",
        "  ~ changed on m1: 3 replicas instead of 2",
        "      ~ Deployment web",
        "          spec.replicas: 2 -> 3",
        "          spec.template.spec.containers[name=web].image: nginx:1.27 -> nginx:1.28",
        "",
      ].join("\n"),
    );
    expect(code).toBe(1);
  });

  test("asks the members, and writes nothing anywhere", async () => {
    const versions = (): string[] => [fleet.hub, ...fleet.members].map((cluster) => cluster.resourceVersion());
    const before = versions();
    const file = await fileOf(application({}, "new"));
    const { summary, objects, notes } = await reported(`-f ${file}`);
    expect(summary.text).toBe("1 object on 1 of 2 clusters: 1 created, 0 changed, 0 moved, 0 deleted");
    expect(objects[0]?.clusters[0]).toMatchObject({ name: "m1", change: "Created", replicas: { after: 2 } });
    expect(objects[0]?.clusters[0]?.objects.map(({ kind, change }) => [kind, change])).toEqual([
      ["Secret", "Created"],
      ["Deployment", "Created"],
      ["Service", "Created"],
    ]);
    expect(notes).toEqual([
      "Namespace shop would be made on m1: what that member makes of objects in it is not known before.",
    ]);
    expect(versions()).toEqual(before);
  });

  test("names what a member would refuse", async () => {
    const file = await fileOf(application({}, "taken"), placement(["m2"]));
    await using there = connectMember("m2", fleet.file("m2"), undefined);
    await fleet.make({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, there);
    const metadata = { name: "taken", namespace: "shop" };
    await fleet.make({ apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 1 }] } }, there);
    const { objects } = await reported(`-f ${file}`);
    const [at] = objects.find(({ name }) => name === "taken")?.clusters ?? [];
    expect(at?.objects.find(({ kind }) => kind === "Service")).toMatchObject({ refused: { reason: "AlreadyExists" } });
    expect(at?.objects.find(({ kind }) => kind === "Deployment")?.refused).toBeUndefined();
  });

  test("shows how far a policy reaches", async () => {
    const { out } = await planned(`--policy ${await fileOf(placement(["m2"]))} --hub-only`);
    expect(out).toMatch(/^1 object on 2 of 2 clusters: 0 created, 0 changed, 1 moved, 0 deleted\n/);
    expect(out).toMatch(/^ {2}> moved from m1 to m2: it serves until the object is available on m2$/m);
    expect((await planned(`--policy ${await fileOf(application())}`)).err).toMatch(/web is no policy; give it with -f/);
  });

  test("shows a drain, which moves what a loss would not", async () => {
    const both = `--hub-only --policy ${await fileOf(placement(["m1", "m2"]))}`;
    expect((await planned(`--drain m1 ${both}`)).out).toMatch(/^ {2}> moved from m1 to m2: it serves until/m);
    expect((await planned(`--without m1 ${both}`)).out).not.toContain("moved from");
  });

  test("says in which stage of the rollout what happens, and which clusters several stages or none take", async () => {
    const inEurope = { key: "region", operator: "In", values: ["eu"] };
    const stages = [
      { name: "canary", targetClusters: { clusterNames: ["m2"] } },
      { name: "europe", targetClusters: { fieldSelector: { matchExpressions: [inEurope] } } },
    ];
    const { objects, notes } = await reported(
      `--hub-only --policy ${await fileOf(placement(["m1", "m2"], { rollout: { stages } }))} -f ${await fileOf(application({ image: "nginx:1.28" }))}`,
    );
    expect(objects).toMatchObject([
      {
        stages: ["canary", "europe"],
        clusters: [
          { name: "m1", stage: "europe" },
          { name: "m2", stage: "canary" },
        ],
      },
    ]);
    expect(notes).toEqual(["Stages canary and europe both take m2: the first counts."]);
  });

  test("never shows the value of a Secret", async () => {
    for (const form of ["", " -o json", " -o yaml"]) {
      const { code, out, err } = await planned(
        `-f ${await fileOf({ ...secret, data: { password: "bmV3LW9uZQ==" } })} --hub-only${form}`,
      );
      expect({ code, err }).toEqual({ code: 1, err: "" });
      expect(out).toContain("data.password");
      expect(out).not.toMatch(/b2xk|bmV3LW9uZQ|new-one/);
    }
  });

  test("names what an application would refer to and the hub has not", async () => {
    const envFrom = [{ configMapRef: { name: "nowhere" } }];
    const { notes } = await reported(`--hub-only -f ${await fileOf(application({ envFrom }))}`);
    expect(notes).toEqual(["demoapplication/web: not on the hub: ConfigMap nowhere."]);
  });

  test("shows the loss of a cluster", async () => {
    const { objects, summary } = await reported("--without m1 --hub-only");
    expect(summary.text).toMatch(/^1 object on 1 of 2 clusters: .*, 1 held$/);
    expect(objects[0]?.clusters).toMatchObject([{ name: "m1", change: "Held", reason: "ClusterUnreachable" }]);
    expect((await planned("--without m9")).err).toMatch(/no member cluster "m9"; name one of these: m1, m2/);
  });

  test("shows where failover would go, and that it is held where too many clusters are lost at once", async () => {
    const groups = ["m1", "m2"].map((name) => ({ name: `only-${name}`, clusterNames: [name] }));
    const failover = (maxUnhealthyClusters: string) =>
      fileOf(placement([], { clusterAffinities: groups, failover: { maxUnhealthyClusters } }));
    const moved = await reported(`--without m1 --hub-only -f ${await failover("50%")}`);
    expect(moved.summary.text).toBe("1 object on 2 of 2 clusters: 0 created, 0 changed, 1 moved, 0 deleted");
    expect(moved.objects[0]?.clusters).toMatchObject([
      { name: "m1", change: "Moved", to: ["m2"], objects: [] },
      { name: "m2", change: "Moved", from: ["m1"] },
    ]);
    const held = await reported(`--without m1 --hub-only -f ${await failover("34%")}`);
    expect(held.objects[0]?.clusters).toMatchObject([{ name: "m1", change: "Held", reason: "FailoverHeld" }]);
  });

  test("says the same without the hub, from what kubectl wrote of it", async () => {
    const types = [NAMESPACES, SECRETS, MEMBERCLUSTERS, PLACEMENTS, DEMOAPPLICATIONS];
    const lists = await Promise.all(types.map((type) => fleet.admin.client.list(type, { signal: never })));
    const there = lists.flatMap(({ items }, i) => {
      const { group, version, kind } = types[i] as ResourceType;
      return items.map((item) => ({ ...item, apiVersion: group === "" ? version : `${group}/${version}`, kind }));
    });
    const now = await fileOf(...there);
    for (const change of [
      `-f ${await fileOf(application({ image: "nginx:1.28", replica: 3 }))}`,
      `--policy ${await fileOf(placement(["m2"]))}`,
      "--without m1",
      "--cordon m1",
    ]) {
      const { code, out } = await planned(`${change} --hub-only -o json`);
      const alone = await planned(`--without-hub --from ${now} -n shop ${change} -o json`);
      const { notes, ...report } = JSON.parse(alone.out) as PlanReport;
      expect({ change, ...alone, out: { ...report, notes: [] } }).toEqual({
        change,
        code,
        out: JSON.parse(out),
        err: "",
      });
      const isRemoving = report.objects.some(({ clusters }) =>
        clusters.some(({ objects }) => objects.some((one) => one.change === "Deleted")),
      );
      // Who removes has to know what only the hub and the members say.
      expect(notes).toHaveLength(isRemoving ? 1 : 0);
    }
  });

  test("tells the hub's own refusal, with the file", async () => {
    const both = placement(["m1"], { clusterAffinities: [{ name: "a" }, { name: "a" }] });
    const { code, err } = await planned(`-f ${await fileOf(both)}`);
    expect(code).toBe(2);
    expect(err).toMatch(/file-\d+\.json: .*Placement some.*/);
  });

  test("says what a person's rights do not show, and goes on with the rest", async () => {
    const metadata = { name: "reader", namespace: "shop" };
    const rbac = "rbac.authorization.k8s.io";
    const read = ["get", "list"];
    const groups = ["paas.cmft.com", "federation.paas.cmft.com"];
    await fleet.make({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    await fleet.make({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: "reader" },
      rules: [{ apiGroups: groups, resources: ["*"], verbs: read }],
    });
    await fleet.make({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    });
    const request = { namespace: "shop", serviceAccount: "reader", expirationSeconds: 3_600 };
    const { token } = await requestToken(fleet.admin.client, request);
    const file = fleet.file("reader");
    await writeFile(file, fleet.hub.kubeconfig({ token, namespace: "shop" }));
    const { code, out, err } = await planned(`-f ${await fileOf(application({ image: "nginx:1.28" }))}`, file);
    expect(code).toBe(1);
    expect(out).toMatch(/^1 object on 1 of 2 clusters: 0 created, 1 changed/);
    expect(out).toMatch(/image: nginx:1.27 -> nginx:1.28$/m);
    await fleet.make({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nobody", namespace: "shop" } });
    const nobody = await requestToken(fleet.admin.client, { ...request, serviceAccount: "nobody" });
    await writeFile(fleet.file("nobody"), fleet.hub.kubeconfig({ token: nobody.token, namespace: "shop" }));
    const refused = await planned("--cordon m1", fleet.file("nobody"));
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringMatching(/with `meridian plan --without-hub --from FILES -f FILES`$/m) as string,
    });
    const notes = err.trim().split("\n");
    expect(notes).toEqual([
      expect.stringMatching(
        /^You may not write demoapplications in namespace shop on the hub: DemoApplication web is taken/,
      ),
      expect.stringMatching(/^You may not read the namespace shop/),
      expect.stringMatching(/^You may not read secrets in namespace shop on the hub: Secret password is taken to stay/),
      expect.stringMatching(/^You may not read the Secrets of members in namespace meridian-system/),
    ]);
  });
});
