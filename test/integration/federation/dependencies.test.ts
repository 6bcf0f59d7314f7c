import { describe, expect, test } from "vitest";
import {
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  DELETION_POLICY_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
  type OwnerRef,
} from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CRDS,
  DEPLOYMENTS,
  NAMESPACES,
  PERSISTENTVOLUMECLAIMS,
  type ResourceType,
  SECRETS,
  SERVICEACCOUNTS,
} from "../../../src/runtime/index.ts";
import { clusterPlacement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { MYSQL, MYSQL_KIND, MYSQLCLUSTERS } from "./objects.ts";

const TEAM = "team";

const OF_TESTS = [DEPLOYMENTS, MYSQLCLUSTERS, PERSISTENTVOLUMECLAIMS, SERVICEACCOUNTS];

/** Two members that serve the kind, and a namespace of the hub in which pods may run as `web`. */
async function prepared(): Promise<TestFederation> {
  const federation = await TestFederation.prepare("shanghai", "singapore");
  const { hub } = federation;
  if (!hub.has(CRDS, undefined, MYSQL_KIND.metadata.name)) await hub.install(MYSQL_KIND);
  for (const { server } of federation.members.values()) await server.install(MYSQL_KIND);
  await hub.empty(...OF_TESTS);
  await federation.namespace(TEAM);
  await hub.merge(NAMESPACES, undefined, TEAM, {
    metadata: { annotations: { [ALLOWED_SERVICE_ACCOUNTS_ANNOTATION]: "web" } },
  });
  await federation.startManager();
  return federation;
}

const database = (name: string, spec: object): KubeObject => ({ ...MYSQL, metadata: { name, namespace: TEAM }, spec });
const secret = (name: string, password: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: TEAM },
  data: { password },
  ...more,
});
const claim = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: TEAM },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const pods = (spec: object): object => ({
  template: { spec: { containers: [{ name: "mysql", image: "percona:8" }], ...spec } },
});

const onMember = (federation: TestFederation, cluster: string, type: ResourceType, name: string) =>
  federation.member(cluster).server.find(type, TEAM, name);
const has = (federation: TestFederation, cluster: string, type: ResourceType, name: string): boolean =>
  onMember(federation, cluster, type, name) !== undefined;
const ownerOf = (object: KubeObject | undefined): OwnerRef =>
  JSON.parse(object?.metadata.annotations?.[OWNER_ANNOTATION] ?? "{}") as OwnerRef;
/** What the status of a database says of a cluster. */
const entryOf = (federation: TestFederation, name: string, cluster: string) =>
  federation
    .binding(`mysqlcluster.mysql.presslabs.org.${name}`, TEAM)
    ?.status?.clusters?.find((one) => one.name === cluster);
const everywhere = clusterPlacement("mysql").selects(MYSQL);

