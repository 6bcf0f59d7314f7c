import { type Command, InvalidArgumentError, Option } from "commander";
import { duration, leaseName, systemNamespace } from "../shared/commonFlags.ts";
import { type HubKindAccess } from "../workload/index.ts";
import {
  EVERYTHING,
  type InstallOptions,
  parseNamespace,
  parsePlurals,
  type UninstallOptions,
} from "../shared/index.ts";
import { parseImage, parseReplicas, parseSecretName } from "./workloadOptions.ts";

/** The options of `install` and `uninstall`. */

interface InstallFlags extends Omit<InstallOptions, "manager" | "workload"> {
  crdsOnly: boolean;
  manager: boolean;
  image?: string;
  replicas: number;
  imagePullSecret?: string[];
  leaseName: string;
  webhooks: boolean;
  webhookConfiguration: string;
  localMember: boolean;
  secretsOf?: string[];
  kinds?: string[];
  statusOf?: string[];
}

export function addInstall(program: Command, action: (options: InstallOptions) => Promise<void>): void {
  program
    .command("install")
    .description("installs the CRDs on the hub, and an account with a manager's rights")
    .addOption(systemNamespace())
    .addOption(leaseName())
    .option("--crds-only", "install the CRDs and nothing else", false)
    .option("--manager", "also run managers on the hub, as the chart does, and wait until they are ready", false)
    .addOption(
      new Option(
        "--image <image>",
        "with --manager: image of the managers, with registry and tag or digest (build one with `npm run image`)",
      ).argParser(parseImage),
    )
    .addOption(
      new Option("--replicas <count>", "with --manager: number of managers; one leads, the others wait")
        .argParser(parseReplicas)
        .default(2),
    )
    .addOption(
      new Option(
        "--image-pull-secret <name>",
        "with --manager: Secret in Meridian's namespace for pulling the image (may be repeated)",
      ).argParser(parseSecretName),
    )
    .option("--webhooks", "also grant the rights for webhooks; with --manager, the managers serve webhooks", false)
    .option("--webhook-configuration <name>", "name of the webhook configurations, as given to the manager", "meridian")
    .option("--local-member", "also grant the rights on the hub for a MemberCluster with `local: {}`", false)
    .addOption(
      new Option(
        "--secrets-of <namespace>",
        "also grant the right to read the Secrets of this namespace, for applications that use them (may be repeated)",
      ).argParser(parseNamespace),
    )
    .addOption(
      new Option(
        "--kinds <kinds>",
        "also grant the right to place objects of these kinds, such as mysqlclusters.mysql.presslabs.org,services; '*' is every kind",
      ).argParser(parsePlurals),
    )
    .addOption(
      new Option(
        "--status-of <kinds>",
        "also grant the right to write the sum of aggregateStatus into the status of these kinds; --kinds names them too",
      ).argParser(parsePlurals),
    )
    .addOption(
      duration("--timeout <duration>", "how long to wait until the CRDs are served and the managers are ready", "60s"),
    )
    .option("--dry-run", "let the hub check every object, and change nothing", false)
    .action((_, command: Command) => {
      const isGiven = command.getOptionValueSource("replicas") === "cli";
      return action(installOptions(command.optsWithGlobals<InstallFlags>(), isGiven));
    });
}

function installOptions(flags: InstallFlags, givesReplicas: boolean): InstallOptions {
  const { manager: wanted, image, replicas, imagePullSecret: imagePullSecrets = [], ...others } = flags;
  const { crdsOnly, leaseName: lease, webhooks, webhookConfiguration, localMember, secretsOf = [], ...most } = others;
  const { kinds = [], statusOf = [], ...rest } = most;
  const unnamed = statusOf.find((name) => !kinds.includes(name) && !kinds.includes(EVERYTHING));
  if (unnamed !== undefined)
    throw new InvalidArgumentError(
      `--status-of ${unnamed} needs the right to place the kind: give --kinds ${unnamed} as well`,
    );
  if (wanted && image === undefined) {
    throw new InvalidArgumentError(
      "--manager needs --image, with registry and tag: build and push one with `npm run image -- --tag IMAGE --push`",
    );
  }
  if (!wanted && (image !== undefined || imagePullSecrets.length > 0 || givesReplicas)) {
    throw new InvalidArgumentError(
      "--image, --image-pull-secret and --replicas say what --manager runs: give --manager as well",
    );
  }
  if (crdsOnly) {
    if (wanted)
      throw new InvalidArgumentError("--crds-only runs no managers: leave out one of --crds-only and --manager");
    if (webhooks || localMember || secretsOf.length > 0 || kinds.length > 0) {
      throw new InvalidArgumentError(
        "--crds-only gives no rights: leave out --webhooks, --local-member, --secrets-of and --kinds",
      );
    }
    return rest;
  }
  const manager = {
    leaseName: lease,
    localMember,
    secretsOf,
    ...(kinds.length === 0 ? {} : { kinds: kinds.map((name) => kindAccess(name, statusOf)) }),
    ...(webhooks ? { webhookConfiguration } : {}),
  };
  return { ...rest, manager, ...(image === undefined ? {} : { workload: { image, imagePullSecrets, replicas } }) };
}

function kindAccess(name: string, statusOf: readonly string[]): HubKindAccess {
  const status = statusOf.includes(name) || statusOf.includes(EVERYTHING);
  if (name === EVERYTHING) return { group: EVERYTHING, plural: EVERYTHING, status };
  const [plural = "", ...group] = name.split(".");
  return { group: group.join("."), plural, status };
}

interface UninstallFlags extends Omit<UninstallOptions, "objects"> {
  drain?: boolean;
  orphan?: boolean;
}

export function addUninstall(program: Command, action: (options: UninstallOptions) => Promise<void>): void {
  program
    .command("uninstall")
    .description("removes Meridian from the hub; while there are objects, needs --drain or --orphan")
    .addOption(systemNamespace())
    .addOption(leaseName())
    .addOption(
      new Option(
        "--drain",
        "delete Meridian's objects on the hub, and all copies on members; needs a manager",
      ).conflicts("orphan"),
    )
    .addOption(new Option("--orphan", "delete Meridian's objects on the hub, and leave the copies on members running"))
    .option("--keep-crds", "leave the CRDs on the hub", false)
    .option("--dry-run", "print every step, and do nothing", false)
    .option("-y, --yes", "do not ask; needed without a terminal", false)
    .addOption(duration("--timeout <duration>", "how long to wait in total", "10m"))
    .action((_, command: Command) => {
      const { drain, orphan, ...rest } = command.optsWithGlobals<UninstallFlags>();
      return action({ ...rest, objects: drain === true ? "Drain" : orphan === true ? "Orphan" : "Refuse" });
    });
}
