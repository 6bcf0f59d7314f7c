import { expect, test } from "vitest";
import type { DemoApplication, KubeObject, RolloutStatus } from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, meridian } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { CONFIGURATION } from "./webhookCertificates.ts";

/** Needs the rights of webhooks, which the chart gives only where it is told to serve them: so not with the chart's rights alone. */

const FRANKFURT = "frankfurt-1";

const federation = useFederation({ members: [{ name: FRANKFURT, region: "eu-central-1" }] });

function untilRolloutIs(namespace: string, state: RolloutStatus["state"], revision: number): Promise<DemoApplication> {
  return eventually(
    async () => {
      const application = await federation.application(namespace, "shop");
      expect(application.status?.rollout).toMatchObject({ state, revision });
      return application;
    },
    { message: `the rollout of revision ${revision} is ${state}` },
  );
}

test("the status vouches for who approved from the first run on that begins with the webhooks", async () => {
  const namespace = await federation.namespace();
  const shop = (tag: string) =>
    demoApplication("shop").namespace(namespace).replica(1).image(`registry.test/shop:${tag}`);
  const approve = () => meridian(federation.hub, ["rollout", "approve", "shop", "-n", namespace]);
  const stages = [{ name: "first", targetClusters: { clusterNames: [FRANKFURT] }, approval: "Manual" as const }];
  await federation.apply(placement("all").namespace(namespace).rollout({ stages }));
  await federation.apply(shop("1"));
  await untilRolloutIs(namespace, "Paused", 1);
  await federation.manager.stop();
  const port = await freePort();
  const webhooks = ["--webhooks", "--webhook-port", `${port}`, "--webhook-url", `https://127.0.0.1:${port}`];
  await federation.startManager({ args: webhooks });
  expect((await approve()).code).toBe(0);
  // Whoever approved a run that is older than the webhooks may have been asked by nobody.
  const [older] = (await untilRolloutIs(namespace, "Succeeded", 1)).status?.rollout?.stages ?? [];
  expect(older).toMatchObject({ approverVerified: false });

  const { metadata } = await federation.api.get<KubeObject>(CONFIGURATION);
  const since = Date.parse(metadata.creationTimestamp ?? "") + 3_000;
  await eventually(() => expect(Date.now()).toBeGreaterThan(since), { message: "the hub calls the webhooks for 3 s" });
  await federation.apply(shop("2"));
  await untilRolloutIs(namespace, "Paused", 2);
  expect((await approve()).code).toBe(0);
  const [verified] = (await untilRolloutIs(namespace, "Succeeded", 2)).status?.rollout?.stages ?? [];
  expect(verified).toMatchObject({ approvedBy: expect.stringMatching(/\S/) as unknown });
  expect(verified).not.toHaveProperty("approverVerified");
});
