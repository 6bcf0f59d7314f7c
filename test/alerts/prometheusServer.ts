import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { eventually, freePort, ManagedProcess } from "../../src/cmd/realClusters/index.ts";
import { prometheusHere } from "../envtest/prometheus.ts";
import type { Plane } from "../envtest/index.ts";
import type { RuleGroup } from "./promtool.ts";

/** A series with its newest value. */
export interface Sampled {
  metric: Record<string, string>;
  value: number;
}

export interface PrometheusOptions {
  folder: string;
  groups: readonly RuleGroup[];
  /** An API server that is scraped as well. */
  apiServer?: Pick<Plane, "server" | "adminToken" | "caData">;
}

/** A real Prometheus on a loopback address, which scrapes one manager every second and evaluates these rules. */
export class PrometheusServer implements AsyncDisposable {
  readonly #process: ManagedProcess;
  readonly #url: string;
  readonly #targets: string;

  private constructor(process: ManagedProcess, url: string, targets: string) {
    this.#process = process;
    this.#url = url;
    this.#targets = targets;
  }

  static async start({ folder, groups, apiServer }: PrometheusOptions): Promise<PrometheusServer> {
    const command = await prometheusHere("prometheus");
    if (command === undefined) {
      throw new Error(
        "prometheus is not here: `npm run alerts` builds it with Go; or put it on PATH (Debian's package `prometheus` has it), or name it in PROMETHEUS",
      );
    }
    const [targets, rules, config] = ["targets.json", "rules.yaml", "prometheus.yaml"].map((name) =>
      join(folder, name),
    );
    if (targets === undefined || rules === undefined || config === undefined) throw new Error("no files");
    await writeFile(targets, "[]");
    await writeFile(rules, stringify({ groups }));
    await writeFile(config, stringify(configuration(targets, rules, apiServer)), { mode: 0o600 });
    const address = `127.0.0.1:${await freePort()}`;
    const child = new ManagedProcess({
      name: "prometheus",
      command,
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=${address}`,
      ],
      logFile: join(folder, "prometheus.log"),
      cwd: folder,
    });
    const server = new PrometheusServer(child, `http://${address}`, targets);
    try {
      await server.#untilReady();
    } catch (error) {
      await child.kill();
      throw error;
    }
    return server;
  }

  /** Scrapes this manager from now on. To Prometheus all of them are one instance, as containers of one pod are. */
  async scrape(url: string): Promise<void> {
    const text = JSON.stringify([{ targets: [new URL(url).host], labels: { instance: "manager" } }]);
    // Prometheus must not read half a file.
    await writeFile(`${this.#targets}.new`, text);
    await rename(`${this.#targets}.new`, this.#targets);
  }

  /** Throws when Prometheus does not take the query. */
  async query(expr: string): Promise<Sampled[]> {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`);
    const answer = (await response.json()) as {
      error?: string;
      data?: { resultType: string; result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    if (answer.data === undefined) throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  }

  /** Names of the alerts that fire now. */
  async firing(): Promise<string[]> {
    const series = await this.query('ALERTS{alertstate="firing"}');
    return series.map(({ metric }) => metric["alertname"] ?? "");
  }

  logTail(): Promise<string> {
    return this.#process.logTail();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop();
  }

  async #untilReady(): Promise<void> {
    await eventually(
      async () => {
        if (this.#process.exit !== undefined) throw new Error(`it ended:\n${await this.#process.logTail()}`);
        const response = await fetch(`${this.#url}/-/ready`);
        if (!response.ok) throw new Error(`/-/ready answers ${response.status}`);
      },
      { timeout: 60_000, message: "prometheus" },
    );
  }
}

function configuration(targets: string, rules: string, apiServer: PrometheusOptions["apiServer"]): object {
  const manager = { job_name: "meridian", file_sd_configs: [{ files: [targets], refresh_interval: "1s" }] };
  return {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: [rules],
    scrape_configs: [manager, ...(apiServer === undefined ? [] : [scrapeOf(apiServer)])],
  };
}

/** Only its webhook series are kept: an API server has tens of thousands. */
function scrapeOf({ server, adminToken, caData }: NonNullable<PrometheusOptions["apiServer"]>): object {
  return {
    job_name: "apiserver",
    scheme: "https",
    scrape_interval: "2s",
    scrape_timeout: "2s",
    authorization: { credentials: adminToken },
    tls_config: { ca: caData },
    static_configs: [{ targets: [new URL(server).host] }],
    metric_relabel_configs: [{ source_labels: ["__name__"], regex: "apiserver_admission_webhook_.*", action: "keep" }],
  };
}
