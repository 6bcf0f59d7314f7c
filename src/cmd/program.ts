import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_CLASS, defined } from "../apis/index.ts";
import { LOG_LEVELS } from "../observability/index.ts";
import { duration, leaseName, protectedNamespace, systemNamespace } from "./shared/commonFlags.ts";
import {
  type BundleOptions,
  type CommandContext,
  type CordonOptions,
  type DrainOptions,
  EXIT,
  type ExplainOptions,
  type InstallOptions,
  type JoinOptions,
  type ManagerOptions,
  type ManagerWebhookOptions,
  parseBindAddress,
  parseBoolean,
  parseClusterName,
  parseControllerClass,
  parsePort,
  parseServiceName,
  parseWebhookUrl,
  type PlanOptions,
  printVersion,
  type RolloutOptions,
  type RolloutVerb,
  type Shell,
  type StatusOptions,
  type UninstallOptions,
  type UnjoinOptions,
  VERSION,
  type VersionOptions,
} from "./shared/index.ts";
import { addBundle } from "./bundle/flags.ts";
import { addInstall, addUninstall } from "./install/installFlags.ts";
import { addJoin } from "./member/joinFlags.ts";
import { loadQuickstart } from "./quickstart/load.ts";
import type { QuickstartOptions } from "./quickstart/options.ts";
import { addQuickstart } from "./quickstartFlags.ts";
import { addCordon } from "./cordon/flags.ts";
import { addRollout } from "./rollout/flags.ts";
import { parsePrometheus, type PrometheusFlags, withPrometheus } from "./manager/prometheusFlags.ts";
import { addExplain, addPlan } from "./plan/flags.ts";
import { addTelemetry, type TelemetryFlags, withTelemetry } from "./manager/telemetryFlags.ts";
import type { WebhookTarget } from "../webhooks/index.ts";
import { addCompletion, addStatus, addVersion } from "./status/viewFlags.ts";

/** The implementation of each verb. A verb loads its modules only when it runs. */
export interface Verbs {
  manager(options: ManagerOptions, context: CommandContext): Promise<number>;
  install(options: InstallOptions, context: CommandContext): Promise<number>;
  uninstall(options: UninstallOptions, context: CommandContext): Promise<number>;
  join(name: string, options: JoinOptions, context: CommandContext): Promise<number>;
  unjoin(name: string, options: UnjoinOptions, context: CommandContext): Promise<number>;
  cordon(name: string, options: CordonOptions, context: CommandContext): Promise<number>;
  uncordon(name: string, options: CordonOptions, context: CommandContext): Promise<number>;
  drain(name: string, options: DrainOptions, context: CommandContext): Promise<number>;
  rollout(verb: RolloutVerb, name: string, options: RolloutOptions, context: CommandContext): Promise<number>;
  bundle(name: string, options: BundleOptions, context: CommandContext): Promise<number>;
  status(names: string[], options: StatusOptions, context: CommandContext): Promise<number>;
  plan(options: PlanOptions, context: CommandContext): Promise<number>;
  explain(name: string | undefined, options: ExplainOptions, context: CommandContext): Promise<number>;
  quickstart(options: QuickstartOptions, context: CommandContext): Promise<number>;
  version(options: VersionOptions, context: CommandContext): Promise<number>;
  completion(shell: Shell, context: CommandContext): Promise<number>;
  /** Called by the scripts of `completion`, not by people. */
  complete(program: Command, words: readonly string[], context: CommandContext): Promise<number>;
}

/** Program name that a person types, unless Meridian was started under another name. */
export const PROGRAM = "meridian";
/** Hidden command that the completion scripts of the shells call, followed by the words after the program's name. */
export const COMPLETE = "__complete";

