import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, ResourceBinding } from "../../../src/apis/index.ts";
import { CRDS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { MYSQL, MYSQL_KIND, MYSQLCLUSTERS } from "./objects.ts";

const SELECTING = placement("mysql").selects(MYSQL);
const DECLARED = {
  available: "object.status.readyNodes >= object.spec.replicas",
  failed: "has(object.status.error)",
};
const DECLARING = SELECTING.health("MysqlCluster", DECLARED);

let count = 0;
/** Clusters serve one test after the other, and objects of kinds of their own outlive a test. */
let name = "";

/** With an object of two replicas, which a policy sends to all of the members. */
async function running(policy: typeof SELECTING, ...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.prepare(...names);
  for (const cluster of [federation.hub, ...names.map((member) => federation.member(member).server)])
    if (!cluster.has(CRDS, undefined, MYSQL_KIND.metadata.name)) await cluster.install(MYSQL_KIND);
  name = `my-db-${(count += 1)}`;
  await federation.startManager();
  await federation.apply(PLACEMENTS, policy);
  await federation.apply(MYSQLCLUSTERS, {
    ...MYSQL,
    metadata: { name, namespace: "default" },
    spec: { replicas: 2 },
  });
  await federation.until(() => binding(federation)?.status?.clusters?.length === names.length);
  await federation.until(() => names.every((member) => entryOf(federation, member)?.observedHash !== undefined));
  await federation.pass(5_000);
  return federation;
}

const binding = (federation: TestFederation): ResourceBinding | undefined =>
  federation.binding(`mysqlcluster.mysql.presslabs.org.${name}`);

const entryOf = (federation: TestFederation, cluster: string): ClusterStatusEntry | undefined =>
  binding(federation)?.status?.clusters?.find((entry) => entry.name === cluster);

function condition(federation: TestFederation, type: string): string | undefined {
  const found = binding(federation)?.status?.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
}

/** What the operator of the member says. */
async function says(federation: TestFederation, cluster: string, status: object): Promise<void> {
  const patch = { status } as never;
  await federation.member(cluster).server.merge(MYSQLCLUSTERS, "default", name, patch, "status");
}

const ready = (readyNodes: number) => ({
  readyNodes,
  observedGeneration: 1,
  conditions: [{ type: "Ready", status: readyNodes >= 2 ? "True" : "False", reason: "Counted", message: "counted" }],
});

describe("the health of an object of a kind that nobody knows", () => {
  test("changes with the declaration, without a write to the member; the same holds after a restart", async () => {
    await using federation = await running(SELECTING, "shanghai");
    await says(federation, "shanghai", { readyNodes: 2 });
    await federation.pass(5_000);
    expect(entryOf(federation, "shanghai")?.state).toBe("Unknown");
    const { writes } = federation.member("shanghai");
    const before = writes.length;
    await federation.apply(PLACEMENTS, DECLARING);
    await federation.until(() => entryOf(federation, "shanghai")?.state === "Available");
    await federation.apply(PLACEMENTS, SELECTING.health("MysqlCluster", { available: "object.status.readyNodes > 2" }));
    await federation.until(() => entryOf(federation, "shanghai")?.reason === "DeclaredUnavailable");
    await federation.apply(PLACEMENTS, DECLARING);
    await federation.until(() => entryOf(federation, "shanghai")?.state === "Available");
    await federation.pass(5_000);
    expect(federation.member("shanghai").writes.slice(before)).toEqual([]);

    const hubWrites = federation.hubWrites.length;
    await federation.restart();
    await federation.pass(20_000);
    expect(federation.hubWrites.slice(hubWrites)).toEqual([]);
    expect(federation.member("shanghai").writes.slice(before)).toEqual([]);
  });
});

describe("the sum of what the members say", () => {
  const SUMMING = DECLARING.aggregateStatus();
  const statusOnHub = (federation: TestFederation): Record<string, unknown> | undefined =>
    federation.hub.get(MYSQLCLUSTERS, "default", name)["status"] as Record<string, unknown> | undefined;

  test("is written into the object's own status, by one write for each change, and by none when all is quiet", async () => {
    await using federation = await running(SUMMING, "shanghai", "singapore");
    expect(statusOnHub(federation)).toBeUndefined();
    await says(federation, "shanghai", { ...ready(2), port: 3306, primary: "a" });
    await says(federation, "singapore", { ...ready(2), port: 3306, primary: "b" });
    await federation.until(() => statusOnHub(federation)?.["readyNodes"] === 4);
    const { generation } = federation.hub.get(MYSQLCLUSTERS, "default", name).metadata;
    expect(statusOnHub(federation)).toMatchObject({
      readyNodes: 4,
      port: 3306,
      observedGeneration: generation,
      conditions: [{ type: "Ready", status: "True", message: "True on 2 of 2 clusters; shanghai: counted" }],
    });
    expect(statusOnHub(federation)).not.toHaveProperty("primary");
    await federation.until(() => condition(federation, "StatusAggregated") === "True StatusSummedUp");
    await federation.pass(5_000);

    const before = federation.hubWrites.length;
    await says(federation, "shanghai", { ...ready(1), port: 3306 });
    await federation.until(() => statusOnHub(federation)?.["readyNodes"] === 3);
    await federation.pass(30_000);
    expect(federation.hubWrites.slice(before).filter((write) => write.endsWith(" mysqlclusters"))).toEqual([
      "applyStatus mysqlclusters",
    ]);
    expect(federation.hubWrites.slice(before).filter((write) => write.endsWith(" resourcebindings"))).toHaveLength(1);
    expect(statusOnHub(federation)).toMatchObject({
      conditions: [{ type: "Ready", status: "False", reason: "Counted" }],
    });
  });
});
