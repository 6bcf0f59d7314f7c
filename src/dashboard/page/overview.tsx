import type { CauseRow, FederatedObjectRow, FleetClusterRow } from "../../query/types.ts";
import {
  ageText,
  byRegion,
  changeText,
  clusterCommand,
  contactText,
  counted,
  extentOf,
  fragmentOf,
  hasReservation,
  isTrouble,
  namesText,
  oldestObservation,
  type RegionGroup,
  rolloutCommand,
  type Route,
  shortName,
  sortedCauses,
  sortedHeld,
  waitingForPerson,
  waitSince,
  whyCommand,
} from "../model/index.ts";
import type { Fleet } from "./fleet.ts";
import type { Totals } from "./hooks.ts";
import { Command, Message, PairLink, Section, State } from "./pieces.tsx";

const MOST_ROWS = 50;

interface Properties {
  fleet: Fleet;
  route: Route;
  totals: Totals | undefined;
  now: number;
}

export function Overview({ fleet, route, totals, now }: Properties) {
  const { clusters, causes, rollouts, held, removing } = fleet;
  const regions = byRegion(clusters.table.rows());
  const waiting = waitingForPerson(rollouts.table.rows());
  const rows = sortedHeld([...held.table.rows(), ...removing.table.rows()]);
  const found = sortedCauses(causes.table.rows());
  const of = totals === undefined ? "" : ` in ${counted(totals.count, "object")} that you may read`;
  const oldest = oldestObservation(clusters.table.rows(), held.table.rows());
  return (
    <div class="overview">
      <Section
        id="causes"
        title="Trouble by cause"
        count={found.length}
        connection={causes.connection}
        isComplete={causes.table.isComplete}
        empty={`No trouble${of}. Everything is as it should be, or on its way.`}
      >
        <ol class="rows">
          {found.slice(0, MOST_ROWS).map((cause) => (
            <Cause key={`${cause.reason} ${cause.shape}`} cause={cause} route={route} now={now} />
          ))}
        </ol>
        <More all={found.length} />
      </Section>
      <Section
        id="clusters"
        title="Clusters by region"
        count={clusters.table.size}
        connection={clusters.connection}
        isComplete={clusters.table.isComplete}
        empty="No cluster has joined yet. To join one: meridian join NAME"
      >
        <div class="regions">
          {regions.map((group) => (
            <Region key={group.region} group={group} now={now} />
          ))}
        </div>
      </Section>
      <Section
        id="rollouts"
        title="Rollouts that wait for a person"
        count={waiting.length}
        connection={rollouts.connection}
        isComplete={rollouts.table.isComplete}
        empty="No rollout waits for a person."
      >
        <ul class="rows">
          {waiting.slice(0, MOST_ROWS).map((row) => (
            <Rollout key={shortName(row)} row={row} now={now} />
          ))}
        </ul>
        <More all={waiting.length} />
      </Section>
      <Section
        id="held"
        title="Held, or about to be deleted"
        count={rows.length}
        connection={held.connection}
        isComplete={held.table.isComplete && removing.table.isComplete}
        empty="Nothing is held, and nothing is about to be deleted."
      >
        <ul class="rows">
          {rows.slice(0, MOST_ROWS).map((row) => (
            <li key={`${row.kind} ${shortName(row)} ${row.cluster}`}>
              <p class="head">
                <PairLink route={route} pair={{ object: row, cluster: row.cluster }} />
                <State state={row.state} reason={row.reason} />
                <Age since={row.since} now={now} />
              </p>
              {row.message === undefined ? null : (
                <p class="message">
                  <Message text={row.message} />
                </p>
              )}
            </li>
          ))}
        </ul>
        <More all={rows.length} />
      </Section>
      <Section id="oldest" title="Oldest observation on the screen">
        <p data-oldest={oldest?.at ?? ""}>
          {oldest === undefined
            ? "Everything on the screen is current."
            : `${ageText(oldest.at, now)} old, of cluster ${oldest.cluster}.`}
        </p>
      </Section>
    </div>
  );
}

