import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TRACEPARENT_ANNOTATION } from "../../../src/apis/index.ts";
import {
  parsePrometheusText,
  type PrometheusFamily,
  valuesBy,
} from "../../../src/observability/testing/prometheusText.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, SECRETS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { OtlpRecorder, type RecordedSpan } from "../../envtest/otlpRecorder.ts";
import { TestFederation } from "./harness.ts";
import { secret } from "./objects.ts";

const MEMBERS = ["frankfurt", "shanghai", "singapore"];
const SHOP = "paas.cmft.com/DemoApplication/default/shop";
/** What a pipeline that deploys may write onto the object. */
const PIPELINE = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const PASSWORD = "hunter2";

type Line = Record<string, unknown> & { msg: string };

function linesOf(federation: TestFederation, from = 0): Line[] {
  return federation.log.slice(from).map((line) => JSON.parse(line) as Line);
}

async function scrape(federation: TestFederation): Promise<Map<string, PrometheusFamily>> {
  return parsePrometheusText((await federation.metrics.scrape()).body);
}

/** An application that reads a Secret, on every member. */
async function shop(federation: TestFederation, image: string, traceparent?: string): Promise<void> {
  const object = demoApplication("shop").replica(2).port(80).image(image).object();
  const annotations = traceparent === undefined ? {} : { [TRACEPARENT_ANNOTATION]: traceparent };
  await federation.apply(DEMOAPPLICATIONS, {
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: { ...object.spec, envFrom: [{ secretRef: { name: "login" } }] },
  });
  await federation.untilAvailable("shop");
  await federation.pass(3_000);
}

async function running(...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...names);
  await federation.apply(SECRETS, secret("login", { password: Buffer.from(PASSWORD).toString("base64") }));
  await federation.apply(PLACEMENTS, placement("all"));
  return federation;
}

