import { describe, expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { parsePrometheusText, valuesBy } from "../testing/prometheusText.ts";

test("the names and labels of the contract are all there", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.reconciled("DemoApplication");
  metrics.observePhase("fetch", 1);
  metrics.observePhase("apply", 1);
  metrics.observePhase("verify", 1);
  metrics.setObjectState("paas.cmft.com/DemoApplication/default/nginx-demo", "DemoApplication", "Available");
  metrics.setSync([{ kind: "Deployment", upToDate: 3, outOfSync: 1 }]);
  const controller = metrics.controller("placement");
  controller.maxConcurrent(8);
  controller.started();
  const queue = metrics.workqueue("placement");
  queue.added();
  queue.depth(3);
  queue.started(5);
  queue.finished(5);
  queue.retried();
  using _running = queue.observeRunning(() => [1_000, 3_000]);
  metrics.observeRequest({
    cluster: "hub",
    method: "PATCH",
    code: 200,
    verb: "apply",
    resource: "deployments",
    ms: 12,
  });
  metrics.setMemberReady("shanghai-1", true);
  metrics.setStatusStaleness("shanghai-1", 2);
  metrics.observePropagation(40);
  metrics.setDeletionsHeld("hub", true);
  metrics.setLeader("meridian", true);
  const { body } = await metrics.scrape();
  for (const line of [
    'operator_reconcile_total{type="success",name="placement"} 0',
    'operator_reconcile_total{type="error",name="placement"} 0',
    'federation_object_reconciles_total{kind="DemoApplication"} 1',
    'federation_objects{kind="DemoApplication",state="Available"} 1',
    'operator_reconcile_duration_seconds_count{phase="fetch"} 1',
    'operator_reconcile_duration_seconds_count{phase="apply"} 1',
    'operator_reconcile_duration_seconds_count{phase="verify"} 1',
    'operator_sync_status{resource="Deployment",status="up-to-date"} 3',
    'operator_sync_status{resource="Deployment",status="out-of-sync"} 1',
    'controller_runtime_reconcile_total{controller="placement",result="success"} 0',
    'controller_runtime_reconcile_errors_total{controller="placement"} 0',
    'controller_runtime_active_workers{controller="placement"} 1',
    'controller_runtime_max_concurrent_reconciles{controller="placement"} 8',
    'workqueue_depth{name="placement"} 3',
    'workqueue_adds_total{name="placement"} 1',
    'workqueue_queue_duration_seconds_count{name="placement"} 1',
    'workqueue_work_duration_seconds_count{name="placement"} 1',
    'workqueue_retries_total{name="placement"} 1',
    'workqueue_unfinished_work_seconds{name="placement"} 4',
    'workqueue_longest_running_processor_seconds{name="placement"} 3',
    'rest_client_requests_total{cluster="hub",method="PATCH",code="200"} 1',
    'rest_client_request_duration_seconds_count{cluster="hub",verb="apply"} 1',
    'federation_member_ready{cluster="shanghai-1"} 1',
    "federation_propagation_duration_seconds_count 1",
    'federation_status_staleness_seconds{cluster="shanghai-1"} 2',
    'federation_deletions_held{scope="hub"} 1',
    'leader_election_master_status{name="meridian"} 1',
  ]) {
    expect(body).toContain(line);
  }
  expect(body).toContain("controller_runtime_reconcile_time_seconds");
  expect(parsePrometheusText(body).get("controller_runtime_reconcile_time_seconds")?.type).toBe("histogram");
});

test("reconciles are counted by outcome and controller, and timed; what was given up is neither", async () => {
  const metrics = createMetrics({ processMetrics: false });
  const controller = metrics.controller("placement");
  for (const result of ["success", "requeue_after", "error", "requeue"] as const) {
    controller.started();
    controller.finished(result, 250);
  }
  metrics.controller("status");
  const { body } = await metrics.scrape();
  expect(body).toContain('controller_runtime_reconcile_total{controller="placement",result="error"} 1');
  expect(body).toContain('controller_runtime_reconcile_errors_total{controller="placement"} 1');
  expect(body).toContain('controller_runtime_active_workers{controller="placement"} 0');
  expect(body).toContain('controller_runtime_reconcile_time_seconds_sum{controller="placement"} 1');
  const families = parsePrometheusText(body);
  expect(valuesBy(families, "operator_reconcile_total", "type", { name: "placement" })).toEqual({
    success: 2,
    error: 1,
  });
  expect(valuesBy(families, "operator_reconcile_total", "type", { name: "status" })).toEqual({ success: 0, error: 0 });
});

test("what fails outside of a reconcile counts as an error of its controller", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.controller("cluster");
  metrics.failed("cluster");
  metrics.failed("worker");
  const families = parsePrometheusText((await metrics.scrape()).body);
  expect(valuesBy(families, "controller_runtime_reconcile_errors_total", "controller")).toEqual({
    cluster: 1,
    worker: 1,
  });
});

