import { expect, test } from "vitest";
import { demoApplication, placement } from "../builders/index.ts";
import type { PlanReport } from "../../src/cmd/plan/report.ts";
import { eventually, meridian } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { type Deployment, objectPath } from "./objects.ts";

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
