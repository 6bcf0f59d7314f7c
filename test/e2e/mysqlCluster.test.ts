import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, KubeObject, ResourceSelector } from "../../src/apis/index.ts";
import { eventually, meridianOk } from "../envtest/index.ts";
import {
  bundle,
  clusterOverridePolicy,
  clusterPlacement,
  demoApplication,
  operator,
  placement,
  serviceAccount,
} from "../builders/index.ts";
import { useFederation } from "./federation.ts";
import { type Deployment, objectPath, secret } from "./objects.ts";
import { MYSQL_CRD, type MysqlCluster, mysqlCluster, StandInOperator } from "./mysqlOperator.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const BOTH = [SHANGHAI, SINGAPORE];
const NAMESPACE = "shop";
const SECRET = { namespace: NAMESPACE, name: "my-db-secret" };
const KIND = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };

type Bound = KubeObject & { spec: { resource: object }; status?: FederatedStatus };

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  joinArgs: [
    "--kinds",
    "mysqlclusters.mysql.presslabs.org,customresourcedefinitions.apiextensions.k8s.io,serviceaccounts,Ingress",
  ],
});
const operators = new Map<string, StandInOperator>();

beforeAll(async () => {
  await federation.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE, labels: { team: "shop" } },
  } as KubeObject);
  await federation.apply(MYSQL_CRD as KubeObject);
  const { apiVersion, kind } = MYSQL_CRD;
  await federation.apply(
    placing("mysql-crd", { apiVersion, kind, name: MYSQL_CRD.metadata.name }).deletionPolicy("Orphan"),
  );
  for (const name of BOTH) startOperator(name);
  await federation.apply(dbPlacement());
  await federation.apply(shanghaiHas(5));
});
afterAll(async () => {
  try {
    for (const name of BOTH) await stopOperator(name);
  } catch (error) {
    // After a hook that fails none of the others runs.
    await federation[Symbol.asyncDispose]();
    throw error;
  }
});

const startOperator = (name: string) => void operators.set(name, new StandInOperator(federation.memberApi(name)));

async function stopOperator(name: string): Promise<void> {
  await operators.get(name)?.[Symbol.asyncDispose]();
  operators.delete(name);
}

const placing = (name: string, selector: ResourceSelector) =>
  clusterPlacement(name)
    .selects(selector)
    .onClusters(...BOTH);
const dbPlacement = () =>
  placing("mysql", { ...KIND, namespaceSelector: { matchLabels: { team: "shop" } } }).withSecretsAt("spec.secretName");
const shanghaiHas = (replicas: number, selector: ResourceSelector = KIND, name = "mysql-shanghai") =>
  clusterOverridePolicy(name).selects(selector).inRegion("cn-shanghai", { replicas });

const onMember = <T extends KubeObject>(cluster: string, kind: string, name: string): Promise<T | undefined> =>
  federation.memberApi(cluster).find<T>(objectPath(kind, NAMESPACE, name));

const binding = (): Promise<Bound | undefined> =>
  federation.api.find<Bound>(objectPath("ResourceBinding", NAMESPACE, "mysqlcluster.mysql.presslabs.org.my-db"));

async function entries(): Promise<Record<string, Partial<ClusterStatusEntry>>> {
  const { status } = (await binding()) ?? {};
  return Object.fromEntries((status?.clusters ?? []).map((entry) => [entry.name, entry]));
}

/** The database runs with so many replicas on each cluster, all of its parts are there, and the hub says so. */
async function untilRunning(replicas: Record<string, number>): Promise<void> {
  await eventually(
    async () => {
      const counts = (count: number) => ({ desired: count, updated: count, ready: count, available: count });
      expect(await entries()).toMatchObject(
        Object.fromEntries(
          Object.entries(replicas).map(([name, count]) => [name, { state: "Available", replicas: counts(count) }]),
        ),
      );
      for (const [name, count] of Object.entries(replicas)) {
        expect((await onMember<MysqlCluster>(name, "MysqlCluster", "my-db"))?.spec.replicas).toBe(count);
        expect((await onMember<Deployment>(name, "StatefulSet", "my-db-mysql"))?.spec.replicas).toBe(count);
        for (const role of ["master", "replicas"])
          expect(await onMember(name, "Service", `my-db-mysql-${role}`)).toBeDefined();
        expect(await onMember(name, "PersistentVolumeClaim", `data-my-db-mysql-${count - 1}`)).toBeDefined();
      }
    },
    { timeout: 90_000, message: "my-db" },
  );
}

async function password(cluster: string): Promise<string | undefined> {
  const set = await onMember<Deployment>(cluster, "StatefulSet", "my-db-mysql");
  const text = set?.spec.template.metadata.annotations?.["mysql.presslabs.org/password"];
  return text === undefined ? undefined : Buffer.from(text, "base64").toString();
}

test("an operator runs on the members and not on the hub, with other replicas by region", async () => {
  const manifests = [serviceAccount("mysql-operator"), operator("mysql-operator")];
  await federation.apply(bundle("mysql-operator", manifests, { namespace: NAMESPACE }));
  const bundles = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
  await federation.apply(placing("mysql-operator", { ...bundles, name: "mysql-operator" }));
  await federation.apply(shanghaiHas(2, bundles, "operator-shanghai"));
  await eventually(async () => {
    const counts = await Promise.all(
      BOTH.map(async (name) => (await onMember<Deployment>(name, "Deployment", "mysql-operator"))?.status),
    );
    expect(counts.map((status) => status?.availableReplicas)).toEqual([2, 1]);
  });
  expect(await federation.api.find(objectPath("Deployment", NAMESPACE, "mysql-operator"))).toBeUndefined();
});

