import { type DashboardSpec, graph, type Row, stat } from "./panels.ts";
import { goodShare, JOB, of, perSecond, quantile, sumBy } from "./queries.ts";

const CHOSEN = 'kind=~"$kind"';
const PROPAGATION = "federation_propagation_duration_seconds";

const OBJECTS: Row = {
  title: "Objects",
  panels: [
    ...["Available", "Progressing", "Degraded"].map((state) =>
      stat({ title: state, description: `Objects of the hub whose state is ${state}.` }, "short", {
        expr: `sum(${of("federation_objects", CHOSEN, `state="${state}"`)}) or vector(0)`,
        legend: state,
      }),
    ),
    stat({ title: "Member objects out of sync", description: "On all members, of all kinds." }, "short", {
      expr: `sum(${of("operator_sync_status", 'status="out-of-sync"')})`,
      legend: "out-of-sync",
    }),
    graph(
      { title: "Objects by kind and state", description: "No series names an object: meridian status does." },
      "short",
      { expr: sumBy("kind, state", of("federation_objects", CHOSEN)), legend: "{{kind}} {{state}}" },
    ),
    graph(
      { title: "Member objects", description: "Objects on members, by kind: as the hub wants them, or not." },
      "short",
      { expr: sumBy("resource, status", of("operator_sync_status")), legend: "{{resource}} {{status}}" },
    ),
  ],
};

const CHANGES: Row = {
  title: "Changes",
  panels: [
    graph({ title: "Plans", description: "Plans made a second, by kind." }, "reqps", {
      expr: sumBy("kind", perSecond("federation_object_reconciles_total", CHOSEN)),
      legend: "{{kind}}",
    }),
    graph(
      { title: "Steps of a plan, p99", description: "fetch: reading. apply: a write to a member. verify: comparing." },
      "s",
      { expr: quantile(0.99, "operator_reconcile_duration_seconds", "phase"), legend: "{{phase}}" },
    ),
    graph(
      {
        title: "Time until every member has a change",
        description: "All kinds: median, and the slowest of a hundred.",
      },
      "s",
      { expr: quantile(0.5, PROPAGATION), legend: "p50" },
      { expr: quantile(0.99, PROPAGATION), legend: "p99" },
    ),
    graph({ title: "Changes within the objective", description: "The goal is 99 %." }, "percentunit", {
      expr: goodShare("propagated"),
      legend: "in time",
    }),
  ],
};

const MOVES: Row = {
  title: "Rollouts and moves",
  panels: [
    graph({ title: "Rollouts a minute", description: "Runs, stages and clusters that came into a state." }, "cpm", {
      expr: sumBy("of, to", `60 * ${perSecond("federation_rollout_transitions_total")}`),
      legend: "{{of}} {{to}}",
    }),
    graph({ title: "Rollouts by state", description: "Objects with a rollout in stages." }, "short", {
      expr: sumBy("state", of("federation_rollouts")),
      legend: "{{state}}",
    }),
    graph({ title: "Waits", description: "Objects that wait, by what they wait for." }, "short", {
      expr: sumBy("for", of("federation_waits")),
      legend: "{{for}}",
    }),
    graph({ title: "Failovers a minute", description: "Objects that left a cluster, or returned." }, "cpm", {
      expr: sumBy("reason", `60 * ${perSecond("federation_failovers_total")}`),
      legend: "{{reason}}",
    }),
    graph({ title: "Troubles that ended, a minute", description: "By reason." }, "cpm", {
      expr: sumBy("reason", `60 * ${perSecond("federation_troubles_ended_total")}`),
      legend: "{{reason}}",
    }),
    graph(
      { title: "Refused by the webhooks, a minute", description: "Objects that somebody may not write like that." },
      "cpm",
      {
        expr: sumBy("kind, operation", `60 * ${perSecond("federation_webhook_refusals_total", CHOSEN)}`),
        legend: "{{kind}} {{operation}}",
      },
    ),
  ],
};

export const APPLICATION: DashboardSpec = {
  title: "Meridian / Applications",
  description: "Objects of the hub by kind, their changes, rollouts and moves.",
  variables: [JOB, { name: "kind", label: "Kind", query: `label_values(${of("federation_objects")}, kind)` }],
  rows: [OBJECTS, CHANGES, MOVES],
};
