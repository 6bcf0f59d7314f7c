import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("the names and labels of the contract are all there", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.reconciled("DemoApplication", "default/nginx-demo");
  metrics.observePhase("fetch", 1);
  metrics.observePhase("apply", 1);
  metrics.observePhase("verify", 1);
  metrics.setSyncStatus("DemoApplication/default/nginx-demo", "Synced");
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
    'operator_reconcile_total{type="DemoApplication",name="default/nginx-demo"} 1',
    'operator_reconcile_duration_seconds_count{phase="fetch"} 1',
    'operator_reconcile_duration_seconds_count{phase="apply"} 1',
    'operator_reconcile_duration_seconds_count{phase="verify"} 1',
    'operator_sync_status{resource="DemoApplication/default/nginx-demo",status="Synced"} 1',
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
});

test("a reconcile that ends is counted by its result and timed", async () => {
  const metrics = createMetrics({ processMetrics: false });
  const controller = metrics.controller("c");
  controller.started();
  controller.finished("error", 250);
  const { body } = await metrics.scrape();
  expect(body).toContain('controller_runtime_reconcile_total{controller="c",result="error"} 1');
  expect(body).toContain('controller_runtime_reconcile_errors_total{controller="c"} 1');
  expect(body).toContain('controller_runtime_active_workers{controller="c"} 0');
  expect(body).toContain('controller_runtime_reconcile_time_seconds_sum{controller="c"} 0.25');
});

test("a resource has one sync status at a time", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.setSyncStatus("DemoApplication/default/a", "Synced");
  metrics.setSyncStatus("DemoApplication/default/a", "OutOfSync");
  const { body } = await metrics.scrape();
  expect(body.match(/^operator_sync_status\{.*$/gm)).toEqual([
    'operator_sync_status{resource="DemoApplication/default/a",status="OutOfSync"} 1',
  ]);
});

test("objects and clusters that are gone leave no series behind", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.reconciled("DemoApplication", "default/a");
  metrics.setSyncStatus("DemoApplication/default/a", "Synced");
  for (const cluster of ["gone-1", "stays-1"]) {
    metrics.setMemberReady(cluster, true);
    metrics.setStatusStaleness(cluster, 1);
    metrics.setDeletionsHeld(cluster, false);
    metrics.observeRequest({ cluster, method: "GET", code: 200, verb: "list", resource: "nodes", ms: 1 });
    metrics.observeRequest({ cluster, method: "GET", code: "<error>", verb: "watch", resource: "nodes", ms: 1 });
  }
  metrics.forgetObject("DemoApplication", "default/a");
  metrics.forgetCluster("gone-1");
  const { body } = await metrics.scrape();
  expect(body).not.toContain("default/a");
  expect(body).not.toContain("gone-1");
  expect(body).toContain('federation_member_ready{cluster="stays-1"} 1');
});

test("watches are counted but not timed", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.observeRequest({ cluster: "m", method: "GET", code: 200, verb: "watch", resource: "pods", ms: 60_000 });
  const { body } = await metrics.scrape();
  expect(body).toContain('rest_client_requests_total{cluster="m",method="GET",code="200"} 1');
  expect(body).not.toContain('rest_client_request_duration_seconds_count{cluster="m"');
});

test("the metrics of the process are part of the scrape", async () => {
  const { body } = await createMetrics().scrape();
  expect(body).toContain("process_resident_memory_bytes");
});