test("what is dropped begins at 0, so that an alert sees the first of it", async () => {
  const { body } = await createMetrics({ processMetrics: false }).scrape();
  for (const cause of ["queue_full", "failed"]) {
    expect(body).toContain(`federation_events_dropped_total{cause="${cause}"} 0`);
    expect(body).toContain(`federation_spans_dropped_total{cause="${cause}"} 0`);
  }
});

test("errors of what has no reconciles begin at 0, so that a rate sees the first of them", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.expectFailures("worker");
  const families = parsePrometheusText((await metrics.scrape()).body);
  expect(valuesBy(families, "controller_runtime_reconcile_errors_total", "controller")).toEqual({ worker: 0 });
});

describe("objects are counted, and no series names one", () => {
  test("by kind and state, of which an object has one at a time", async () => {
    const metrics = createMetrics({ processMetrics: false });
    for (let index = 0; index < 100; index++)
      metrics.setObjectState(`object-${index}`, "DemoApplication", "Progressing");
    for (let index = 0; index < 60; index++) metrics.setObjectState(`object-${index}`, "DemoApplication", "Available");
    metrics.setObjectState("config", "ConfigMap", "Available");
    metrics.forgetObject("object-0");
    metrics.forgetObject("object-0");
    const { body } = await metrics.scrape();
    expect(body).not.toContain("object-");
    const families = parsePrometheusText(body);
    const ofApplications = { kind: "DemoApplication" };
    expect(valuesBy(families, "federation_objects", "state", ofApplications)).toEqual({
      Progressing: 40,
      Available: 59,
    });
    expect(valuesBy(families, "federation_objects", "kind")).toEqual({ DemoApplication: 99, ConfigMap: 1 });
  });

  test("by a process that leads no more, none", async () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.setObjectState("a", "DemoApplication", "Available");
    metrics.setSync([{ kind: "Deployment", upToDate: 3, outOfSync: 0 }]);
    metrics.forgetObjects();
    const families = parsePrometheusText((await metrics.scrape()).body);
    expect(families.get("federation_objects")?.samples).toEqual([]);
    expect(families.get("operator_sync_status")?.samples).toEqual([]);
  });
});

test("watches are counted and not timed; clusters that are gone leave no series behind", async () => {
  const metrics = createMetrics({ processMetrics: false });
  for (const cluster of ["gone-1", "stays-1"]) {
    metrics.setMemberReady(cluster, true);
    metrics.setStatusStaleness(cluster, 1);
    metrics.setDeletionsHeld(cluster, false);
    for (const verb of ["list", "watch"])
      metrics.observeRequest({ cluster, method: "GET", code: 200, verb, resource: "nodes", ms: 1 });
  }
  const before = (await metrics.scrape()).body;
  expect(before).toContain('rest_client_requests_total{cluster="gone-1",method="GET",code="200"} 2');
  expect(before).not.toContain('rest_client_request_duration_seconds_count{cluster="gone-1",verb="watch"}');
  metrics.forgetCluster("gone-1");
  const { body } = await metrics.scrape();
  expect(body).not.toContain("gone-1");
  expect(body).toContain('federation_member_ready{cluster="stays-1"} 1');
});

test("the metrics of the process are part of the scrape", async () => {
  const { body } = await createMetrics().scrape();
  expect(parsePrometheusText(body).get("process_resident_memory_bytes")?.type).toBe("gauge");
});

describe("the reader of these tests refuses what promtool refuses", () => {
  const head = "# HELP a_total h\n# TYPE a_total counter\n";
  test.each([
    { name: "a line that is none", text: `${head}a_total\n`, says: /no sample/ },
    { name: "a series twice", text: `${head}a_total{x="1",y="2"} 1\na_total{y="2",x="1"} 1\n`, says: /given before/ },
    { name: "a counter that is not called so", text: "# HELP a h\n# TYPE a counter\na 1\n", says: /_total/ },
    { name: "a metric without help", text: "# TYPE a gauge\na 1\n", says: /no help/ },
  ])("$name", ({ text, says }) => expect(() => parsePrometheusText(text)).toThrow(says));
});

test("queries are counted by resource and code, and watches are not timed", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.observeQuery({ resource: "causes", code: 200, ms: 4, isWatch: false });
  metrics.observeQuery({ resource: "causes", code: 200, ms: 60_000, isWatch: true });
  const families = parsePrometheusText((await metrics.scrape()).body);
  const of = { resource: "causes" };
  expect(valuesBy(families, "federation_query_requests_total", "code", of)).toEqual({ 200: 2 });
  const timed = families.get("federation_query_request_duration_seconds")?.samples ?? [];
  expect(timed.find(({ name }) => name.endsWith("_count"))?.value).toBe(1);
});