test("a database goes where its policy says, with its Secret and other replicas by region, and its operator's status comes back", async () => {
  await federation.apply(secret(SECRET.namespace, SECRET.name, { ROOT_PASSWORD: "first" }));
  await federation.apply(mysqlCluster(NAMESPACE, "my-db", 2));
  await untilRunning({ [SHANGHAI]: 5, [SINGAPORE]: 2 });
  for (const name of BOTH) expect(await password(name)).toBe("first");
  const { spec, status } = (await binding()) ?? {};
  expect(spec?.resource).toMatchObject({ ...KIND, namespace: NAMESPACE, name: "my-db" });
  expect(status).toMatchObject({
    placement: { kind: "ClusterPlacement", name: "mysql" },
    replicas: { desired: 7, updated: 7, ready: 7, available: 7 },
  });
  expect(JSON.stringify(await binding())).not.toContain("mysqlVersion");
});

test("the database is scaled on the hub; what a region overrides stays", async () => {
  await federation.api.patch(`${objectPath("MysqlCluster", NAMESPACE, "my-db")}/scale`, "merge", {
    spec: { replicas: 3 },
  });
  await untilRunning({ [SHANGHAI]: 5, [SINGAPORE]: 3 });
});

test("the replicas of the database are divided, and then each cluster has all of them again", async () => {
  await federation.remove(shanghaiHas(5));
  await federation.apply(dbPlacement().divided());
  // Both hold enough for the odd replica: the hash of object and cluster decides.
  await untilRunning({ [SHANGHAI]: 1, [SINGAPORE]: 2 });
  await federation.apply(dbPlacement());
  await untilRunning({ [SHANGHAI]: 3, [SINGAPORE]: 3 });
});

test("a new password reaches the operator of each region", async () => {
  await federation.apply(secret(SECRET.namespace, SECRET.name, { ROOT_PASSWORD: "second" }));
  await eventually(async () => {
    for (const name of BOTH) expect(await password(name)).toBe("second");
  });
  await untilRunning({ [SHANGHAI]: 3, [SINGAPORE]: 3 });
});

test("a region that is lost keeps its last numbers and its database; the others go on", async () => {
  await stopOperator(SINGAPORE);
  await federation.member(SINGAPORE).plane.kill();
  try {
    await eventually(
      async () =>
        expect(await entries()).toMatchObject({
          [SINGAPORE]: { state: "Unknown", replicas: { desired: 3, available: 3 } },
          [SHANGHAI]: { state: "Available" },
        }),
      { timeout: 90_000 },
    );
    await federation.apply(shanghaiHas(4));
    await eventually(async () =>
      expect(await entries()).toMatchObject({ [SHANGHAI]: { state: "Available", replicas: { available: 4 } } }),
    );
  } finally {
    await federation.member(SINGAPORE).plane.start();
    startOperator(SINGAPORE);
  }
  await untilRunning({ [SHANGHAI]: 4, [SINGAPORE]: 3 });
});

test("the database is deleted everywhere, with all that its operator made, its Secret and its binding", async () => {
  const printed = await meridianOk(federation.hub, [
    "status",
    "mysqlcluster.mysql.presslabs.org/my-db",
    "-n",
    NAMESPACE,
  ]);
  expect(printed.stdout).toContain("singapore-1");
  await federation.remove(mysqlCluster(NAMESPACE, "my-db", 3));
  await eventually(
    async () => {
      for (const name of BOTH) {
        expect(await onMember(name, "MysqlCluster", "my-db")).toBeUndefined();
        expect(await onMember(name, "StatefulSet", "my-db-mysql")).toBeUndefined();
        // Of these clusters no controller says that a claim is not in use.
        const claim = await onMember(name, "PersistentVolumeClaim", "data-my-db-mysql-0");
        expect(claim === undefined || claim.metadata.deletionTimestamp !== undefined).toBe(true);
        expect(await onMember(name, "Secret", SECRET.name)).toBeUndefined();
        expect(await onMember(name, "CustomResourceDefinition", MYSQL_CRD.metadata.name)).toBeDefined();
      }
      expect(await binding()).toBeUndefined();
    },
    { timeout: 90_000 },
  );
  expect(await federation.api.find(objectPath("Secret", SECRET.namespace, SECRET.name))).toBeDefined();
});

test("an application has an ingress with its certificate for as long as it asks for one", async () => {
  const namespace = await federation.namespace();
  const web = demoApplication("web").namespace(namespace).port(80);
  const find = (kind: string, name: string): Promise<KubeObject | undefined> =>
    federation.memberApi(SHANGHAI).find(objectPath(kind, namespace, name));
  await federation.apply(secret(namespace, "web-tls", { "tls.crt": "c", "tls.key": "k" }));
  await federation.apply(placement("where").namespace(namespace).onClusters(SHANGHAI));
  await federation.apply(web.ingress("web.example.com", "web-tls"));
  await federation.untilAvailable(namespace, "web", { [SHANGHAI]: 1 });
  expect((await find("Ingress", "web"))?.["spec"]).toMatchObject({
    tls: [{ hosts: ["web.example.com"], secretName: "web-tls" }],
    rules: [{ host: "web.example.com", http: { paths: [{ backend: { service: { name: "web" } } }] } }],
  });
  expect(await find("Secret", "web-tls")).toBeDefined();
  await federation.apply(web);
  await eventually(async () => {
    expect(await find("Ingress", "web")).toBeUndefined();
    expect(await find("Secret", "web-tls")).toBeUndefined();
  });
  await federation.untilAvailable(namespace, "web", { [SHANGHAI]: 1 });
});