function Cause({ cause, route, now }: { cause: CauseRow; route: Route; now: number }) {
  const { reason, since, sample, clusters } = cause;
  const change = changeText(cause);
  const all = fragmentOf({ view: "matrix", filter: { reason } });
  return (
    <li class="cause">
      <p class="head">
        {clusters.length === 0 ? (
          <span class="reason">{reason}</span>
        ) : (
          <a class="reason" href={all}>
            {reason}
          </a>
        )}
        <span>{extentOf(cause)}</span>
        <Age since={since} now={now} />
        {change === undefined ? null : <span class="change">{change}</span>}
      </p>
      <p class="message">
        <Message text={sample.message} />
      </p>
      {clusters.length === 0 ? (
        <Command about={`${shortName(sample.object)} has it for the longest time:`} text={whyCommand(sample.object)} />
      ) : (
        <p class="dim">
          <PairLink route={route} pair={sample} /> has it for the longest time; clusters: {namesText(clusters)}
        </p>
      )}
    </li>
  );
}

function Region({ group, now }: { group: RegionGroup; now: number }) {
  const { region, clusters, troubled, reserved, copies, unready } = group;
  return (
    <details class="region" open={troubled > 0 || reserved > 0 || clusters.length <= 4}>
      <summary>
        <strong>{region === "" ? "No region" : region}</strong>
        <span>{counted(clusters.length, "cluster")}</span>
        {troubled > 0 ? <span class="state gone">{troubled} out of contact</span> : null}
        {reserved > 0 ? <span class="state warn">{reserved} with a warning</span> : null}
        <span class="dim">
          {unready} of {counted(copies, "copy", "copies")} not ready
        </span>
      </summary>
      <ul>
        {clusters.map((row) => (
          <Cluster key={row.name} row={row} now={now} />
        ))}
      </ul>
    </details>
  );
}

function Cluster({ row, now }: { row: FleetClusterRow; now: number }) {
  const { name, state, reason, message, since, objects, unready } = row;
  const needsAttention = isTrouble(state) || hasReservation(row);
  return (
    <li data-cluster={name}>
      <p class="head">
        <a href={fragmentOf({ view: "matrix", filter: { cluster: name } })}>{name}</a>
        <State state={hasReservation(row) ? "Degraded" : state} reason={reason} />
        {needsAttention ? <Age since={since} now={now} /> : null}
        <span class="contact">{contactText(row, now)}</span>
        <span class="dim">
          {unready}/{objects} not ready
        </span>
      </p>
      {needsAttention && message !== undefined ? (
        <p class="message">
          <Message text={message} />
        </p>
      ) : null}
      {needsAttention ? <Command text={clusterCommand(name)} /> : null}
    </li>
  );
}

function Rollout({ row, now }: { row: FederatedObjectRow; now: number }) {
  const { change, message } = row;
  return (
    <li>
      <p class="head">
        <strong>{shortName(row)}</strong>
        {change === undefined ? null : (
          <span>
            generation {change.generation}
            {change.stage === undefined ? "" : `, stage ${change.stage} of ${change.stages ?? change.stage}`}
          </span>
        )}
        <Age since={waitSince(row)} now={now} />
      </p>
      {message === undefined ? null : (
        <p class="message">
          <Message text={message} />
        </p>
      )}
      <Command text={rolloutCommand(row)} />
    </li>
  );
}

function Age({ since, now }: { since: string | undefined; now: number }) {
  const text = ageText(since, now);
  if (text === "" || since === undefined) return null;
  return (
    <time dateTime={since} title={new Date(since).toLocaleString()}>
      since {clockText(since, now)}, for {text}
    </time>
  );
}

/** The day only where it is another one. */
function clockText(time: string, now: number): string {
  const at = new Date(time);
  const clock = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return at.toDateString() === new Date(now).toDateString() ? clock : `${at.toLocaleDateString()} ${clock}`;
}

function More({ all }: { all: number }) {
  return all <= MOST_ROWS ? null : <p class="dim">and {all - MOST_ROWS} more: open the matrix</p>;
}
