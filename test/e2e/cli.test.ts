import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../src/apis/index.ts";
import {
  Api,
  controlPlaneAssets,
  eventually,
  type Fleet,
  type FleetMember,
  type Plane,
  meridian,
  meridianOk,
  run,
  startManager,
} from "../envtest/index.ts";
import { startFleetHere } from "./federation.ts";
import { expectExactRights, listEveryKind } from "./joinedRights.ts";
import { joining, joiningAs, MEMBERS, SECRETS, storedKubeconfig, traces, untilLed } from "./joining.ts";
import { pluginEnvironment } from "./plugin.ts";

/**
 * The command line against real control planes: what a person types, what they see, and what is left behind. Tests of one block build on each
 * other, as a person's commands do.
 */

let fleet: Fleet<Plane>;
let shanghai: FleetMember<Plane>;
let frankfurt: FleetMember<Plane>;

beforeAll(async () => {
  fleet = await startFleetHere({
    hub: { controllerManager: false },
    members: [
      { name: "shanghai-1", region: "cn-shanghai", kubelet: false },
      { name: "frankfurt-1", region: "eu-central-1", controllerManager: false },
    ],
  });
  shanghai = fleet.member("shanghai-1");
  frankfurt = fleet.member("frankfurt-1");
});

afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});

describe("before the hub is installed", () => {
  test("join and status say what to do first", async () => {
    for (const result of [
      await meridian(fleet.hub, ["status"]),
      await joining(fleet, shanghai, "--region", "cn-shanghai"),
    ]) {
      expect(result.code).toBe(2);
      expect(result.stderr).toMatch(
        /^meridian: the hub \(https:.*\) does not know .*: run `meridian install` first, or choose another cluster .*\n$/,
      );
    }
    expect(await traces(shanghai)).toEqual([]);
  });
});

describe("install", () => {
  test("returns when every kind is served", async () => {
    const { stdout } = await meridianOk(fleet.hub, ["install"]);
    expect(stdout).toContain("customresourcedefinition/memberclusters.federation.paas.cmft.com created\n");
    expect(stdout).toContain("namespace/meridian-system created\n");
    expect(await fleet.hub.api.list(MEMBERS)).toEqual([]);
    for (const plural of ["placements", "clusterplacements", "overridepolicies", "clusteroverridepolicies"]) {
      expect(await fleet.hub.api.list(`/apis/federation.paas.cmft.com/v1alpha1/${plural}`)).toEqual([]);
    }
    expect(await fleet.hub.api.list("/apis/paas.cmft.com/v1/demoapplications")).toEqual([]);
  });
});

test("kubectl finds the program as its plugin", async () => {
  const { kubectl: binary } = await controlPlaneAssets();
  const env = await pluginEnvironment(fleet.dir);
  const usage = await run(binary, ["meridian", "status", "--help"], { env });
  expect(usage.stdout).toMatch(/^Usage: kubectl meridian status /);
  const { code, stderr } = await run(binary, ["meridian", "status", "--kubeconfig", fleet.hub.kubeconfigFile], { env });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("`kubectl meridian join NAME ") as string,
  });
});

