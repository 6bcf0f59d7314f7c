import { type Course, counter, gauge, startedEvery, type Timeline } from "./timeline.ts";

/** One alert, the trouble that it is for, and what a person reads. */
export interface AlertCase {
  alert: string;
  /** When it differs from the other cases of the alert. */
  name?: string;
  timeline: Timeline;
  series: Record<string, Course>;
  /** Minutes after the beginning of the trouble, at which the alert must not fire yet. */
  quietAfter: number;
  /** Labels beside `severity`. */
  labels?: Record<string, string>;
  summary: string;
  description: string;
}

const USUAL: Timeline = { calm: 20, trouble: 30, after: 30 };
const MANAGER = 'job="meridian",instance="10.0.0.7:8383"';
const writes = (code: string) =>
  `rest_client_requests_total{${MANAGER},cluster="shanghai-1",method="PATCH",code="${code}"}`;
/** Twenty events a minute, of which so many are good in trouble. */
const objective = (name: string, goodInTrouble: number) => ({
  [`federation_objective_good_events_total{${MANAGER},objective="${name}"}`]: counter(20, goodInTrouble),
  [`federation_objective_events_total{${MANAGER},objective="${name}"}`]: counter(20, 20),
});

const MEMBERS: readonly AlertCase[] = [
  {
    alert: "MeridianNoLeader",
    name: "two managers, of which none leads",
    timeline: USUAL,
    series: {
      'leader_election_master_status{job="meridian",name="meridian",instance="a"}': gauge(1, 0),
      'leader_election_master_status{job="meridian",name="meridian",instance="b"}': gauge(0, 0),
    },
    quietAfter: 1,
    summary: "No manager leads",
    description: "For 2 minutes nobody has planned or written anything. Applications keep running as they are.",
  },
  {
    alert: "MeridianNoLeader",
    name: "no manager is scraped",
    timeline: USUAL,
    series: { 'leader_election_master_status{job="meridian",name="meridian"}': gauge(1, undefined) },
    quietAfter: 1,
    labels: { job: "meridian" },
    summary: "No manager leads",
    description: "For 2 minutes nobody has planned or written anything. Applications keep running as they are.",
  },
  {
    alert: "MeridianMemberNotReady",
    timeline: USUAL,
    series: {
      [`federation_member_ready{${MANAGER},cluster="shanghai-1"}`]: gauge(1, 0),
      [`federation_member_ready{${MANAGER},cluster="singapore-1"}`]: gauge(1, 1),
    },
    quietAfter: 4,
    labels: { cluster: "shanghai-1" },
    summary: "Member cluster shanghai-1 is not ready",
    description:
      "The manager has no contact with shanghai-1, or may not work there. Changes wait until the cluster is back.",
  },
  {
    alert: "MeridianManyMembersNotReady",
    timeline: USUAL,
    series: {
      [`federation_member_ready{${MANAGER},cluster="shanghai-1"}`]: gauge(1, 0),
      [`federation_member_ready{${MANAGER},cluster="singapore-1"}`]: gauge(0, 0),
      [`federation_member_ready{${MANAGER},cluster="frankfurt-1"}`]: gauge(1, 1),
      [`federation_member_ready{${MANAGER},cluster="virginia-1"}`]: gauge(1, 1),
    },
    quietAfter: 4,
    summary: "More than a third of the member clusters are not ready",
    description:
      "50% of the clusters are not ready. Failover is held, since the hub is probably the one that is cut off.",
  },
  {
    alert: "MeridianStatusStale",
    timeline: USUAL,
    series: { [`federation_status_staleness_seconds{${MANAGER},cluster="shanghai-1"}`]: gauge(0, 400) },
    quietAfter: 4,
    labels: { cluster: "shanghai-1" },
    summary: "What is shown of shanghai-1 is old",
    description: "Nothing was heard of shanghai-1 for 6m 40s.",
  },
  {
    alert: "MeridianCredentialsRejected",
    timeline: USUAL,
    series: { [`rest_client_requests_total{${MANAGER},cluster="shanghai-1",method="GET",code="401"}`]: counter(0, 2) },
    quietAfter: 4,
    labels: { cluster: "shanghai-1" },
    summary: "shanghai-1 rejects the credentials of the manager",
    description: "The API server of shanghai-1 answers 401. The token has expired, or was revoked.",
  },
  ...["<error>", "403", "503"].map((code): AlertCase => {
    return {
      alert: "MeridianWritesFail",
      name: `code ${code}`,
      timeline: USUAL,
      series: { [writes("200")]: counter(60, 45), [writes(code)]: counter(0, 15) },
      quietAfter: 9,
      labels: { cluster: "shanghai-1" },
      summary: "Writes to shanghai-1 fail",
      description: "25% of the writes to shanghai-1 were not carried out.",
    };
  }),
  {
    alert: "MeridianStatusStaleOften",
    timeline: { calm: 90, trouble: 65, after: 30 },
    series: objective("fresh", 15),
    quietAfter: 5,
    summary: "What is shown of the members is often old",
    description:
      "In the last hour 25% of the looks at a member found an old state (`--objective-fresh`). The goal is 1 % at most.",
  },
  {
    alert: "MeridianBreakerOpen",
    timeline: USUAL,
    series: { [`federation_member_breaker_open{${MANAGER},cluster="shanghai-1"}`]: gauge(0, 1) },
    quietAfter: 4,
    labels: { cluster: "shanghai-1" },
    summary: "Writes to shanghai-1 are stopped",
    description: "Writes to shanghai-1 did not arrive, so the manager tries one at a time.",
  },
  {
    alert: "MeridianMemberQueueOld",
    timeline: USUAL,
    series: { [`federation_member_queue_oldest_seconds{${MANAGER},cluster="shanghai-1"}`]: gauge(2, 600) },
    quietAfter: 4,
    labels: { cluster: "shanghai-1" },
    summary: "Writes to shanghai-1 wait long",
    description: "The first object that waits for a write to shanghai-1 has waited for 10m 0s.",
  },
];

