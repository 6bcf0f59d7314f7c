import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  FILTER_FIELDS,
  type FilterField,
  fragmentOf,
  isTrouble,
  type MatrixFilter,
  type PairName,
  type Route,
} from "../model/index.ts";
import type { Fleet } from "./fleet.ts";
import { GridView } from "./gridView.tsx";

interface Properties {
  fleet: Fleet;
  route: Route;
}

/** Objects by clusters, as far as a filter lets them through. */
export function Matrix({ fleet, route }: Properties) {
  const { filter } = route;
  const rows = fleet.matrix(filter);
  const { table, connection } = rows.live;
  const lines = rows.lines.lines();
  const found = rows.lines.columns(clustersFor(fleet, filter));
  // The same list while nothing of it differs, so that only lines that changed are drawn anew.
  const columns = useMemo(() => found, [JSON.stringify(found)]);
  const open = (pair: PairName): void => {
    location.hash = fragmentOf({ ...route, open: pair });
  };
  return (
    <section aria-labelledby="matrix" class="matrixView">
      <h2 id="matrix">
        Objects and clusters
        {table.isComplete ? (
          <span class="count">
            {lines.length} × {columns.length}
          </span>
        ) : null}
      </h2>
      <Filters filter={filter} />
      <Totals fleet={fleet} filter={filter} version={table.version} />
      {connection.is === "Refused" ? (
        <p class="notice warn">{connection.message}</p>
      ) : lines.length === 0 ? (
        <p class="dim">{table.isComplete ? "Nothing that you may read fits the filter." : "Loading…"}</p>
      ) : (
        <GridView lines={lines} columns={columns} onOpen={open} />
      )}
    </section>
  );
}

/** With a filter of clusters or troubles, empty columns say nothing. */
function clustersFor({ clusters }: Fleet, filter: MatrixFilter) {
  const known = clusters.table.rows().map(({ name, region, state }) => ({
    name,
    ...(region === undefined ? {} : { region }),
    isTroubled: isTrouble(state),
  }));
  const { cluster, region, reason, state } = filter;
  if (reason !== undefined || state !== undefined) return [];
  return known.filter(
    (one) => (cluster === undefined || one.name === cluster) && (region === undefined || one.region === region),
  );
}

const LABELS: Readonly<Record<FilterField, string>> = {
  namespace: "Namespace",
  kind: "Kind",
  name: "Name begins with",
  region: "Region",
  cluster: "Cluster",
  state: "State",
  reason: "Reason",
};

function Filters({ filter }: { filter: MatrixFilter }) {
  const change = (field: FilterField, value: string): void => {
    const next: MatrixFilter = { ...filter };
    if (value.trim() === "") delete next[field];
    else next[field] = value.trim();
    location.hash = fragmentOf({ view: "matrix", filter: next });
  };
  return (
    <form class="filters" role="search" aria-label="Filter of the matrix" onSubmit={(event) => event.preventDefault()}>
      {FILTER_FIELDS.map((field) => (
        <label key={field}>
          {LABELS[field]}
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={filter[field] ?? ""}
            onChange={({ currentTarget }) => change(field, currentTarget.value)}
          />
        </label>
      ))}
    </form>
  );
}

const AGAIN_MS = 5_000;

/** Sums of the whole filtered set come from the server: the page does not add up what it happens to hold. */
function Totals({ fleet, filter, version }: { fleet: Fleet; filter: MatrixFilter; version: number }) {
  const [text, setText] = useState("");
  const latest = useRef(version);
  latest.current = version;
  useEffect(() => {
    const gone = new AbortController();
    let shown = -1;
    const ask = async (): Promise<void> => {
      if (shown === latest.current || document.hidden) return;
      shown = latest.current;
      try {
        const { totals } = await fleet.client.list("placedobjects", { ...filter, limit: "1" }, gone.signal);
        setText(`${totals.count} copies, ${totals.ready} of ${totals.desired} replicas ready`);
      } catch {
        // The stream of the rows says what is wrong.
        if (!gone.signal.aborted) setText("");
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), AGAIN_MS);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [fleet, JSON.stringify(filter)]);
  return (
    <p class="dim" role="status">
      {text}
    </p>
  );
}