describe("join without a manager", () => {
  test("with --dry-run prints what it would write and writes nothing", async () => {
    const { code, stdout } = await joining(fleet, shanghai, "--region", "cn-shanghai", "--dry-run");
    expect(code).toBe(0);
    const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as KubeObject | null)?.kind);
    expect(kinds.filter(Boolean)).toEqual([
      "Namespace",
      "ClusterRole",
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "ClusterRoleBinding",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "Secret",
      "MemberCluster",
    ]);
    expect(await traces(shanghai)).toEqual([]);
    expect(await fleet.hub.api.list(MEMBERS)).toEqual([]);
  });

  test("makes the objects of the contract and says that a manager is missing", async () => {
    const { code, stdout, stderr } = await joining(
      fleet,
      shanghai,
      "--region",
      "cn-shanghai",
      "--zone",
      "cn-shanghai-b",
      "--provider",
      "aliyun",
      "--label",
      "tier=core",
      "--taint",
      "spot=true:NoSchedule",
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "membercluster/shanghai-1 joined\n" });
    expect(stderr).toBe(
      "No manager runs on the hub now; shanghai-1 will connect when one does (`meridian manager`).\n",
    );
    expect(await fleet.hub.api.get(`${MEMBERS}/shanghai-1`)).toMatchObject({
      metadata: {
        labels: {
          "topology.kubernetes.io/region": "cn-shanghai",
          "topology.kubernetes.io/zone": "cn-shanghai-b",
          tier: "core",
        },
      },
      spec: {
        provider: "aliyun",
        connection: { kubeconfigSecretRef: { name: "shanghai-1", key: "kubeconfig" } },
        taints: [{ key: "spot", value: "true", effect: "NoSchedule" }],
      },
    });
    expect(await traces(shanghai)).toHaveLength(6);
  });

  test("stores a token of its own, never the administrator's", async () => {
    const stored = await storedKubeconfig(fleet, "shanghai-1");
    expect(stored).toMatchObject({ server: shanghai.plane.server, ca: shanghai.plane.caData });
    expect(stored.token).not.toBe(shanghai.plane.adminToken);
    const secret = await fleet.hub.api.get(`${SECRETS}/shanghai-1`);
    expect(JSON.stringify(secret)).not.toContain(
      Buffer.from(shanghai.plane.adminToken).toString("base64").slice(0, 20),
    );
    const { annotations = {} } = secret.metadata;
    const life =
      Date.parse(annotations["federation.paas.cmft.com/token-expires-at"] ?? "") -
      Date.parse(annotations["federation.paas.cmft.com/token-issued-at"] ?? "");
    expect(Math.abs(life - 86_400_000)).toBeLessThan(60_000);
  });

  test("gives exactly the rights that Meridian needs", async () => {
    const stored = await storedKubeconfig(fleet, "shanghai-1");
    const member = new Api(stored);
    const account = (await traces(shanghai)).find((trace) => trace.startsWith("1/"))?.slice(2) ?? "";
    await expectExactRights(member, account);
    member.close();
  });

  test("lets Meridian list every built-in namespaced kind, so that it can tell an empty namespace", async () => {
    const member = new Api(await storedKubeconfig(fleet, "shanghai-1"));
    const { looked, refused } = await listEveryKind(member);
    member.close();
    expect(looked).toBeGreaterThan(25);
    expect(refused).toEqual([]);
  });

  test("done again renews the token and keeps one of everything", async () => {
    const before = await storedKubeconfig(fleet, "shanghai-1");
    // Tokens of one second are equal: the second join must not fall into it.
    await eventually(async () => {
      expect(await joining(fleet, shanghai, "--renew")).toMatchObject({
        code: 0,
        stdout: "membercluster/shanghai-1 renewed\n",
      });
      expect((await storedKubeconfig(fleet, "shanghai-1")).token).not.toBe(before.token);
    });
    expect(await traces(shanghai)).toHaveLength(6);
    expect(await fleet.hub.api.get(`${MEMBERS}/shanghai-1`)).toMatchObject({
      metadata: { labels: { tier: "core" } },
      spec: { provider: "aliyun" },
    });
  });

  test("refuses one cluster under two names, two clusters under one name, and the hub", async () => {
    const twice = await joiningAs(fleet, "other", shanghai.plane.kubeconfigFile);
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a member already, as shanghai-1") as string,
    });
    const otherCluster = await joiningAs(fleet, "shanghai-1", frankfurt.plane.kubeconfigFile);
    expect(otherCluster).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("shanghai-1 is another cluster") as string,
    });
    const itself = await joiningAs(fleet, "hub", fleet.hub.kubeconfigFile);
    expect(itself).toMatchObject({ code: 2, stderr: expect.stringContaining("the hub itself") as string });
    expect(await traces(frankfurt)).toEqual([]);
  });
});