export const systemVerbs: Verbs = {
  manager: async (options, { signal }) => (await import("./manager/index.ts")).runManager(options, signal),
  install: async (options, context) => (await import("./install/index.ts")).install(options, context),
  uninstall: async (options, context) => (await import("./uninstall/index.ts")).uninstall(options, context),
  join: async (name, options, context) => (await import("./member/index.ts")).join(name, options, context),
  unjoin: async (name, options, context) => (await import("./member/index.ts")).unjoin(name, options, context),
  cordon: async (name, options, context) => (await import("./cordon/index.ts")).cordon(name, options, context),
  uncordon: async (name, options, context) => (await import("./cordon/index.ts")).uncordon(name, options, context),
  drain: async (name, options, context) => (await import("./cordon/index.ts")).drain(name, options, context),
  rollout: async (verb, name, options, context) =>
    (await import("./rollout/index.ts")).rollout(verb, name, options, context),
  bundle: async (name, options, context) => (await import("./bundle/index.ts")).createBundle(name, options, context),
  status: async (names, options, context) => (await import("./status/index.ts")).status(names, options, context),
  plan: async (options, context) => (await import("./plan/index.ts")).plan(options, context),
  explain: async (name, options, context) => (await import("./explain/index.ts")).explain(name, options, context),
  quickstart: async (options, context) => (await loadQuickstart()).runQuickstart(options, context),
  version: async (options, context) => printVersion(options, context.terminal),
  completion: async (shell, { terminal }) => {
    terminal.out((await import("./completion/index.ts")).completionScript(shell));
    return EXIT.ok;
  },
  complete: async (program, words, context) =>
    (await import("./completion/index.ts")).complete(program, words, context),
};

/** Called with the exit code of the verb that was run. */
export type Finished = (exitCode: number) => void;

/** The command line: options with their defaults, and the verb that each command runs. */
export function createProgram(verbs: Verbs, context: CommandContext, finished: Finished): Command {
  const program = new Command(context.program ?? PROGRAM)
    .description("Runs applications on many Kubernetes clusters from one hub.")
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the hub (default: KUBECONFIG, else ~/.kube/config, else the cluster that runs this program)",
    )
    .option("--context <name>", "context in the kubeconfig (default: its current-context)")
    .addOption(new Option("--log-level <level>", "how much is logged").choices(LOG_LEVELS).default("info"))
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.err(text),
      outputError: () => undefined,
    });

  const run = (work: () => Promise<number>) => async () => finished(await work());
  addManager(program, (options) => run(() => verbs.manager(options, context))());
  addInstall(program, (options) => run(() => verbs.install(options, context))());
  addUninstall(program, (options) => run(() => verbs.uninstall(options, context))());
  addJoin(program, (name, options) => run(() => verbs.join(name, options, context))());
  addUnjoin(program, (name, options) => run(() => verbs.unjoin(name, options, context))());
  addCordon(program, (verb, name, options) => run(() => verbs[verb](name, options, context))());
  addRollout(program, (verb, name, options) => run(() => verbs.rollout(verb, name, options, context))());
  addBundle(program, (name, options) => run(() => verbs.bundle(name, options, context))());
  addStatus(program, (names, options) => run(() => verbs.status(names, options, context))());
  addPlan(program, (options) => run(() => verbs.plan(options, context))());
  addExplain(program, (name, options) => run(() => verbs.explain(name, options, context))());
  addQuickstart(program, (options) => run(() => verbs.quickstart(options, context))());
  addVersion(program, (options) => run(() => verbs.version(options, context))());
  addCompletion(program, (shell) => run(() => verbs.completion(shell, context))());
  return program;
}

const WEBHOOK_PORT = 9443;

type ManagerFlags = TimingFlags &
  TelemetryFlags &
  PrometheusFlags &
  WebhookFlags & { controllerClass?: string[]; adoptClass?: string[]; protectedNamespace?: string[] };

interface TimingFlags extends Omit<
  ManagerOptions,
  | "leaseDurationMs"
  | "renewDeadlineMs"
  | "retryPeriodMs"
  | "webhooks"
  | "controllerClasses"
  | "protectedNamespaces"
  | "reconcileTimeoutMs"
  | "sampling"
> {
  leaseDuration: number;
  renewDeadline: number;
  retryPeriod: number;
  metricsBindAddress?: { host: string; port: number };
}