describe("what goes along with an object of another kind", () => {
  test("a declared Secret comes with it as soon as the Secret is there, follows it, and goes with the last user", async () => {
    await using federation = await prepared();
    const { hub } = federation;
    await federation.apply(CLUSTERPLACEMENTS, everywhere.withSecretsAt("spec.secretName", "spec.users[].secret.name"));
    await federation.apply(MYSQLCLUSTERS, database("my-db", { secretName: "my-db-secret" }));
    await federation.until(() => has(federation, "singapore", MYSQLCLUSTERS, "my-db"));
    await federation.until(() => federation.events.some(({ reason }) => reason === "DependencyMissing"));
    expect(federation.events.find(({ reason }) => reason === "DependencyMissing")?.["note"]).toBe(
      "not on the hub: Secret my-db-secret",
    );
    await federation.until(() => entryOf(federation, "my-db", "shanghai")?.reason === "DependencyMissing");

    // One of that name in another namespace is somebody else's.
    await federation.namespace("other");
    await hub.apply(SECRETS, {
      ...secret("my-db-secret", "b3RoZXI="),
      metadata: { name: "my-db-secret", namespace: "other" },
    });
    await federation.pass(2_000);
    expect(has(federation, "shanghai", SECRETS, "my-db-secret")).toBe(false);

    await hub.apply(SECRETS, secret("my-db-secret", "b25l"));
    for (const cluster of ["shanghai", "singapore"])
      await federation.until(() => onMember(federation, cluster, SECRETS, "my-db-secret")?.["data"] !== undefined);
    await hub.apply(SECRETS, secret("my-db-secret", "dHdv"));
    await federation.until(
      () =>
        JSON.stringify(onMember(federation, "shanghai", SECRETS, "my-db-secret")?.["data"]) === '{"password":"dHdv"}',
    );

    const users = [{ secret: { name: "my-db-secret" } }, { secret: { name: "reader" } }];
    await hub.apply(SECRETS, secret("reader", "cg=="));
    await federation.apply(MYSQLCLUSTERS, database("second", { users }));
    await federation.until(() => has(federation, "shanghai", SECRETS, "reader"));
    await federation.delete(MYSQLCLUSTERS, "my-db", TEAM);
    await federation.until(() => !hub.has(MYSQLCLUSTERS, TEAM, "my-db"));
    await federation.pass(5_000);
    expect(has(federation, "shanghai", SECRETS, "my-db-secret")).toBe(true);
    await federation.delete(MYSQLCLUSTERS, "second", TEAM);
    await federation.until(() => !hub.has(MYSQLCLUSTERS, TEAM, "second"));
    for (const cluster of ["shanghai", "singapore"])
      expect(federation.member(cluster).server.list(SECRETS, { labelSelector: MANAGED_BY_LABEL })).toEqual([]);
  });

  test("its pods' service account comes with its pull secrets; both kinds are watched for that, and go with the object", async () => {
    await using federation = await prepared();
    const { hub } = federation;
    const { server } = federation.member("shanghai");
    await federation.apply(CLUSTERPLACEMENTS, everywhere);
    expect([...hub.watched, ...server.watched]).not.toContain("serviceaccounts");
    await hub.apply(SECRETS, secret("pull", "cHVsbA=="));
    await hub.apply(SERVICEACCOUNTS, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "web", namespace: TEAM, annotations: { "example.com/role": "reader" } },
      imagePullSecrets: [{ name: "pull" }],
    });
    await federation.apply(MYSQLCLUSTERS, database("my-db", pods({ serviceAccountName: "web" })));
    await federation.until(() => has(federation, "shanghai", SECRETS, "pull"));
    await federation.until(() => has(federation, "shanghai", SERVICEACCOUNTS, "web"));
    expect(onMember(federation, "shanghai", SERVICEACCOUNTS, "web")).toMatchObject({
      metadata: { annotations: { "example.com/role": "reader" } },
      imagePullSecrets: [{ name: "pull" }],
    });

    await hub.apply(SERVICEACCOUNTS, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "web", namespace: TEAM },
    });
    await federation.until(() => !has(federation, "shanghai", SECRETS, "pull"));
    await federation.delete(MYSQLCLUSTERS, "my-db", TEAM);
    await federation.until(() => !hub.has(MYSQLCLUSTERS, TEAM, "my-db"));
    expect(has(federation, "shanghai", SERVICEACCOUNTS, "web")).toBe(false);
  });
});

describe("a claim that goes along", () => {
  const spec = pods({ volumes: [{ name: "a", persistentVolumeClaim: { claimName: "data" } }] });

  test("stays with its data where the object leaves, is taken up when it comes back, and is let go of with the object", async () => {
    await using federation = await prepared();
    const { hub } = federation;
    await hub.apply(PERSISTENTVOLUMECLAIMS, claim("data"));
    await federation.apply(CLUSTERPLACEMENTS, everywhere);
    await federation.apply(MYSQLCLUSTERS, database("my-db", spec));
    const there = () => onMember(federation, "shanghai", PERSISTENTVOLUMECLAIMS, "data");
    await federation.until(() => there() !== undefined);
    await federation.until(() => has(federation, "singapore", PERSISTENTVOLUMECLAIMS, "data"));
    const { uid } = there()?.metadata ?? {};
    expect(there()?.metadata.annotations).toMatchObject({ [DELETION_POLICY_ANNOTATION]: "Orphan" });

    await federation.apply(CLUSTERPLACEMENTS, everywhere.onClusters("singapore"));
    await federation.until(() => !has(federation, "shanghai", MYSQLCLUSTERS, "my-db"));
    await federation.pass(30_000);
    expect(there()?.metadata).toMatchObject({ uid, labels: { [MANAGED_BY_LABEL]: federation.hubId } });
    expect(entryOf(federation, "my-db", "shanghai")).toMatchObject({
      state: "Held",
      reason: "HoldsData",
      message: "it stays with its data until somebody deletes it on the cluster: PersistentVolumeClaim data",
    });
    const writes = federation.hubWrites.length;
    await federation.pass(120_000);
    expect(federation.hubWrites.length).toBe(writes);

    await federation.apply(CLUSTERPLACEMENTS, everywhere);
    await federation.until(() => has(federation, "shanghai", MYSQLCLUSTERS, "my-db"));
    await federation.pass(5_000);
    expect(there()?.metadata.uid).toBe(uid);

    await federation.delete(MYSQLCLUSTERS, "my-db", TEAM);
    await federation.until(() => !hub.has(MYSQLCLUSTERS, TEAM, "my-db"));
    expect(there()?.metadata.uid).toBe(uid);
    expect(there()?.metadata.labels ?? {}).not.toHaveProperty([MANAGED_BY_LABEL]);
    expect(there()?.metadata.annotations ?? {}).not.toHaveProperty([OWNER_ANNOTATION]);
  });

  test("that cannot become what the hub has now is told, and never made anew", async () => {
    await using federation = await prepared();
    const { hub } = federation;
    await hub.apply(PERSISTENTVOLUMECLAIMS, claim("data"));
    await federation.apply(CLUSTERPLACEMENTS, everywhere);
    await federation.apply(MYSQLCLUSTERS, database("my-db", spec));
    const there = () => onMember(federation, "shanghai", PERSISTENTVOLUMECLAIMS, "data");
    await federation.until(() => there() !== undefined);
    const { uid } = there()?.metadata ?? {};
    await hub.empty(PERSISTENTVOLUMECLAIMS);
    await hub.apply(PERSISTENTVOLUMECLAIMS, {
      ...claim("data"),
      spec: { ...(claim("data")["spec"] as object), storageClassName: "fast" },
    });
    await federation.until(() => entryOf(federation, "my-db", "shanghai")?.reason === "ImmutableField");
    await federation.pass(60_000);
    expect(there()?.metadata.uid).toBe(uid);
    expect(there()?.["spec"]).not.toHaveProperty("storageClassName", "fast");
  });
});

