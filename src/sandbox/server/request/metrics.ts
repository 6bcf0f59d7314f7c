import type { Store } from "../../store/index.ts";

/** One finished request, as `apiserver_request_total` counts it. */
export interface CountedRequest {
  /** In capitals: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, DELETECOLLECTION, CONNECT. */
  verb: string;
  group: string;
  version: string;
  resource: string;
  subresource: string;
  scope: "" | "cluster" | "namespace" | "resource";
  dryRun: boolean;
  code: number;
}

/** Counts requests, and renders `/metrics` in the Prometheus text format with kube-apiserver's metric names. */
export class RequestMetrics {
  readonly #counts = new Map<string, number>();
  #watches = 0;

  count(request: CountedRequest): void {
    const { verb, group, version, resource, subresource, scope, dryRun, code } = request;
    const labels =
      `code="${code}",component="apiserver",dry_run="${dryRun ? "All" : ""}",group="${group}",resource="${resource}",` +
      `scope="${scope}",subresource="${subresource}",verb="${verb}",version="${version}"`;
    this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
  }

  watchBegins(): void {
    this.#watches++;
  }

  watchEnds(): void {
    this.#watches--;
  }

  text(store: Store): string {
    const objects = [...store.collections()]
      .filter(({ size }) => size > 0)
      .map(({ resource: { group, plural }, size }) => {
        const name = group === "" ? plural : `${plural}.${group}`;
        return `apiserver_storage_objects{resource="${name}"} ${size}`;
      });
    const { rss } = process.memoryUsage();
    const cpu = process.cpuUsage();
    return [
      "# HELP apiserver_request_total Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      "# TYPE apiserver_request_total counter",
      ...[...this.#counts].map(([labels, count]) => `apiserver_request_total{${labels}} ${count}`).sort(),
      "# HELP apiserver_longrunning_requests Gauge of all active long-running apiserver requests.",
      "# TYPE apiserver_longrunning_requests gauge",
      `apiserver_longrunning_requests{component="apiserver",verb="WATCH"} ${this.#watches}`,
      "# HELP apiserver_storage_objects Number of stored objects at the time of last check split by kind.",
      "# TYPE apiserver_storage_objects gauge",
      ...objects.sort(),
      "# HELP process_cpu_seconds_total Total user and system CPU time of the process that holds all clusters.",
      "# TYPE process_cpu_seconds_total counter",
      `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
      "# HELP process_resident_memory_bytes Resident memory size of the process that holds all clusters.",
      "# TYPE process_resident_memory_bytes gauge",
      `process_resident_memory_bytes ${rss}`,
      "",
    ].join("\n");
  }
}