describe("one change over three members", () => {
  let recorder: OtlpRecorder;
  let federation: TestFederation;
  /** Of the change that is looked at. */
  let lines: Line[];

  beforeAll(async () => {
    recorder = await OtlpRecorder.start();
    federation = await TestFederation.prepare(...MEMBERS);
    const sampling = { spans: { UpdateStatus: 1 } };
    const env = { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test" };
    federation.tracing = { exporter: undefined, endpoint: recorder.url, sampling, env };
    await federation.startManager();
    await federation.apply(SECRETS, secret("login", { password: Buffer.from(PASSWORD).toString("base64") }));
    await federation.apply(PLACEMENTS, placement("all"));
    await shop(federation, "nginx:1");
    await federation.pass(20_000);
    const before = federation.log.length;
    await shop(federation, "nginx:2", `00-${PIPELINE.traceId}-${PIPELINE.spanId}-01`);
    lines = linesOf(federation, before);
    // Long after the plan somebody takes a Deployment away.
    await federation.pass(20_000);
    await federation.member("shanghai").server.delete(DEPLOYMENTS, "default", "shop");
    await federation.until(() => federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop"));
    await federation.pass(5_000);
    await federation.stopManager();
  });
  afterAll(async () => {
    await federation?.[Symbol.asyncDispose]();
    await recorder?.[Symbol.asyncDispose]();
  });

  const scraped = async (): Promise<string> => (await federation.metrics.scrape()).body;
  const inTrace = (): RecordedSpan[] => recorder.spans.filter(({ traceId }) => traceId === PIPELINE.traceId);
  const attribute = (span: RecordedSpan, name: string): unknown => span.attributes[name];
  const planned = (): RecordedSpan => {
    const found = inTrace().filter((span) => attribute(span, "reconcile.controller") === "placement");
    expect(found).toHaveLength(1);
    return found[0] as RecordedSpan;
  };

  test("is one trace, which goes on from the object's annotation", () => {
    expect(recorder.refused).toEqual([]);
    expect(planned()).toMatchObject({ name: "Reconcile", parentSpanId: PIPELINE.spanId, failed: false });
    expect(planned().attributes).toMatchObject({
      "reconcile.request": "default/shop",
      "reconcile.kind": "DemoApplication",
      "reconcile.key": SHOP,
      "k8s.resource.generation": 2,
    });
    expect(planned().resource).toMatchObject({ "service.name": "meridian", "deployment.environment": "test" });
  });

  test("has a step for the decision, one for each member, and those of the status, and no other", () => {
    const steps = recorder.beneath(planned());
    const told = steps.map((span) =>
      [span.name, attribute(span, "cluster") ?? attribute(span, "reconcile.controller")].join(" "),
    );
    expect(told[0]).toBe("ComputeTarget ");
    const [syncs, rest] = [
      told.filter((text) => text.startsWith("Sync")),
      told.filter((text) => !text.startsWith("Sync")),
    ];
    expect(syncs.toSorted()).toEqual(MEMBERS.map((name) => `SyncDeployment ${name}`));
    expect(new Set(rest.slice(1))).toEqual(new Set(["Reconcile status"]));
    for (const span of steps.filter(({ name }) => name === "SyncDeployment"))
      expect(span.attributes).toMatchObject({
        "sync.result": "updated",
        "k8s.resource.name": "shop",
        "meridian.action": "Update",
      });
  });

  test("ends with the status, whose write says how it went", () => {
    const statuses = recorder.beneath(planned()).filter(({ name }) => name === "Reconcile");
    const writes = statuses.flatMap((span) => recorder.beneath(span));
    expect(writes.length).toBeGreaterThan(0);
    for (const write of writes) {
      expect(write).toMatchObject({ name: "UpdateStatus", failed: false });
      expect(write.attributes).toMatchObject({ "reconcile.key": SHOP, "http.status_code": 200 });
    }
    expect(writes.at(-1)?.attributes["status.phase"]).toBe("Available");
    expect(inTrace()).toHaveLength(1 + recorder.beneath(planned()).length + writes.length);
  });

  test("what is put right long after it is a trace of its own, with a link", () => {
    const healed = recorder.named("SyncDeployment").filter((span) => attribute(span, "sync.result") === "healed");
    expect(healed).toHaveLength(1);
    expect(healed[0]?.parentSpanId).toBeUndefined();
    expect(healed[0]?.links).toEqual([{ traceId: PIPELINE.traceId, spanId: planned().spanId }]);
    expect(attribute(healed[0] as RecordedSpan, "cluster")).toBe("shanghai");
  });

  test("Secrets are named, and nothing of them is told", async () => {
    const secrets = recorder.named("SyncSecret");
    expect(secrets.map((span) => String(attribute(span, "cluster"))).sort()).toEqual(MEMBERS);
    for (const span of secrets)
      expect(span.attributes).toMatchObject({ "secret.name": "login", "sync.result": "created" });
    const everything = JSON.stringify(recorder.spans, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    const records = JSON.stringify([federation.operations, federation.audit, federation.events]);
    for (const text of [everything, records, federation.log.join(""), await scraped()]) {
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(Buffer.from(PASSWORD).toString("base64"));
    }
  });

  test("is in the audit trail: each write to each member, with its trace", () => {
    const { audit } = federation;
    const ofTrace = audit.filter((record) => record.trace_id === PIPELINE.traceId);
    expect(ofTrace.map((record) => `${record.cluster} ${record.verb} ${record.resource_kind}`).toSorted()).toEqual(
      MEMBERS.map((name) => `${name} apply Deployment`),
    );
    for (const record of ofTrace)
      expect(record).toMatchObject({
        user: "manager",
        field_manager: "meridian",
        "k8s.cluster.uid": federation.member(record.cluster).server.uid,
        resource_name: "shop",
        result: "success",
        generation: 2,
        owner_kind: "DemoApplication",
        owner_name: "shop",
      });
    const applied = recorder.named("SyncDeployment").map(({ spanId }) => spanId);
    expect(applied).toEqual(expect.arrayContaining(ofTrace.map(({ span_id }) => span_id)));
    expect(audit.filter(({ resource_kind: kind }) => kind === "Secret")).toHaveLength(MEMBERS.length);
  });

  test("is in the operations events, which name the trace of the plan", () => {
    const healed = federation.operations.filter(({ reason }) => reason === "Recreated");
    expect(healed).toMatchObject([
      {
        severity: "WARNING",
        cluster: "shanghai",
        region: "region-of-shanghai",
        resource_kind: "DemoApplication",
        resource_namespace: "default",
        resource_name: "shop",
      },
    ]);
    const ids = new Set(recorder.spans.map(({ traceId }) => traceId));
    const followed = federation.operations.filter(({ resource_name: name }) => name === "shop");
    expect(followed.length).toBeGreaterThan(1);
    for (const event of followed) expect(ids).toContain(event.trace_id);
    const notes = federation.events.map(({ note }) => note);
    expect(federation.operations.map(({ message }) => message)).toEqual(expect.arrayContaining(notes));
  });

  test("can be followed in the log, from the change to the last member and the status", () => {
    const told = lines.filter(({ level, object }) => level === "info" && object === SHOP);
    const ids = new Set(told.slice(0, -1).map((line) => line["trace_id"]));
    expect([...ids]).toEqual([PIPELINE.traceId]);
    const texts = told.map(({ msg, cluster }) => [msg.split(":")[0], cluster].filter(Boolean).join(" "));
    expect(texts.slice(0, 2)).toEqual(["changed", "planned"]);
    expect(texts.filter((text) => text.startsWith("applied")).toSorted()).toEqual(
      MEMBERS.map((name) => `applied ${name}`),
    );
    expect(texts.at(-1)).toBe("status written");
    // However many there are: the lines of one change are few.
    expect(told.length).toBeLessThanOrEqual(2 + MEMBERS.length + 4);
    const workers = told.filter(({ msg }) => !msg.startsWith("status written"));
    expect(new Set(workers.map((line) => line["reconcile_id"])).size).toBe(1);
    for (const line of told) expect(line["resource_uid"]).toBe(federation.app("shop")?.metadata.uid);
  });
});

test("a change that is rolled out in stages can be followed to the last of them", async () => {
  await using federation = await TestFederation.start("shanghai", "singapore");
  const stages = [{ name: "canary", targetClusters: { clusterNames: ["shanghai"] }, soak: "30s" }, { name: "rest" }];
  await federation.apply(PLACEMENTS, placement("all").rollout({ stages }));
  const isDone = (revision: number) => (): boolean => {
    const { rollout } = federation.status("shop") ?? {};
    return rollout?.revision === revision && rollout.state === "Succeeded";
  };
  const apply = (image: string, annotations: Record<string, string> = {}) => {
    const object = demoApplication("shop").replica(2).image(image).object();
    return federation.apply(DEMOAPPLICATIONS, { ...object, metadata: { ...object.metadata, annotations } });
  };
  await apply("nginx:1");
  await federation.until(isDone(1), 120_000);
  await federation.pass(20_000);
  const before = federation.log.length;
  await apply("nginx:2", { [TRACEPARENT_ANNOTATION]: `00-${PIPELINE.traceId}-${PIPELINE.spanId}-01` });
  await federation.until(isDone(2), 120_000);
  await federation.stopManager();

  const told = linesOf(federation, before).filter(({ level, object }) => level === "info" && object === SHOP);
  for (const line of told) expect([line["trace_id"], line["change_trace_id"]], line.msg).toContain(PIPELINE.traceId);
  const texts = told.map(({ msg, cluster }) => [msg, cluster].filter(Boolean).join(" "));
  const steps = [
    "changed: generation 2",
    "rollout: revision 2: stage canary is Progressing, was Waiting",
    "applied: updated shanghai",
    "rollout: revision 2: stage canary is Soaking, was Progressing",
    "rollout: revision 2: stage rest is Progressing, was Waiting",
    "applied: updated singapore",
    "rollout: revision 2: the rollout is Succeeded, was Progressing",
  ];
  expect(texts.filter((text) => steps.includes(text))).toEqual(steps);

  // Beneath a span of the trace, or beside the one with which the change began.
  const ofTheChange = federation.spans.filter(
    ({ attributes }) => attributes["k8s.resource.generation"] === 2 || attributes["sync.result"] === "updated",
  );
  const roots = ofTheChange.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(roots.length).toBeGreaterThan(0);
  for (const { name, links } of roots)
    expect(
      links.map(({ context }) => context.traceId),
      name,
    ).toContain(PIPELINE.traceId);
});

test("a manager that starts and finds everything as it is to be says nothing of any object", async () => {
  await using federation = await running("shanghai");
  await shop(federation, "nginx:1");
  await federation.stopManager();
  const before = federation.log.length;
  await federation.startManager();
  await federation.pass(30_000);
  const told = linesOf(federation, before).filter(({ level, object }) => level !== "debug" && object !== undefined);
  expect(told).toEqual([]);
});

describe("the metrics", () => {
  test("count what is as it is to be, by kind, and objects by state", async () => {
    await using federation = await running("shanghai", "singapore");
    await shop(federation, "nginx:1");
    const families = await scrape(federation);
    const sync = (resource: string) => valuesBy(families, "operator_sync_status", "status", { resource });
    expect(sync("Deployment")).toEqual({ "up-to-date": 2, "out-of-sync": 0 });
    expect(sync("Service")).toEqual({ "up-to-date": 2, "out-of-sync": 0 });
    expect(sync("Secret")).toEqual({ "up-to-date": 2, "out-of-sync": 0 });
    expect(valuesBy(families, "federation_objects", "state")).toMatchObject({ Available: 1 });
    expect(valuesBy(families, "operator_reconcile_total", "type", { name: "placement" })).toMatchObject({ error: 0 });
    expect(valuesBy(families, "operator_reconcile_total", "type", { name: "placement" })["success"]).toBeGreaterThan(0);
    const phases = valuesBy(families, "operator_reconcile_duration_seconds_count", "phase");
    expect(Object.keys(phases).toSorted()).toEqual(["apply", "fetch", "verify"]);
    expect(phases["apply"]).toBeGreaterThanOrEqual(6);
    for (const { samples } of families.values())
      for (const { labels } of samples) expect(Object.values(labels).join()).not.toContain("shop");
    expect(valuesBy(families, "federation_member_ready", "cluster")).toEqual({ shanghai: 1, singapore: 1 });
    expect(valuesBy(families, "federation_status_staleness_seconds", "cluster")).toEqual({ shanghai: 0, singapore: 0 });
    expect(
      families.get("federation_propagation_duration_seconds")?.samples.find(({ name }) => name.endsWith("_count"))
        ?.value,
    ).toBe(1);
  });

  test("count what a member refuses as out of sync and as errors of the workers", async () => {
    await using federation = await running("shanghai");
    await shop(federation, "nginx:1");
    await federation.member("shanghai").server.create(DEPLOYMENTS, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "blog", namespace: "default" },
      spec: {
        selector: { matchLabels: { app: "theirs" } },
        template: { metadata: { labels: { app: "theirs" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    });
    await federation.apply(DEMOAPPLICATIONS, demoApplication("blog").replica(1));
    await federation.until(() => federation.entry("blog", "shanghai")?.reason === "AlreadyExists");
    const families = await scrape(federation);
    expect(valuesBy(families, "operator_sync_status", "status", { resource: "Deployment" })).toEqual({
      "up-to-date": 1,
      "out-of-sync": 1,
    });
    expect(valuesBy(families, "controller_runtime_reconcile_errors_total", "controller")["worker"]).toBeGreaterThan(0);
    const refusals = linesOf(federation).filter(({ msg }) => msg.startsWith("refused by the member"));
    expect(refusals).toMatchObject([{ level: "warn", event_reason: "AlreadyExists", cluster: "shanghai" }]);
    expect(refusals[0]).toMatchObject({
      object: "paas.cmft.com/DemoApplication/default/blog",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      reconcile_id: expect.any(String) as string,
      stack_trace: expect.any(String) as string,
    });
  });
});
