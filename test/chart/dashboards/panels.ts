/** As much of Grafana's model of a dashboard as the chart's dashboards need. Positions come from the order: panels fill rows of 24 columns. */

const SCHEMA_VERSION = 39;
const COLUMNS = 24;
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

export type Unit = "short" | "s" | "bytes" | "percentunit" | "reqps" | "cpm";

export interface Query {
  expr: string;
  /** Name of a series, from its labels. */
  legend: string;
}

export interface PanelSpec {
  title: string;
  /** What a reader learns here, behind the small i. */
  description: string;
  type: "stat" | "timeseries";
  unit: Unit;
  width: number;
  height: number;
  queries: readonly Query[];
}

export interface Row {
  title: string;
  panels: readonly PanelSpec[];
}

export interface Variable {
  name: string;
  label: string;
  /** Lists the choices. */
  query: string;
}

export interface DashboardSpec {
  title: string;
  description: string;
  variables: readonly Variable[];
  rows: readonly Row[];
}

type Named = Pick<PanelSpec, "title" | "description">;

/** One number, the newest. */
export function stat(named: Named, unit: Unit, ...queries: Query[]): PanelSpec {
  return { ...named, type: "stat", unit, width: 6, height: 5, queries };
}

/** A curve over time. */
export function graph(named: Named, unit: Unit, ...queries: Query[]): PanelSpec {
  return { ...named, type: "timeseries", unit, width: 12, height: 8, queries };
}

/** The JSON that Grafana imports. Without a uid: Grafana gives one, so that two releases do not overwrite each other's dashboards. */
export function dashboard({ title, description, variables, rows }: DashboardSpec): object {
  return {
    title,
    description,
    tags: ["meridian"],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    links: [{ title: "Meridian", type: "dashboards", tags: ["meridian"], includeVars: true, keepTime: true }],
    templating: {
      list: [
        { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" },
        ...variables.map(variable),
      ],
    },
    panels: laidOut(rows),
  };
}

function variable({ name, label, query }: Variable): object {
  return {
    name,
    label,
    type: "query",
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current: { selected: true, text: ["All"], value: ["$__all"] },
  };
}

function laidOut(rows: readonly Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({ id: panels.length + 1, type: "row", title: row.title, gridPos: { x: 0, y, w: COLUMNS, h: 1 } });
    y += 1;
    let x = 0;
    let height = 0;
    for (const spec of row.panels) {
      if (x + spec.width > COLUMNS) {
        y += height;
        x = 0;
        height = 0;
      }
      panels.push(panel(spec, panels.length + 1, { x, y }));
      x += spec.width;
      height = Math.max(height, spec.height);
    }
    y += height;
  }
  return panels;
}

function panel(spec: PanelSpec, id: number, { x, y }: { x: number; y: number }): object {
  const { title, description, type, unit, width, height, queries } = spec;
  return {
    id,
    type,
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { x, y, w: width, h: height },
    fieldConfig: { defaults: { unit, ...(type === "timeseries" ? { min: 0 } : {}) }, overrides: [] },
    ...(type === "stat" ? { options: { reduceOptions: { calcs: ["lastNotNull"] } } } : {}),
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint("A".charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
