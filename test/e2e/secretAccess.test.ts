import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE, FEDERATION_GROUP, PAAS_GROUP } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, FaultProxy } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { configMap, type DataObject, objectPath, pathOf, secret } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const ACCOUNT = "limited";
const READ = ["list", "watch"];

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
});
let proxy: FaultProxy;

/** A manager that may read Secrets of its own namespace only, as with `rbac.secrets.mode: Listed` and no namespace listed. */
beforeAll(async () => {
  await federation.manager.stop();
  await federation.apply({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: ACCOUNT, namespace: DEFAULT_SYSTEM_NAMESPACE },
  } as never);
  await grant(undefined, [
    { apiGroups: [PAAS_GROUP, FEDERATION_GROUP], resources: ["*"], verbs: ["list", "watch", "patch"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", ...READ] },
    { apiGroups: [""], resources: ["configmaps"], verbs: READ },
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
  ]);
  await grant(DEFAULT_SYSTEM_NAMESPACE, [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "patch", ...READ] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "patch", ...READ] },
  ]);
  proxy = await FaultProxy.start(federation.hub);
  const token = await federation.hub.serviceAccountToken(DEFAULT_SYSTEM_NAMESPACE, ACCOUNT, 3600);
  const file = join(federation.fleet.dir, "limited.kubeconfig");
  await writeFile(file, proxy.kubeconfigFor(token), { mode: 0o600 });
  await federation.startManager({ args: ["--kubeconfig", file] });
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
});

/** In one namespace, or everywhere. */
async function grant(namespace: string | undefined, rules: object[]): Promise<void> {
  const scope = namespace === undefined ? "Cluster" : "";
  const metadata = { name: ACCOUNT, ...(namespace === undefined ? {} : { namespace }) };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  await federation.apply({ apiVersion, kind: `${scope}Role`, metadata, rules } as never);
  await federation.apply({
    apiVersion,
    kind: `${scope}RoleBinding`,
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: `${scope}Role`, name: ACCOUNT },
    subjects: [{ kind: "ServiceAccount", namespace: DEFAULT_SYSTEM_NAMESPACE, name: ACCOUNT }],
  } as never);
}

const grantSecrets = (namespace: string) =>
  grant(namespace, [{ apiGroups: [""], resources: ["secrets"], verbs: READ }]);
const both = (replicas = 1) => ({ [SHANGHAI]: replicas, [SINGAPORE]: replicas });
const questionsFor = (namespace: string) =>
  proxy.requests.filter(({ path }) => path === `/api/v1/namespaces/${namespace}/secrets`).length;
const advice = (namespace: string) =>
  `add ${namespace} to rbac.secrets.namespaces of the Helm release; or let the manager list and watch Secrets there`;

test("an application whose Secret may not be read is held and says what to allow, others go on; allowed, it goes on by itself", async () => {
  const namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
  await federation.apply(secret(namespace, "database", { password: "p" }));
  await federation.apply(configMap(namespace, "settings", { a: "1" }));
  await federation.apply(demoApplication("shop").namespace(namespace).envFromSecret("database"));
  await federation.apply(demoApplication("plain").namespace(namespace).envFromConfigMap("settings"));

  for (const cluster of [SHANGHAI, SINGAPORE]) {
    await federation.untilEntry(namespace, "shop", cluster, {
      state: "Held",
      reason: "SecretAccessDenied",
      message: advice(namespace),
    });
  }
  const held = await federation.application(namespace, "shop");
  expect(conditionOf(held, "Applied")).toMatchObject({ status: "False", reason: "SecretAccessDenied" });
  expect(conditionOf(held, "Applied")?.message).toContain(`add ${namespace} to rbac.secrets.namespaces`);
  await federation.untilAvailable(namespace, "plain", both());
  const path = objectPath("Deployment", namespace, "shop");
  expect(await federation.memberApi(SHANGHAI).find(path)).toBeUndefined();
  await eventually(async () => {
    const events = await federation.events(namespace, "shop");
    expect(events.filter(({ reason }) => reason === "SecretAccessDenied")).toHaveLength(1);
  });

  // Asked again ever more rarely, and nothing else moves.
  const { resourceVersion } = held.metadata;
  const asked = questionsFor(namespace);
  await sleep(10_000);
  expect(questionsFor(namespace) - asked).toBeLessThanOrEqual(10);
  expect((await federation.application(namespace, "shop")).metadata.resourceVersion).toBe(resourceVersion);
  const lines = (await federation.manager.log()).split("\n");
  expect(
    lines.filter((line) => line.includes(namespace) && line.includes('"event_reason":"SecretAccessDenied"')).length,
  ).toBe(1);

  await grantSecrets(namespace);
  await federation.untilAvailable(namespace, "shop", both());
  for (const cluster of [SHANGHAI, SINGAPORE]) {
    const carried = await federation.memberApi(cluster).get<DataObject>(objectPath("Secret", namespace, "database"));
    expect(carried.data).toEqual({ password: Buffer.from("p").toString("base64") });
  }
  expect(proxy.requests.filter(({ path: asking }) => asking === "/api/v1/secrets")).toEqual([]);
});

test("a right that is taken away holds what runs as it is: no pod is restarted, nothing is deleted", async () => {
  const namespace = await federation.namespace();
  await grantSecrets(namespace);
  await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
  await federation.apply(secret(namespace, "database", { password: "p" }));
  const shop = demoApplication("shop").namespace(namespace).envFromSecret("database");
  await federation.apply(shop);
  await federation.untilAvailable(namespace, "shop", both());
  const deployment = await federation.deployment(SHANGHAI, namespace, "shop");

  await federation.api.delete(objectPath("RoleBinding", namespace, ACCOUNT));
  // An open watch goes on by the rights that it began with.
  proxy.disconnect();
  await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Held", reason: "SecretAccessDenied" });
  const held = await federation.application(namespace, "shop");
  expect(conditionOf(held, "Available")?.status).toBe("True");
  await federation.apply(shop.image("nginx:1.28"));
  await federation.apply(secret(namespace, "database", { password: "q" }));
  await sleep(3_000);
  const after = await federation.deployment(SHANGHAI, namespace, "shop");
  expect(after.metadata.generation).toBe(deployment.metadata.generation);
  expect(await federation.memberApi(SHANGHAI).find(pathOf(secret(namespace, "database", {})))).toBeDefined();

  await grantSecrets(namespace);
  await federation.untilAvailable(namespace, "shop", both());
  await eventually(async () => expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28"));
  await federation.remove(shop);
});
