import { describe, expect, test } from "vitest";
import { bindingName } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import type { PlanReport } from "../../src/cmd/plan/report.ts";
import { eventually, meridian } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

/** With the manager killed at every step it is in test/faults. */

const FRANKFURT = "frankfurt-1";
const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const GRACE_SECONDS = 2;
const RETURN_SECONDS = 3;

const federation = useFederation({
  members: [
    { name: FRANKFURT, region: "eu-central-1" },
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
});

const copyOn = (cluster: string, namespace: string): Promise<Deployment | undefined> =>
  federation.memberApi(cluster).find<Deployment>(objectPath("Deployment", namespace, "shop"));

async function untilFailingOver(namespace: string, reason: string): Promise<number> {
  return await eventually(
    async () => {
      const condition = conditionOf(await federation.application(namespace, "shop"), "FailingOver");
      expect(condition).toMatchObject({ reason });
      return Date.parse(condition?.lastTransitionTime ?? "");
    },
    { timeout: 60_000, message: `FailingOver is ${reason}` },
  );
}

test("an object leaves a region whose API server is killed, and returns when the region is back", async () => {
  const namespace = await federation.namespace();
  const rules = { gracePeriod: `${GRACE_SECONDS}s`, returnAfter: `${RETURN_SECONDS}s` };
  const groups = [
    { name: "primary", clusterNames: [FRANKFURT] },
    { name: "backup", clusterNames: [SHANGHAI, SINGAPORE] },
  ];
  await federation.apply(
    placement("where")
      .namespace(namespace)
      .affinity(...groups)
      .clusterCount(1)
      .failover(rules),
  );
  await federation.apply(demoApplication("shop").namespace(namespace).replica(2).port(80));
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2 });
  const first = (await copyOn(FRANKFURT, namespace))?.metadata.uid;

  const { stdout } = await meridian(federation.hub, ["plan", "--without", FRANKFURT, "-o", "json"]);
  const [foreseen] = (JSON.parse(stdout) as PlanReport).objects;
  expect(foreseen?.clusters).toMatchObject([
    { name: FRANKFURT, change: "Moved", to: [SHANGHAI] },
    { name: SHANGHAI, change: "Moved", from: [FRANKFURT], replicas: { after: 2 } },
  ]);

  const frankfurt = federation.member(FRANKFURT).plane;
  await frankfurt.kill();
  const lost = await federation.untilMemberIs(FRANKFURT, "False", /^Cluster/);
  await untilFailingOver(namespace, "FailedOver");
  const replacement = await eventually(async () => {
    const copy = await copyOn(SHANGHAI, namespace);
    expect(copy?.status?.availableReplicas).toBe(2);
    return copy as Deployment;
  });
  // Not before the grace period is over; times are whole seconds.
  expect(Date.parse(replacement.metadata.creationTimestamp ?? "")).toBeGreaterThanOrEqual(
    Date.parse(lost.lastTransitionTime) + (GRACE_SECONDS - 1) * 1000,
  );
  const { status } = await federation.application(namespace, "shop");
  expect(status?.departures).toMatchObject([{ cluster: FRANKFURT, reason: "ClusterLost" }]);
  expect(await copyOn(SINGAPORE, namespace)).toBeUndefined();

  await frankfurt.start();
  const ready = await federation.untilMemberIs(FRANKFURT, "True");
  await untilFailingOver(namespace, "Settled");
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2 });
  const last = await copyOn(FRANKFURT, namespace);
  // What was left behind went; the one that is there now came after the way back was free.
  expect(last?.metadata.uid).not.toBe(first);
  expect(Date.parse(last?.metadata.creationTimestamp ?? "")).toBeGreaterThanOrEqual(
    Date.parse(ready.lastTransitionTime) + (RETURN_SECONDS - 1) * 1000,
  );
  await eventually(async () => expect(await copyOn(SHANGHAI, namespace)).toBeUndefined());
  expect(await copyOn(SINGAPORE, namespace)).toBeUndefined();
});

describe("objects of which the hub has no record run on where they are", () => {
  const NAMES = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
  const PLAIN = "plain";
  const shop = (namespace: string, name: string) => demoApplication(name).namespace(namespace).port(80);

  /** On the last cluster by name, and on one of three by now: anew they would come to the first. */
  async function running(names: readonly string[]): Promise<string> {
    const namespace = await federation.namespace();
    const selectors = [
      { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
      { apiVersion: "apps/v1", kind: "Deployment", name: PLAIN },
    ];
    const policy = placement("one")
      .namespace(namespace)
      .selects(...selectors)
      .clusterCount(1);
    await federation.apply(policy.onClusters(SINGAPORE));
    const labels = { app: PLAIN };
    await federation.api.create(collectionPath("Deployment", namespace), {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: PLAIN, namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
      },
    });
    for (const name of names) await federation.apply(shop(namespace, name));
    for (const name of names) await federation.untilAvailable(namespace, name, { [SINGAPORE]: 1 });
    await eventually(async () => expect(await uids(SINGAPORE, namespace)).toHaveLength(names.length + 1));
    await federation.apply(policy.onClusters(FRANKFURT, SHANGHAI, SINGAPORE));
    return namespace;
  }

  async function uids(cluster: string, namespace: string): Promise<string[]> {
    const deployments = await federation.memberApi(cluster).list<Deployment>(collectionPath("Deployment", namespace));
    return deployments.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
  }

  async function lose(namespace: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = objectPath("DemoApplication", namespace, name);
      await federation.api.patch(path, "merge", { metadata: { finalizers: null } });
      await federation.api.delete(path);
    }
  }

  async function loseBinding(namespace: string): Promise<void> {
    const name = bindingName({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: PLAIN });
    const path = objectPath("ResourceBinding", namespace, name);
    await federation.api.delete(path);
    await federation.api.patch(path, "merge", { metadata: { finalizers: null } });
  }

  test.each([
    { how: "lost and applied again while a manager runs", manager: "runs", lost: true },
    { how: "lost and applied again while none runs", manager: "stopped", lost: true },
    { how: "without their statuses, which were removed while none ran", manager: "stopped", lost: false },
  ])("$how", async ({ manager, lost }) => {
    // A hold begins with ten objects that are missing.
    const names = manager === "runs" ? NAMES : NAMES.slice(0, 5);
    const namespace = await running(names);
    const before = await uids(SINGAPORE, namespace);
    await using recorder = new Recorder(federation.memberApi(SINGAPORE), ["Deployment", "Service"]);
    await federation.manager.stop();
    if (lost) await lose(namespace, names);
    if (manager === "runs") {
      await federation.startManager();
      await eventually(async () =>
        expect(await federation.memberCondition(SINGAPORE, "DeletionsHeld")).toMatchObject({ reason: "OwnersMissing" }),
      );
    } else await loseBinding(namespace);
    for (const name of names) {
      if (lost) await federation.apply(shop(namespace, name));
      else
        await federation.api.patch(`${objectPath("DemoApplication", namespace, name)}/status`, "merge", {
          status: null,
        });
    }
    if (manager === "stopped") await federation.startManager();
    for (const name of names) await federation.untilAvailable(namespace, name, { [SINGAPORE]: 1 });
    await eventually(async () => expect(await federation.memberCondition(SINGAPORE, "DeletionsHeld")).toBeUndefined());
    expect(await uids(SINGAPORE, namespace)).toEqual(before);
    expect(await uids(FRANKFURT, namespace)).toEqual([]);
    expect(recorder.deletions).toEqual([]);
    for (const name of names) await federation.remove(shop(namespace, name));
  });
});