describe("unjoin without a manager", () => {
  test("with --dry-run says what it would do, and does nothing", async () => {
    const { code, stdout, stderr } = await meridian(fleet.hub, ["unjoin", "shanghai-1", "--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("membercluster/shanghai-1: removed from the hub (dry run)\n");
    expect(stdout).toMatch(/^0 objects of Meridian on shanghai-1: left running, no longer managed \(dry run\)$/m);
    expect(stdout).toMatch(
      /^clusterrole\/meridian-[0-9a-f]{8}, with its binding: removed from shanghai-1 \(dry run\)$/m,
    );
    expect(stdout).toMatch(
      /^validatingadmissionpolicy\/meridian-[0-9a-f]{8}, with its binding, if join made one: removed from shanghai-1 \(dry run\)$/m,
    );
    expect(await fleet.hub.api.find(`${MEMBERS}/shanghai-1`)).toBeDefined();
    expect(await fleet.hub.api.find(`${SECRETS}/shanghai-1`)).toBeDefined();
    expect(await traces(shanghai)).toHaveLength(6);
  });

  test("of a cluster that holds no finalizer removes everything with the stored credentials", async () => {
    const { code, stdout, stderr } = await meridian(fleet.hub, ["unjoin", "shanghai-1"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Orphaning shanghai-1") as string });
    expect(stdout).toContain("membercluster/shanghai-1 removed\n");
    expect(stdout).toContain("namespace/meridian-system removed from shanghai-1\n");
    expect(await fleet.hub.api.find(`${MEMBERS}/shanghai-1`)).toBeUndefined();
    expect(await fleet.hub.api.find(`${SECRETS}/shanghai-1`)).toBeUndefined();
    // The member's garbage collector and namespace controller finish it.
    await eventually(async () => expect(await traces(shanghai)).toEqual([]), { timeout: 60_000 });
  });

  test("waits for a manager while a finalizer holds it, and is forced only to orphan", async () => {
    await joining(fleet, frankfurt, "--region", "eu-central-1");
    await fleet.hub.api.patch(`${MEMBERS}/frankfurt-1`, "merge", {
      metadata: { finalizers: ["federation.paas.cmft.com/member-cluster"] },
    });
    expect(await meridian(fleet.hub, ["unjoin", "frankfurt-1", "--drain", "--force"])).toMatchObject({ code: 2 });
    const waiting = await meridian(fleet.hub, ["unjoin", "frankfurt-1"]);
    expect(waiting).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No manager runs on the hub, so frankfurt-1 stays marked for deletion") as string,
    });
    expect(await fleet.hub.api.find(`${SECRETS}/frankfurt-1`)).toBeDefined();
    const forced = await meridian(fleet.hub, [
      "unjoin",
      "frankfurt-1",
      "--force",
      "--member-kubeconfig",
      frankfurt.plane.kubeconfigFile,
    ]);
    expect(forced.code).toBe(0);
    expect(await fleet.hub.api.find(`${MEMBERS}/frankfurt-1`)).toBeUndefined();
    // Nobody collects garbage there, so the administrator removed each piece; the namespace cannot end without a controller.
    expect(await traces(frankfurt)).toEqual(["0/meridian-system"]);
  });

  test("of a member that is away lists what is left there with its commands, and remembers the member", async () => {
    await joining(fleet, shanghai, "--region", "cn-shanghai");
    await shanghai.plane.stop();
    try {
      const { code, stderr } = await meridian(fleet.hub, ["unjoin", "shanghai-1"]);
      expect({ code, stderr }).toMatchObject({ code: 1 });
      expect(stderr).toContain("shanghai-1 could not be cleaned:");
      expect(stderr).toMatch(/kubectl delete clusterrole,clusterrolebinding meridian-[0-9a-f]{8}\n/);
      expect(await fleet.hub.api.find(`${SECRETS}/shanghai-1`)).toBeDefined();
    } finally {
      await shanghai.plane.start();
    }
  });
});

describe("with a manager", () => {
  test("join returns when the member is ready, status shows it, unjoin --drain leaves nothing", async () => {
    await using manager = await startManager({ hub: fleet.hub, folder: fleet.dir });
    await untilLed(fleet);
    const joined = await joining(fleet, shanghai, "--region", "cn-shanghai");
    expect(joined).toEqual({
      code: 0,
      stdout: "membercluster/shanghai-1 joined\nmembercluster/shanghai-1 ready\n",
      stderr: "",
    });
    const member = await fleet.hub.api.get<KubeObject & MemberCluster>(`${MEMBERS}/shanghai-1`);
    expect(member.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));

    const table = await meridian(fleet.hub, ["status"]);
    const source = /^Read from the objects of the hub and from the query API, through the manager at \S+\.\n$/;
    expect(table).toMatchObject({ code: 0, stderr: expect.stringMatching(source) as string });
    expect(table.stdout).toMatch(
      /^CLUSTER +REGION +READY +VERSION +OBJECTS +LAST CONTACT +REASON\nshanghai-1 +cn-shanghai +True +v1\.\d+\.\d+ +0 +now +-\n$/,
    );
    expect((await meridianOk(fleet.hub, ["status", "-o", "name"])).stdout).toBe(
      "membercluster.federation.paas.cmft.com/shanghai-1\n",
    );

    const { code, stdout } = await meridian(fleet.hub, ["unjoin", "shanghai-1", "--drain"]);
    expect(code).toBe(0);
    expect(stdout).toContain("membercluster/shanghai-1 removed\n");
    await eventually(async () => expect(await traces(shanghai)).toEqual([]), { timeout: 60_000 });
    expect(await manager.stop()).toEqual({ code: 0, signal: null });
  });

  test("an application that nobody places is unhealthy: status says why and exits with 1", async () => {
    await using _manager = await startManager({ hub: fleet.hub, folder: fleet.dir });
    await fleet.hub.api.create("/apis/paas.cmft.com/v1/namespaces/default/demoapplications", {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { name: "lonely" },
      spec: { replica: 1, image: "nginx:1.27" },
    });
    await eventually(async () => {
      const { code, stdout } = await meridian(fleet.hub, ["status", "lonely"]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^default\/lonely .* NoPlacement /m);
    });
    await fleet.hub.api.delete("/apis/paas.cmft.com/v1/namespaces/default/demoapplications/lonely");
    await eventually(async () => expect(await meridian(fleet.hub, ["status"])).toMatchObject({ code: 0 }));
  });
});