const OBJECTS: readonly AlertCase[] = [
  {
    alert: "MeridianObjectsDegraded",
    timeline: USUAL,
    series: {
      [`federation_objects{${MANAGER},kind="DemoApplication",state="Degraded"}`]: gauge(0, 2),
      [`federation_objects{${MANAGER},kind="DemoApplication",state="Available"}`]: gauge(90, 88),
    },
    quietAfter: 14,
    labels: { kind: "DemoApplication" },
    summary: "Objects of kind DemoApplication are degraded",
    description: "2 objects of kind DemoApplication are not available on a cluster on which they should run.",
  },
  {
    alert: "MeridianManyObjectsDegraded",
    timeline: USUAL,
    series: {
      [`federation_objects{${MANAGER},kind="DemoApplication",state="Degraded"}`]: gauge(4, 20),
      [`federation_objects{${MANAGER},kind="ConfigMap",state="Available"}`]: gauge(36, 20),
    },
    quietAfter: 9,
    summary: "More than a fifth of all objects are degraded",
    description: "20 objects are degraded at once, which is rarely the fault of one application.",
  },
  {
    alert: "MeridianOutOfSync",
    timeline: { ...USUAL, trouble: 40 },
    series: { [`operator_sync_status{${MANAGER},resource="Deployment",status="out-of-sync"}`]: gauge(0, 3) },
    quietAfter: 29,
    labels: { resource: "Deployment" },
    summary: "Member objects of kind Deployment stay out of sync",
    description: "3 member objects of kind Deployment are not as the hub wants them.",
  },
  {
    alert: "MeridianDeletionsHeld",
    timeline: USUAL,
    series: { [`federation_deletions_held{${MANAGER},scope="hub"}`]: gauge(0, 1) },
    quietAfter: 9,
    labels: { scope: "hub" },
    summary: "Deletions are held in hub",
    description: "Many objects vanished at once in hub, and no second read has confirmed it. Nothing is deleted there.",
  },
  {
    alert: "MeridianSlowPropagation",
    timeline: { calm: 90, trouble: 65, after: 30 },
    series: objective("propagated", 10),
    quietAfter: 5,
    summary: "Changes take long to arrive",
    description:
      "50% of the changes of the last hour were not on every member in time (`--objective-propagated`). The goal is 1 % at most.",
  },
  {
    alert: "MeridianSlowPropagationLasts",
    timeline: { calm: 400, trouble: 365, after: 60 },
    series: objective("propagated", 16),
    quietAfter: 60,
    summary: "Changes have taken long to arrive for hours",
    description:
      "20% of the changes of the last 6 hours were not on every member in time (`--objective-propagated`). The goal is 1 % at most.",
  },
  {
    alert: "MeridianRolloutFailed",
    timeline: USUAL,
    series: { [`federation_rollout_transitions_total{${MANAGER},of="Run",to="RolledBack"}`]: counter(0, 1) },
    quietAfter: 0,
    labels: { of: "Run" },
    summary: "A rollout in stages has failed or was taken back",
    description: "In 10 minutes 10 rollouts or stages failed or went back (counted as Run).",
  },
  {
    alert: "MeridianRolloutWaits",
    timeline: USUAL,
    series: { [`federation_wait_oldest_seconds{${MANAGER},for="approval"}`]: gauge(60, 7200) },
    quietAfter: 4,
    labels: { for: "approval" },
    summary: "A rollout waits for approval",
    description: "A rollout has waited for 2h 0m 0s (approval).",
  },
  {
    alert: "MeridianFailover",
    timeline: USUAL,
    series: {
      [`federation_failovers_total{${MANAGER},reason="ClusterLost"}`]: counter(0, 2),
      [`federation_failovers_total{${MANAGER},reason="Returned"}`]: counter(2, 2),
    },
    quietAfter: 0,
    labels: { reason: "ClusterLost" },
    summary: "Objects have left clusters",
    description: "20 times in 10 minutes an object left a cluster (ClusterLost).",
  },
];

