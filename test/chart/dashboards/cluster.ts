import { type DashboardSpec, graph, type Row, stat } from "./panels.ts";
import { JOB, of, perSecond, quantile, sumBy } from "./queries.ts";

const CHOSEN = 'cluster=~"$cluster"';
const WRITES = 'method=~"POST|PUT|PATCH|DELETE"';
const FAILED = 'code=~"<error>|403|429|5.."';

const CONTACT: Row = {
  title: "Contact",
  panels: [
    stat({ title: "Ready", description: "1 with contact." }, "short", {
      expr: `min by (cluster) (${of("federation_member_ready", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
    stat({ title: "Last heard", description: "Time since the last contact, 0 in contact." }, "s", {
      expr: `max by (cluster) (${of("federation_status_staleness_seconds", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
    stat(
      { title: "Deletions held", description: "1 where many objects vanished at once and nothing is deleted." },
      "short",
      { expr: `max by (scope) (${of("federation_deletions_held", 'scope=~"$cluster"')})`, legend: "{{scope}}" },
    ),
    stat(
      { title: "Rejected credentials a minute", description: "Answers with 401. A renewed token ends them." },
      "cpm",
      {
        expr: sumBy("cluster", `60 * ${perSecond("rest_client_requests_total", CHOSEN, 'code="401"')}`),
        legend: "{{cluster}}",
      },
    ),
    graph({ title: "Ready over time", description: "1 with contact." }, "short", {
      expr: `min by (cluster) (${of("federation_member_ready", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
    graph(
      { title: "Time since the member was heard of", description: "Above 300 s for 5 minutes the alert fires." },
      "s",
      { expr: `max by (cluster) (${of("federation_status_staleness_seconds", CHOSEN)})`, legend: "{{cluster}}" },
    ),
  ],
};

const WRITES_WAIT: Row = {
  title: "Writes",
  panels: [
    graph({ title: "Breakers", description: "1 while writes are stopped, or tried one at a time." }, "short", {
      expr: `max by (cluster) (${of("federation_member_breaker_open", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
    graph({ title: "Objects that wait for a write", description: "The queue of each member." }, "short", {
      expr: sumBy("cluster", of("federation_member_queue_depth", CHOSEN)),
      legend: "{{cluster}}",
    }),
    graph({ title: "Longest wait for a write", description: "Above 300 s for 5 minutes the alert fires." }, "s", {
      expr: `max by (cluster) (${of("federation_member_queue_oldest_seconds", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
    graph({ title: "Silent kinds", description: "Kinds whose writes the member does not answer." }, "short", {
      expr: `max by (cluster) (${of("federation_member_silent_kinds", CHOSEN)})`,
      legend: "{{cluster}}",
    }),
  ],
};

const REQUESTS: Row = {
  title: "Requests",
  panels: [
    graph({ title: "Requests by code", description: "<error> had no answer." }, "reqps", {
      expr: sumBy("cluster, code", perSecond("rest_client_requests_total", CHOSEN)),
      legend: "{{cluster}} {{code}}",
    }),
    graph({ title: "Requests by method", description: "Writes are POST, PUT, PATCH and DELETE." }, "reqps", {
      expr: sumBy("cluster, method", perSecond("rest_client_requests_total", CHOSEN)),
      legend: "{{cluster}} {{method}}",
    }),
    graph(
      {
        title: "Failed writes",
        description: "Share without an answer, or with 403, 429 or 5xx. Above 10 % for 10 minutes the alert fires.",
      },
      "percentunit",
      {
        expr: [
          sumBy("cluster", perSecond("rest_client_requests_total", CHOSEN, WRITES, FAILED)),
          sumBy("cluster", perSecond("rest_client_requests_total", CHOSEN, WRITES)),
        ].join(" / "),
        legend: "{{cluster}}",
      },
    ),
    graph({ title: "Time of requests, p99", description: "By verb, without watches." }, "s", {
      expr: quantile(0.99, "rest_client_request_duration_seconds", "cluster, verb", CHOSEN),
      legend: "{{cluster}} {{verb}}",
    }),
  ],
};

export const CLUSTER: DashboardSpec = {
  title: "Meridian / Cluster",
  description: "Contact with each member, and the requests of the manager to it. The hub is the cluster hub.",
  variables: [
    JOB,
    { name: "cluster", label: "Cluster", query: `label_values(${of("rest_client_requests_total")}, cluster)` },
  ],
  rows: [CONTACT, WRITES_WAIT, REQUESTS],
};