interface WebhookFlags {
  webhooks: boolean;
  webhookPort: number;
  webhookService?: { namespace: string; name: string };
  webhookUrl?: string;
  webhookCertDir?: string;
  webhookConfiguration: string;
  webhookCaOverlap: number;
}

function addManager(program: Command, action: (options: ManagerOptions) => Promise<void>): void {
  addTelemetry(program.command("manager"))
    .description("runs the controllers on the hub until it is stopped")
    .addOption(systemNamespace())
    .addOption(
      new Option("--metrics-port <port>", "port of /metrics, /healthz and /readyz").argParser(parsePort).default(8383),
    )
    .option("--metrics-host <address>", "address on which these endpoints listen", "0.0.0.0")
    .addOption(
      new Option("--metrics-bind-address <host:port>", "--metrics-host and --metrics-port in one option").argParser(
        parseBindAddress,
      ),
    )
    .addOption(
      new Option("--leader-elect [boolean]", "work only while this manager holds the Lease")
        .argParser(parseBoolean)
        .default(true)
        .preset("true"),
    )
    .addOption(leaseName())
    .addOption(duration("--lease-duration <duration>", "how long other managers wait for a silent leader", "15s"))
    .addOption(
      duration("--renew-deadline <duration>", "how long a leader tries to renew the Lease before it gives up", "10s"),
    )
    .addOption(duration("--retry-period <duration>", "how often a leader tries to renew", "2s"))
    .addOption(new Option("--identity <name>", "name of this replica (default: host name and a random part)"))
    .option("--allow-exec-credentials", "let a member's kubeconfig name a program that prints credentials", false)
    .addOption(
      new Option(
        "--controller-class <name>",
        "own only the objects of this class, beside another release (default: objects without a class)",
      ).argParser((text: string) => parseControllerClass(text)),
    )
    .addOption(
      new Option(
        "--adopt-class <name>",
        "also own the objects of this class, after its release was removed; `default` is the class without a name (may be repeated)",
      ).argParser(parseControllerClass),
    )
    .option(
      "--members-namespace <namespace>",
      "namespace of the members' Secrets (default: the namespace of --namespace)",
    )
    .addOption(protectedNamespace())
    .option("--webhooks", "serve conversion, defaulting and validation, and register them on the hub", false)
    .addOption(new Option("--webhook-port <port>", "port of the webhooks").argParser(parsePort).default(WEBHOOK_PORT))
    .addOption(
      new Option(
        "--webhook-service <namespace/name>",
        "Service through which the hub reaches the webhooks, on its port 443",
      )
        .argParser(parseServiceName)
        .conflicts("webhookUrl"),
    )
    .addOption(
      new Option("--webhook-url <url>", "address of the webhooks, if the hub does not reach Services").argParser(
        parseWebhookUrl,
      ),
    )
    .option(
      "--webhook-cert-dir <folder>",
      "folder with tls.crt, tls.key and ca.crt that somebody else renews (default: Meridian's own authority, in a Secret)",
    )
    .option("--webhook-configuration <name>", "name of the webhook configurations on the hub", "meridian")
    .addOption(
      duration("--webhook-ca-overlap <duration>", "how long the old and the new authority are both trusted", "10m"),
    )
    .addOption(
      new Option("--prometheus-url <url>", "Prometheus that gates of rollouts ask (default: none)").argParser(
        parsePrometheus,
      ),
    )
    .option(
      "--prometheus-ca-file <file>",
      "authorities for the certificate of Prometheus, PEM (default: the authorities of the system)",
    )
    .option("--prometheus-token-file <file>", "file with the bearer token for Prometheus; needs an https address")
    .action((_, command: Command) => action(managerOptions(command.optsWithGlobals<ManagerFlags>())));
}