const MANAGERS: readonly AlertCase[] = [
  {
    alert: "MeridianReconcileErrors",
    timeline: USUAL,
    series: { [`controller_runtime_reconcile_errors_total{${MANAGER},controller="placement"}`]: counter(4, 8) },
    quietAfter: 2,
    labels: { controller: "placement" },
    summary: "Controller placement fails",
    description: "8 reconciles a minute of placement failed.",
  },
  {
    alert: "MeridianQueueGrows",
    timeline: USUAL,
    series: { [`workqueue_depth{${MANAGER},name="placement"}`]: gauge(900, 1200) },
    quietAfter: 9,
    labels: { name: "placement" },
    summary: "Queue placement does not get shorter",
    description: "1200 keys wait in the queue placement.",
  },
  {
    alert: "MeridianQueueSlow",
    timeline: USUAL,
    series: {
      [`workqueue_queue_duration_seconds_bucket{${MANAGER},name="placement",le="5"}`]: counter(100, 0),
      [`workqueue_queue_duration_seconds_bucket{${MANAGER},name="placement",le="10"}`]: counter(100, 100),
      [`workqueue_queue_duration_seconds_bucket{${MANAGER},name="placement",le="+Inf"}`]: counter(100, 100),
    },
    quietAfter: 9,
    labels: { name: "placement" },
    summary: "Keys wait long in queue placement",
    description: "One key in a hundred waits longer than 9.95s in the queue placement.",
  },
  {
    alert: "MeridianReconcileStuck",
    timeline: USUAL,
    series: { [`workqueue_longest_running_processor_seconds{${MANAGER},name="placement"}`]: gauge(2, 150) },
    quietAfter: 4,
    labels: { name: "placement" },
    summary: "A reconcile of placement does not end",
    description: "The longest reconcile of placement has run for 2m 30s. The deadline is 30 seconds.",
  },
  {
    alert: "MeridianManagerRestarts",
    timeline: { ...USUAL, after: 40 },
    series: { [`process_start_time_seconds{${MANAGER}}`]: startedEvery(10) },
    quietAfter: 15,
    labels: { job: "meridian", instance: "10.0.0.7:8383" },
    summary: "The manager 10.0.0.7:8383 restarts again and again",
    description: "The manager 10.0.0.7:8383 started 3 times in 30 minutes.",
  },
  {
    alert: "MeridianManagerMemory",
    timeline: USUAL,
    series: { [`process_resident_memory_bytes{${MANAGER},pod="meridian-0"}`]: gauge(400 * 2 ** 20, 500 * 2 ** 20) },
    quietAfter: 9,
    labels: { job: "meridian", instance: "10.0.0.7:8383", pod: "meridian-0" },
    summary: "The manager meridian-0 is close to its memory limit",
    description: "The manager meridian-0 uses 500MiB. It is killed at its limit.",
  },
  {
    alert: "MeridianManagerSlow",
    timeline: USUAL,
    series: { [`nodejs_eventloop_lag_p99_seconds{${MANAGER}}`]: gauge(0.02, 0.7) },
    quietAfter: 9,
    labels: { job: "meridian", instance: "10.0.0.7:8383" },
    summary: "The manager 10.0.0.7:8383 has more to do than it can",
    description: "The event loop of 10.0.0.7:8383 is late by 700ms. Probes and the Lease may fail.",
  },
  {
    alert: "MeridianEventsDropped",
    timeline: USUAL,
    series: { [`federation_events_dropped_total{${MANAGER},cause="queue_full"}`]: counter(0, 4) },
    quietAfter: 0,
    labels: { cause: "queue_full" },
    summary: "Events were not written",
    description: "40 Events were not written in 10 minutes (cause: queue_full).",
  },
  {
    alert: "MeridianRecordsDropped",
    timeline: USUAL,
    series: { [`federation_records_dropped_total{${MANAGER},stream="operations",cause="queue_full"}`]: counter(0, 4) },
    quietAfter: 0,
    labels: { stream: "operations", cause: "queue_full" },
    summary: "Records of operations are lost",
    description: "40 records of operations reached no reader in 10 minutes (cause: queue_full).",
  },
];

