import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { CLASS_PATTERN, DEFAULT_CLASS, defined } from "../../apis/index.ts";
import {
  duration,
  leaseName,
  type OptionsOf,
  parseBoolean,
  parsePort,
  protectedNamespace,
  systemNamespace,
  verb,
} from "../shared/index.ts";
import { DEFAULT_WORKERS } from "../../runtime/index.ts";
import { objectiveFlags, withObjectives } from "./objectiveFlags.ts";
import { recordFlags, withRecords } from "./recordFlags.ts";
import { queryFlags, withQueries } from "./queryFlags.ts";
import { prometheusFlags, withPrometheus } from "./prometheusFlags.ts";
import { telemetryFlags, withTelemetry } from "./telemetryFlags.ts";
import { webhookFlags, withWebhooks } from "./webhookFlags.ts";

export const manager = verb({
  name: "manager",
  summary: "runs the controllers on the hub until it is stopped",
  flags: (command) =>
    prometheusFlags(
      queryFlags(
        webhookFlags(
          telemetryFlags(objectiveFlags(recordFlags(command)))
            .addOption(systemNamespace())
            .option("--metrics-port <port>", "port of /metrics, /healthz and /readyz", parsePort, 8383)
            .option("--metrics-host <address>", "address on which these endpoints listen", "0.0.0.0")
            .option(
              "--metrics-bind-address <host:port>",
              "--metrics-host and --metrics-port in one option",
              parseBindAddress,
            )
            .addOption(
              new Option("--leader-elect [boolean]", "work only while this manager holds the Lease")
                .argParser(parseBoolean)
                .default(true)
                .preset("true"),
            )
            .addOption(leaseName())
            .addOption(
              duration("--lease-duration <duration>", "how long other managers wait for a silent leader", "15s"),
            )
            .addOption(
              duration(
                "--renew-deadline <duration>",
                "how long a leader tries to renew the Lease before it gives up",
                "10s",
              ),
            )
            .addOption(duration("--retry-period <duration>", "how often a leader tries to renew", "2s"))
            .option("--identity <name>", "name of this replica (default: host name and a random part)")
            .option(
              "--allow-exec-credentials",
              "let a member's kubeconfig name a program that prints credentials",
              false,
            )
            .option(
              "--controller-class <name>",
              "own only the objects of this class, beside another release (default: objects without a class)",
              (text: string) => parseControllerClass(text),
            )
            .option(
              "--adopt-class <name>",
              "also own the objects of this class, after its release was removed; `default` is the class without a name (may be repeated)",
              parseControllerClass,
            )
            .option(
              "--members-namespace <namespace>",
              "namespace of the members' Secrets (default: the namespace of --namespace)",
            )
            .addOption(protectedNamespace())
            .option(
              "--min-concurrent-reconciles <count>",
              "fewest objects in work at once, however slowly the hub answers",
              parseWorkers,
              DEFAULT_WORKERS.least,
            )
            .option(
              "--max-concurrent-reconciles <count>",
              "most objects in work at once; the manager stays below while the hub throttles or slows down",
              parseWorkers,
              DEFAULT_WORKERS.most,
            ),
        ),
      ),
    ),
  options(flags) {
    const { leaseDuration, renewDeadline, retryPeriod, metricsBindAddress, identity, ...given } = flags;
    const { controllerClass, adoptClass, protectedNamespace: protectedNamespaces, ...more } = given;
    const { minConcurrentReconciles: least, maxConcurrentReconciles: most, ...others } = more;
    const { webhooks, prometheus, sampling, queries, records, objectives, ...rest } = withPrometheus(
      withTelemetry(withObjectives(withRecords(withQueries(withWebhooks(others))))),
    );
    if (least > most) {
      throw new InvalidArgumentError(
        `--min-concurrent-reconciles (${least}) is more than --max-concurrent-reconciles (${most}): change one of them`,
      );
    }
    if (renewDeadline >= leaseDuration || retryPeriod >= renewDeadline) {
      throw new InvalidArgumentError(
        `--lease-duration (${leaseDuration} ms) must be longer than --renew-deadline (${renewDeadline} ms), and --renew-deadline longer than --retry-period (${retryPeriod} ms): change one of them`,
      );
    }
    const metricsPort = metricsBindAddress?.port ?? rest.metricsPort;
    if (webhooks !== undefined && webhooks.port === metricsPort && metricsPort !== 0) {
      const flag = metricsBindAddress === undefined ? "--metrics-port" : "--metrics-bind-address";
      throw new InvalidArgumentError(`${flag} and --webhook-port are both ${metricsPort}: give each a port of its own`);
    }
    const fixed = [metricsPort, webhooks?.port].filter((port) => port !== 0);
    if (queries?.port !== undefined && fixed.includes(queries.port))
      throw new InvalidArgumentError(
        `--query-port is ${queries.port}, as another port is: give each a port of its own`,
      );
    const isClassGiven = controllerClass !== undefined || adoptClass !== undefined;
    return {
      ...rest,
      metricsPort,
      metricsHost: metricsBindAddress?.host || rest.metricsHost,
      leaseDurationMs: leaseDuration,
      renewDeadlineMs: renewDeadline,
      retryPeriodMs: retryPeriod,
      /** Bounds of the number of objects in work at once. */
      concurrency: { least, most },
      // Two processes on one host must never have the same identity.
      identity: identity ?? `${hostname()}_${randomUUID().slice(0, 8)}`,
      ...defined({
        webhooks,
        prometheus,
        sampling,
        objectives,
        /** Absent: no records beside the log. */
        records,
        /** Absent: no query is answered. */
        queries,
        protectedNamespaces,
        /** The manager's own class, and the classes of releases that are gone. Absent: the default class. */
        controllerClasses: isClassGiven
          ? [...new Set([...(controllerClass ?? [DEFAULT_CLASS]), ...(adoptClass ?? [])])]
          : undefined,
      }),
    };
  },
});
export type ManagerOptions = OptionsOf<typeof manager>;

/** Reads `host:port`, `:port` and `[::1]:port`. */
function parseBindAddress(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(":");
  if (colon < 0) throw new InvalidArgumentError("An address looks like 127.0.0.1:8383 or :8383.");
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: parsePort(text.slice(colon + 1)) };
}

function parseWorkers(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError("The count is a number between 1 and 999.");
  return Number(text);
}

/** Each release on a hub owns objects of its own classes. Empty: the default class. */
function parseControllerClass(text: string, before: string[] = []): string[] {
  const name = text === "" ? DEFAULT_CLASS : text;
  if (!CLASS_PATTERN.test(name)) {
    throw new InvalidArgumentError("A class looks like v2: at most 40 lower-case letters, digits and '-'.");
  }
  return [...new Set([...before, name])];
}