function managerOptions(flags: ManagerFlags): ManagerOptions {
  const { leaseDuration, renewDeadline, retryPeriod, metricsBindAddress, identity, ...given } = flags;
  const { controllerClass, adoptClass, protectedNamespace: protectedNamespaces, ...others } = given;
  const { webhooks, ...rest } = withPrometheus(withTelemetry(withWebhooks(others)));
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
  return {
    ...rest,
    ...(controllerClass === undefined && adoptClass === undefined
      ? {}
      : { controllerClasses: [...new Set([...(controllerClass ?? [DEFAULT_CLASS]), ...(adoptClass ?? [])])] }),
    ...defined({ protectedNamespaces, webhooks }),
    ...(metricsBindAddress === undefined
      ? {}
      : { metricsHost: metricsBindAddress.host || rest.metricsHost, metricsPort }),
    leaseDurationMs: leaseDuration,
    renewDeadlineMs: renewDeadline,
    retryPeriodMs: retryPeriod,
    // Two processes on one host must never have the same identity.
    identity: identity ?? `${hostname()}_${randomUUID().slice(0, 8)}`,
  };
}

/** Collects the webhook flags in one option. Without `--webhooks` the option is undefined. */
function withWebhooks<F extends WebhookFlags>(flags: F) {
  const {
    webhooks,
    webhookPort,
    webhookService,
    webhookUrl,
    webhookCertDir,
    webhookConfiguration,
    webhookCaOverlap,
    ...rest
  } = flags;
  if (!webhooks) {
    const given = Object.entries({
      "--webhook-url": webhookUrl,
      "--webhook-service": webhookService,
      "--webhook-cert-dir": webhookCertDir,
      "--webhook-port": webhookPort === WEBHOOK_PORT ? undefined : webhookPort,
    });
    const [idle] = given.find(([, value]) => value !== undefined) ?? [];
    if (idle === undefined) return { ...rest, webhooks: undefined };
    throw new InvalidArgumentError(
      `${idle} needs the webhooks, and the webhooks are not served: give --webhooks as well, or leave ${idle} out`,
    );
  }
  const target: WebhookTarget | undefined =
    webhookUrl === undefined
      ? webhookService === undefined
        ? undefined
        : { kind: "Service", ...webhookService, port: 443 }
      : { kind: "Url", url: webhookUrl };
  if (target === undefined) {
    throw new InvalidArgumentError(
      "--webhooks needs the address at which the hub calls them: give --webhook-service or --webhook-url",
    );
  }
  const options: ManagerWebhookOptions = {
    port: webhookPort,
    target,
    ...defined({ certDir: webhookCertDir }),
    configuration: webhookConfiguration,
    overlapMs: webhookCaOverlap,
  };
  return { ...rest, webhooks: options };
}

interface UnjoinFlags extends Omit<UnjoinOptions, "deletionPolicy" | "isChosen"> {
  drain?: boolean;
  orphan?: boolean;
}

function addUnjoin(program: Command, action: (name: string, options: UnjoinOptions) => Promise<void>): void {
  program
    .command("unjoin")
    .description("ends a membership and removes the objects that join made")
    .argument("<name>", "name of the member cluster", parseClusterName)
    .addOption(new Option("--drain", "delete Meridian's objects from the member").conflicts("orphan"))
    .addOption(
      new Option("--orphan", "leave Meridian's objects running on the member, without Meridian (this is the default)"),
    )
    .option(
      "--member-kubeconfig <file>",
      "kubeconfig with which the member is cleaned (default: the stored credentials)",
    )
    .option("--member-context <name>", "context in the member's kubeconfig")
    .option("--force", "with --orphan: do not wait for a manager", false)
    .option("--dry-run", "print every step, and do nothing", false)
    .addOption(systemNamespace())
    .addOption(leaseName())
    .addOption(duration("--timeout <duration>", "how long to wait until the manager has removed its finalizer", "5m"))
    .action((name: string, _, command: Command) => {
      const { drain = false, orphan = false, ...rest } = command.optsWithGlobals<UnjoinFlags>();
      return action(name, { ...rest, deletionPolicy: drain ? "Drain" : "Orphan", isChosen: drain || orphan });
    });
}
