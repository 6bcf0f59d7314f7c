/**
 * The Grafana dashboards of the chart, from which test/chart/generate.ts writes files/dashboards. Promises: each query asks for metrics that
 * exist, for the chosen jobs alone, and Prometheus can parse it. No dashboard has a uid of its own.
 */
import { APPLICATION } from "./application.ts";
import { CLUSTER } from "./cluster.ts";
import { FLEET } from "./fleet.ts";
import { dashboard } from "./panels.ts";

/** By the name of the file, without `.json`. */
const DASHBOARDS = { fleet: FLEET, cluster: CLUSTER, application: APPLICATION };

/** Texts of the files, by name. */
export function dashboardFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(DASHBOARDS).map(([name, spec]) => [`${name}.json`, `${JSON.stringify(dashboard(spec), null, 2)}\n`]),
  );
}
