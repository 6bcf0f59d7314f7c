import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  FEDERATION_API_VERSION,
  type FederatedStatus,
  type KubeObject,
} from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { eventually, meridian, meridianOk } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { MYSQL_CRD, mysqlCluster } from "./mysqlOperator.ts";
import { objectPath, secret } from "./objects.ts";
import { renderedOperator } from "./operatorChart.ts";

/** Those of placements/. */
const REGIONS = [
  "cn-shanghai",
  "ap-southeast-1",
  "eu-central-1",
  "us-east-1",
  "cn-beijing",
  "cn-shenzhen",
  "cn-hongkong",
  "ap-northeast-1",
  "ap-south-1",
  "eu-west-1",
  "us-west-2",
  "sa-east-1",
];
const clusterOf = (region: string) => `${region}-a`;

const federation = useFederation({
  members: REGIONS.map((region) => ({ name: clusterOf(region), region })),
  hub: { controllerManager: false },
  joinArgs: [
    "--kinds",
    "mysqlclusters.mysql.presslabs.org,CustomResourceDefinition,ServiceAccount,ClusterRole,ClusterRoleBinding",
  ],
});

test("twelve regions run the object with their own replicas, and one status sums them", async () => {
  await federation.apply(
    placement("all").affinity({
      name: "all",
      labelSelector: { matchExpressions: [{ key: "topology.kubernetes.io/region", operator: "Exists" }] },
    }),
  );
  await federation.apply(
    overridePolicy("regional").inRegion("cn-shanghai", { replicas: 5 }).inRegion("ap-southeast-1", { replicas: 3 }),
  );
  const shop = demoApplication("shop").replica(2).port(80);
  await federation.apply(shop);
  const expected = Object.fromEntries(
    REGIONS.map((region) => [clusterOf(region), region === "cn-shanghai" ? 5 : region === "ap-southeast-1" ? 3 : 2]),
  );
  const application = await federation.untilAvailable("default", "shop", expected, 120_000);
  expect(application.status?.replicas).toEqual({ desired: 28, updated: 28, ready: 28, available: 28 });

  await federation.apply(shop.image("nginx:1.28"));
  await federation.untilAvailable("default", "shop", expected, 120_000);
  for (const region of REGIONS) expect(await federation.image(clusterOf(region), "default", "shop")).toBe("nginx:1.28");
});

test("a fleet loses one region and keeps eleven", async () => {
  const lost = clusterOf("sa-east-1");
  await federation.member(lost).plane.kill();
  await federation.untilEntry("default", "shop", lost, { state: "Unknown", reason: "ClusterUnreachable" });
  const told = await meridian(federation.hub, ["status", "shop"]);
  expect(told.stdout).toMatch(
    new RegExp(
      `^ClusterUnreachable: default/shop in ${lost} since .*\\(\\d+s\\).*\\n.*\\n +next: check .*unjoin ${lost}`,
      "m",
    ),
  );
  expect(told.stdout).toMatch(new RegExp(` 11/12 +${lost}:ClusterUnreachable `, "m"));
  const { status } = await federation.application("default", "shop");
  expect(status?.clusters?.filter(({ state }) => state === "Available")).toHaveLength(11);
  expect(status?.replicas?.desired).toBe(28);
  await federation.member(lost).plane.start();
  await federation.untilEntry("default", "shop", lost, { state: "Available" }, 90_000);
  await eventually(async () => {
    const { stdout } = await meridianOk(federation.hub, ["status", "shop"]);
    expect(stdout).toMatch(
      new RegExp(`^\\S+ ago +\\d+\\w +membercluster/${lost} +contact regained after \\d+\\w: `, "m"),
    );
  });
});

test("deletion leaves nothing in any region", async () => {
  await federation.remove(demoApplication("shop"), 90_000);
  for (const region of REGIONS) {
    const api = federation.memberApi(clusterOf(region));
    for (const kind of ["Deployment", "Service"]) {
      await eventually(async () => expect(await api.find(objectPath(kind, "default", "shop"))).toBeUndefined());
    }
  }
});

test("an operator's chart goes to twelve regions, and its databases with their Secrets after it", async () => {
  const namespace = "databases";
  const everywhere = {
    name: "all",
    labelSelector: { matchExpressions: [{ key: "topology.kubernetes.io/region", operator: "Exists" }] },
  };
  const policy = (name: string, selector: object, more: object = {}): KubeObject => ({
    apiVersion: FEDERATION_API_VERSION,
    kind: "ClusterPlacement",
    metadata: { name },
    spec: { resourceSelectors: [selector], clusterAffinities: [everywhere], ...more },
  });
  await federation.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: namespace,
      annotations: {
        [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "CustomResourceDefinition,ClusterRole,ClusterRoleBinding",
        [ALLOWED_SERVICE_ACCOUNTS_ANNOTATION]: "mysql-operator",
      },
    },
  } as KubeObject);
  // The hub stores databases; the operator itself is not to run there.
  await federation.apply(MYSQL_CRD as KubeObject);
  const chart = join(federation.fleet.dir, "rendered.yaml");
  await writeFile(chart, renderedOperator(namespace));
  const bundle = ["bundle", "create", "mysql-operator", "-n", namespace, "-f", chart, "--apply"];
  await meridianOk(federation.hub, bundle);
  await federation.apply(
    policy("mysql-operator", { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name: "mysql-operator" }),
  );
  const kind = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
  const dependencies = { mode: "Auto", fields: [{ kind: "Secret", path: "spec.secretName" }] };
  await federation.apply(policy("mysql", kind, { dependencies }));
  await federation.apply(secret(namespace, "my-db-secret", { ROOT_PASSWORD: "first" }));
  await federation.apply(mysqlCluster(namespace, "my-db", 2));

  type Reported = KubeObject & { status?: FederatedStatus };
  const allAvailable = async (kindOf: string, name: string) => {
    const { status } = await federation.api.get<Reported>(objectPath(kindOf, namespace, name));
    const states = (status?.clusters ?? []).map((entry) => [entry.name, entry.state, entry.message]);
    expect(states).toEqual(
      REGIONS.map(clusterOf)
        .toSorted()
        .map((one) => [one, "Available", undefined]),
    );
  };
  await eventually(() => allAvailable("ManifestBundle", "mysql-operator"), { timeout: 120_000 });
  const parts = [
    ["Deployment", "mysql-operator"],
    ["ServiceAccount", "mysql-operator"],
    ["Service", "mysql-operator"],
    ["Secret", "my-db-secret"],
    ["MysqlCluster", "my-db"],
  ] as const;
  const find = (region: string, part: string, name: string, within: string | undefined = namespace) =>
    federation.memberApi(clusterOf(region)).find(objectPath(part, within, name));
  for (const region of REGIONS) {
    for (const [part, name] of parts)
      await eventually(async () => expect(await find(region, part, name), `${part} in ${region}`).toBeDefined());
    expect(await find(region, "ClusterRoleBinding", "mysql-operator", undefined)).toBeDefined();
  }
  expect(await federation.api.find(objectPath("Deployment", namespace, "mysql-operator"))).toBeUndefined();

  await federation.remove(mysqlCluster(namespace, "my-db", 2), 90_000);
  for (const region of REGIONS) {
    await eventually(async () => expect(await find(region, "Secret", "my-db-secret")).toBeUndefined());
    expect(await find(region, "MysqlCluster", "my-db")).toBeUndefined();
    expect(await find(region, "Deployment", "mysql-operator")).toBeDefined();
  }
});
