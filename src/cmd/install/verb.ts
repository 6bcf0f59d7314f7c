import { InvalidArgumentError } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import {
  duration,
  EVERYTHING,
  leaseName,
  type OptionsOf,
  parseNamespace,
  systemNamespace,
  verb,
} from "../shared/index.ts";
import { type HubKindAccess } from "../workload/index.ts";

export const install = verb({
  name: "install",
  summary: "installs the CRDs on the hub, and an account with a manager's rights",
  flags: (command) =>
    command
      .addOption(systemNamespace())
      .addOption(leaseName())
      .option("--crds-only", "install the CRDs and nothing else", false)
      .option("--manager", "also run managers on the hub, as the chart does, and wait until they are ready", false)
      .option(
        "--image <image>",
        "with --manager: image of the managers, with registry and tag or digest (build one with `npm run image`)",
        parseImage,
      )
      .option("--replicas <count>", "with --manager: number of managers; one leads, the others wait", parseReplicas, 2)
      .option(
        "--image-pull-secret <name>",
        "with --manager: Secret in Meridian's namespace for pulling the image (may be repeated)",
        parseSecretName,
      )
      .option("--webhooks", "also grant the rights for webhooks; with --manager, the managers serve webhooks", false)
      .option(
        "--webhook-configuration <name>",
        "name of the webhook configurations, as given to the manager",
        "meridian",
      )
      .option("--local-member", "also grant the rights on the hub for a MemberCluster with `local: {}`", false)
      .option(
        "--secrets-of <namespace>",
        "also grant the right to read the Secrets of this namespace, for applications that use them (may be repeated)",
        parseNamespace,
      )
      .option(
        "--kinds <kinds>",
        "also grant the right to place objects of these kinds, such as mysqlclusters.mysql.presslabs.org,services; '*' is every kind",
        parsePlurals,
      )
      .option(
        "--status-of <kinds>",
        "also grant the right to write the sum of aggregateStatus into the status of these kinds; --kinds names them too",
        parsePlurals,
      )
      .addOption(
        duration(
          "--timeout <duration>",
          "how long to wait until the CRDs are served and the managers are ready",
          "60s",
        ),
      )
      .option("--dry-run", "let the hub check every object, and change nothing", false),
  options(flags, command) {
    const { manager, image, replicas, imagePullSecret: imagePullSecrets = [], ...others } = flags;
    const { crdsOnly, leaseName: lease, webhooks, webhookConfiguration, localMember, secretsOf = [], ...most } = others;
    const { kinds = [], statusOf = [], ...rest } = most;
    refuseUnplaced(kinds, statusOf);
    if (manager && image === undefined) {
      throw new InvalidArgumentError(
        "--manager needs --image, with registry and tag: build and push one with `npm run image -- --tag IMAGE --push`",
      );
    }
    const givesReplicas = command.getOptionValueSource("replicas") === "cli";
    if (!manager && (image !== undefined || imagePullSecrets.length > 0 || givesReplicas)) {
      throw new InvalidArgumentError(
        "--image, --image-pull-secret and --replicas say what --manager runs: give --manager as well",
      );
    }
    if (crdsOnly && manager)
      throw new InvalidArgumentError("--crds-only runs no managers: leave out one of --crds-only and --manager");
    if (crdsOnly && (webhooks || localMember || secretsOf.length > 0 || kinds.length > 0)) {
      throw new InvalidArgumentError(
        "--crds-only gives no rights: leave out --webhooks, --local-member, --secrets-of and --kinds",
      );
    }
    const access = {
      leaseName: lease,
      localMember,
      secretsOf,
      ...defined({
        kinds: kinds.length === 0 ? undefined : kinds.map((name) => kindAccess(name, statusOf)),
        webhookConfiguration: webhooks ? webhookConfiguration : undefined,
      }),
    };
    return {
      ...rest,
      ...defined({
        /** Rights of the manager's account; absent: only the CRDs are installed. */
        manager: crdsOnly ? undefined : access,
        /** Managers to run on the hub; absent: somebody else starts the managers. */
        workload: image === undefined ? undefined : { image, imagePullSecrets, replicas },
      }),
    };
  },
});
export type InstallOptions = OptionsOf<typeof install>;

function refuseUnplaced(kinds: readonly string[], statusOf: readonly string[]): void {
  const unnamed = statusOf.find((name) => !kinds.includes(name) && !kinds.includes(EVERYTHING));
  if (unnamed === undefined) return;
  throw new InvalidArgumentError(
    `--status-of ${unnamed} needs the right to place the kind: give --kinds ${unnamed} as well`,
  );
}

function kindAccess(name: string, statusOf: readonly string[]): HubKindAccess {
  const status = statusOf.includes(name) || statusOf.includes(EVERYTHING);
  if (name === EVERYTHING) return { group: EVERYTHING, plural: EVERYTHING, status };
  const [plural = "", ...group] = name.split(".");
  return { group: group.join("."), plural, status };
}

const MOST_REPLICAS = 20;

const PART = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
const IMAGE = new RegExp(
  `^(?:${PART}(?::\\d{1,5})?[/])?${PART}(?:[/]${PART})*(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/** With tag or digest: else a node would take what is called `latest` at that moment. */
function parseImage(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  if (!IMAGE.test(text) || !/[:@]/.test(name)) {
    throw new InvalidArgumentError(
      "An image looks like registry.example.com/platform/meridian:0.1.0, or ends with @sha256: and a digest.",
    );
  }
  return text;
}

function parseReplicas(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_REPLICAS)
    throw new InvalidArgumentError(`The value is a number from 1 to ${MOST_REPLICAS}.`);
  return count;
}

function parseSecretName(text: string, before: string[] = []): string[] {
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("A Secret's name has lower-case letters, digits, '-' and '.'.");
  }
  return [...new Set([...before, text])];
}

/** Adds `PLURAL.GROUP,...`; without a group a kind belongs to the core group. */
function parsePlurals(text: string, before: string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (name !== EVERYTHING && !/^[a-z][a-z0-9]{0,62}(\.[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/.test(name))
      throw new InvalidArgumentError("A kind is given by its plural and group, as mysqlclusters.mysql.presslabs.org.");
  }
  return [...new Set([...before, ...names])];
}
