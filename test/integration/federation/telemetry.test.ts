import { expect, test } from "vitest";
import { DEMOAPPLICATIONS, PLACEMENTS, SECRETS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { secret } from "./objects.ts";

/** An application that reads a Secret, on two members. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  await federation.apply(SECRETS, secret("login", { password: "aHVudGVyMg==" }));
  await federation.apply(PLACEMENTS, placement("all"));
  const shop = demoApplication("shop").replica(2).port(80).object();
  await federation.apply(DEMOAPPLICATIONS, {
    ...shop,
    spec: { ...shop.spec, envFrom: [{ secretRef: { name: "login" } }] },
  });
  await federation.untilAvailable("shop");
  return federation;
}

test("one trace has the whole story of a reconcile, step by step and cluster by cluster", async () => {
  await using federation = await running();
  await federation.stopManager();
  const { spans } = federation;
  const reconciles = spans.filter(({ name }) => name === "Reconcile");
  const secrets = spans.filter(({ name }) => name === "SyncSecret");
  expect(secrets.map(({ attributes }) => String(attributes["cluster"])).toSorted()).toEqual(["shanghai", "singapore"]);
  const [secret] = secrets;
  const parent = reconciles.find((span) => span.spanContext().spanId === secret?.parentSpanContext?.spanId);
  expect(parent?.attributes).toMatchObject({
    "reconcile.request": "default/shop",
    "reconcile.kind": "DemoApplication",
  });
  const children = spans.filter((span) => span.parentSpanContext?.spanId === parent?.spanContext().spanId);
  expect(new Set(children.map(({ name }) => name))).toEqual(
    new Set(["ComputeTarget", "SyncSecret", "SyncDeployment", "SyncService", "UpdateStatus"]),
  );
});

test("the log names trace, reconcile and object, and never what is in a Secret", async () => {
  await using federation = await running();
  const lines = federation.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const planned = lines.find(({ msg }) => String(msg).startsWith("planned:"));
  const uid = federation.hub.get(DEMOAPPLICATIONS, "default", "shop").metadata.uid;
  expect(planned).toMatchObject({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    reconcile_id: expect.any(String),
    resource_uid: uid,
  });
  expect(federation.log.join("")).not.toMatch(/hunter2|aHVudGVyMg/);
});

test("the metrics of the contract are there after the first application", async () => {
  await using federation = await running();
  const { body } = await federation.metrics.scrape();
  for (const sample of [
    'operator_reconcile_total{type="DemoApplication",name="default/shop"}',
    'operator_reconcile_duration_seconds_count{phase="fetch"}',
    'operator_reconcile_duration_seconds_count{phase="apply"}',
    'operator_reconcile_duration_seconds_count{phase="verify"}',
    'operator_sync_status{resource="DemoApplication/default/shop",status="Available"} 1',
    'controller_runtime_reconcile_total{controller="placement",result="success"}',
    'controller_runtime_reconcile_errors_total{controller="placement"} 0',
    'workqueue_depth{name="placement"} 0',
    'federation_member_ready{cluster="shanghai"} 1',
    "federation_propagation_duration_seconds_count 1",
    'federation_status_staleness_seconds{cluster="shanghai"} 0',
  ]) {
    expect(body).toContain(sample);
  }
});