const REQUESTS: readonly AlertCase[] = [
  {
    alert: "MeridianQueriesRefused",
    timeline: USUAL,
    series: {
      [`federation_query_requests_total{${MANAGER},resource="objects",code="200"}`]: counter(100, 80),
      [`federation_query_requests_total{${MANAGER},resource="objects",code="429"}`]: counter(0, 20),
    },
    quietAfter: 9,
    summary: "The query API refuses requests",
    description: "20% of the requests to the query API were answered with 429 or 5xx.",
  },
  {
    alert: "MeridianWebhookErrors",
    timeline: USUAL,
    series: {
      [`controller_runtime_webhook_requests_total{${MANAGER},webhook="validate",code="200"}`]: counter(100, 90),
      [`controller_runtime_webhook_requests_total{${MANAGER},webhook="validate",code="500"}`]: counter(0, 10),
    },
    quietAfter: 4,
    labels: { webhook: "validate" },
    summary: "The webhook validate fails",
    description: "10% of the calls of validate were answered with 429 or 5xx.",
  },
  {
    alert: "MeridianWebhookSlow",
    timeline: USUAL,
    series: {
      [`controller_runtime_webhook_latency_seconds_bucket{${MANAGER},webhook="validate",le="1"}`]: counter(100, 0),
      [`controller_runtime_webhook_latency_seconds_bucket{${MANAGER},webhook="validate",le="2.5"}`]: counter(100, 100),
      [`controller_runtime_webhook_latency_seconds_bucket{${MANAGER},webhook="validate",le="+Inf"}`]: counter(100, 100),
    },
    quietAfter: 9,
    labels: { webhook: "validate" },
    summary: "The webhook validate answers late",
    description: "One call in a hundred of validate takes longer than 2.485s. The hub waits 2 to 5 seconds.",
  },
  ...[
    [
      "rejection",
      'apiserver_admission_webhook_rejection_count{name="federation.paas.cmft.com",error_type="calling_webhook_error"}',
    ],
    [
      "passing unchecked",
      'apiserver_admission_webhook_fail_open_count{name="federation.paas.cmft.com",type="validating"}',
    ],
  ].map(([name = "", series = ""]): AlertCase => {
    return {
      alert: "MeridianWebhookUnreachable",
      name,
      timeline: USUAL,
      series: { [series]: counter(0, 2) },
      quietAfter: 4,
      labels: { name: "federation.paas.cmft.com" },
      summary: "The hub does not reach the webhook federation.paas.cmft.com",
      description:
        "The API server of the hub could not call federation.paas.cmft.com 20 times in 10 minutes: no manager answers, or the certificate is not trusted.",
    };
  }),
];

export const CASES: readonly AlertCase[] = [...MEMBERS, ...OBJECTS, ...MANAGERS, ...REQUESTS];
