import { type DashboardSpec, graph, type Row, stat } from "./panels.ts";
import { goodShare, JOB, of, perSecond, quantile, sumBy } from "./queries.ts";

const PROPAGATION = "federation_propagation_duration_seconds";
const ALERTS = 'ALERTS{alertname=~"Meridian.*",alertstate="firing"}';

const NOW: Row = {
  title: "Now",
  panels: [
    stat(
      {
        title: "Alerts",
        description: "Alerts of Meridian that fire now. RUNBOOKS.md of the chart says what each asks for.",
      },
      "short",
      { expr: `count(${ALERTS}) or vector(0)`, legend: "firing" },
    ),
    stat(
      { title: "Members", description: "Members with which the manager is in contact, of all." },
      "short",
      { expr: `sum(min by (cluster) (${of("federation_member_ready")}))`, legend: "ready" },
      { expr: `count(count by (cluster) (${of("federation_member_ready")}))`, legend: "all" },
    ),
    stat(
      { title: "Objects", description: "Objects of the hub by their state. Only the leader counts them." },
      "short",
      { expr: sumBy("state", of("federation_objects")), legend: "{{state}}" },
    ),
    stat(
      { title: "Leaders", description: "Managers that hold the Lease: 1, except for seconds of a change." },
      "short",
      { expr: `sum(${of("leader_election_master_status")})`, legend: "leaders" },
    ),
    graph({ title: "Alerts over time", description: "Each alert that fires, one curve each." }, "short", {
      expr: `count by (alertname) (${ALERTS})`,
      legend: "{{alertname}}",
    }),
    graph({ title: "Members that are not ready", description: "1 for each member without contact." }, "short", {
      expr: `min by (cluster) (${of("federation_member_ready")}) == bool 0`,
      legend: "{{cluster}}",
    }),
  ],
};

const CHANGES: Row = {
  title: "Changes",
  panels: [
    graph(
      { title: "Time until every member has a change", description: "Median, and the slowest of a hundred changes." },
      "s",
      { expr: quantile(0.5, PROPAGATION), legend: "p50" },
      { expr: quantile(0.99, PROPAGATION), legend: "p99" },
    ),
    graph(
      {
        title: "Changes within the objective",
        description: "The goal is 99 %. The alert fires where the rest is used up too fast.",
      },
      "percentunit",
      { expr: goodShare("propagated"), legend: "in time" },
    ),
    graph(
      {
        title: "Looks within the objective",
        description: "How often the state of a member was fresh. The goal is 99 %.",
      },
      "percentunit",
      { expr: goodShare("fresh"), legend: "fresh" },
    ),
    graph({ title: "Longest wait", description: "How long an object has waited, by what it waits for." }, "s", {
      expr: `max by (for) (${of("federation_wait_oldest_seconds")})`,
      legend: "{{for}}",
    }),
    graph({ title: "Objects by state", description: "All kinds together." }, "short", {
      expr: sumBy("state", of("federation_objects")),
      legend: "{{state}}",
    }),
    graph(
      { title: "Deletions held", description: "1 where many objects vanished at once and nothing is deleted." },
      "short",
      { expr: `max by (scope) (${of("federation_deletions_held")})`, legend: "{{scope}}" },
    ),
  ],
};

const WORK: Row = {
  title: "Work of the manager",
  panels: [
    graph({ title: "Reconciles", description: "By controller and result." }, "reqps", {
      expr: sumBy("controller, result", perSecond("controller_runtime_reconcile_total")),
      legend: "{{controller}} {{result}}",
    }),
    graph({ title: "Failed reconciles a minute", description: "Above 5 for 2 minutes the alert fires." }, "cpm", {
      expr: sumBy("controller", `60 * ${perSecond("controller_runtime_reconcile_errors_total")}`),
      legend: "{{controller}}",
    }),
    graph({ title: "Time of a reconcile, p99", description: "By controller." }, "s", {
      expr: quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
      legend: "{{controller}}",
    }),
    graph({ title: "Keys that wait", description: "Depth of each queue." }, "short", {
      expr: sumBy("name", of("workqueue_depth")),
      legend: "{{name}}",
    }),
    graph({ title: "Time in the queue, p99", description: "How long a key waits for its turn." }, "s", {
      expr: quantile(0.99, "workqueue_queue_duration_seconds", "name"),
      legend: "{{name}}",
    }),
    graph(
      {
        title: "Longest reconcile",
        description: "How long the longest one has run that has not ended. The deadline is 30 s.",
      },
      "s",
      { expr: `max by (name) (${of("workqueue_longest_running_processor_seconds")})`, legend: "{{name}}" },
    ),
  ],
};

const REQUESTS: Row = {
  title: "Requests",
  panels: [
    graph({ title: "Requests to API servers", description: "By cluster and code; <error> had no answer." }, "reqps", {
      expr: sumBy("cluster, code", perSecond("rest_client_requests_total")),
      legend: "{{cluster}} {{code}}",
    }),
    graph({ title: "Time of requests, p99", description: "By cluster, without watches." }, "s", {
      expr: quantile(0.99, "rest_client_request_duration_seconds", "cluster"),
      legend: "{{cluster}}",
    }),
    graph({ title: "Queries of the fleet", description: "Requests to the query API, by code." }, "reqps", {
      expr: sumBy("code", perSecond("federation_query_requests_total")),
      legend: "{{code}}",
    }),
    graph({ title: "Time of queries, p99", description: "By resource, without watches." }, "s", {
      expr: quantile(0.99, "federation_query_request_duration_seconds", "resource"),
      legend: "{{resource}}",
    }),
    graph(
      { title: "Calls of webhooks", description: "By webhook and code. Refused objects have the code 200." },
      "reqps",
      {
        expr: sumBy("webhook, code", perSecond("controller_runtime_webhook_requests_total")),
        legend: "{{webhook}} {{code}}",
      },
    ),
    graph({ title: "Time of webhooks, p99", description: "The hub gives up after 2 to 5 s." }, "s", {
      expr: quantile(0.99, "controller_runtime_webhook_latency_seconds", "webhook"),
      legend: "{{webhook}}",
    }),
  ],
};

const PROCESS: Row = {
  title: "Process",
  panels: [
    graph({ title: "Memory", description: "Resident memory of each manager." }, "bytes", {
      expr: of("process_resident_memory_bytes"),
      legend: "{{pod}} {{instance}}",
    }),
    graph({ title: "CPU", description: "Cores that each manager uses." }, "short", {
      expr: perSecond("process_cpu_seconds_total"),
      legend: "{{pod}} {{instance}}",
    }),
    graph(
      { title: "Event loop", description: "How late timers are, p99. Above 0.5 s for 10 minutes the alert fires." },
      "s",
      { expr: of("nodejs_eventloop_lag_p99_seconds"), legend: "{{pod}} {{instance}}" },
    ),
    graph(
      { title: "Dropped", description: "Events that were not written, and spans that no collector received." },
      "cpm",
      { expr: sumBy("cause", `60 * ${perSecond("federation_events_dropped_total")}`), legend: "Events {{cause}}" },
      { expr: sumBy("cause", `60 * ${perSecond("federation_spans_dropped_total")}`), legend: "spans {{cause}}" },
    ),
  ],
};

export const FLEET: DashboardSpec = {
  title: "Meridian / Fleet",
  description: "How the hub, its members and the managers are, and what changes wait for.",
  variables: [JOB],
  rows: [NOW, CHANGES, WORK, REQUESTS, PROCESS],
};