describe("a Secret that is placed by a policy of its own, and that others need", () => {
  const own = clusterPlacement("secrets").selects({ apiVersion: "v1", kind: "Secret", name: "shared" });
  const password = (federation: TestFederation, cluster: string) =>
    onMember(federation, cluster, SECRETS, "shared")?.["data"];

  /** Its own policy places it on these clusters, and what needs it is everywhere. */
  async function shared(...clusters: string[]): Promise<TestFederation> {
    const federation = await prepared();
    await federation.hub.apply(SECRETS, secret("shared", "b25l"));
    await federation.apply(CLUSTERPLACEMENTS, own.onClusters(...clusters));
    await federation.apply(CLUSTERPLACEMENTS, everywhere.withSecretsAt("spec.secretName"));
    await federation.apply(MYSQLCLUSTERS, database("my-db", { secretName: "shared" }));
    await federation.until(() => password(federation, "shanghai") !== undefined);
    await federation.until(() => password(federation, "singapore") !== undefined);
    await federation.pass(10_000);
    return federation;
  }

  test("goes where either sends it; its own policy has the word where it places it; nobody fights", async () => {
    await using federation = await shared("shanghai");
    expect(ownerOf(onMember(federation, "shanghai", SECRETS, "shared")).kind).toBe("Secret");
    expect(ownerOf(onMember(federation, "singapore", SECRETS, "shared")).kind).toBe("MysqlCluster");
    const writes = (): number =>
      federation.hubWrites.length +
      [...federation.members.values()].reduce((sum, { writes: done }) => sum + done.length, 0);
    const before = writes();
    await federation.pass(120_000);
    expect(writes()).toBe(before);

    await federation.apply(CLUSTERPLACEMENTS, own.onClusters("shanghai").suspend());
    await federation.pass(2_000);
    await federation.hub.apply(SECRETS, secret("shared", "dHdv"));
    await federation.until(() => JSON.stringify(password(federation, "singapore")) === '{"password":"dHdv"}');
    await federation.pass(10_000);
    expect(password(federation, "shanghai")).toEqual({ password: "b25l" });
  });

  test("stays while either needs it, whoever leaves first", async () => {
    await using federation = await shared("shanghai", "singapore");
    const { uid } = onMember(federation, "shanghai", SECRETS, "shared")?.metadata ?? {};
    await federation.apply(CLUSTERPLACEMENTS, own.onClusters("singapore"));
    await federation.until(() => ownerOf(onMember(federation, "shanghai", SECRETS, "shared")).kind === "MysqlCluster");
    expect(ownerOf(onMember(federation, "singapore", SECRETS, "shared")).kind).toBe("Secret");
    expect(onMember(federation, "shanghai", SECRETS, "shared")?.metadata.uid).toBe(uid);
    await federation.delete(MYSQLCLUSTERS, "my-db", TEAM);
    await federation.until(() => !federation.hub.has(MYSQLCLUSTERS, TEAM, "my-db"));
    await federation.pass(5_000);
    expect(has(federation, "shanghai", SECRETS, "shared")).toBe(false);
    expect(has(federation, "singapore", SECRETS, "shared")).toBe(true);
  });
});
