import { type Command, InvalidArgumentError, Option } from "commander";
import {
  duration,
  grantedKinds,
  grantedNamespaces,
  leaseName,
  protectedNamespace,
  systemNamespace,
} from "../shared/commonFlags.ts";
import {
  type JoinOptions,
  parseAllowProtected,
  parseClusterName,
  parseDuration,
  parseLabel,
  parseLabelValue,
  parseTaint,
} from "../shared/index.ts";

/** The options of `join`. */

interface JoinFlags extends Omit<JoinOptions, "labels" | "taints" | "protectedNamespaces"> {
  protectedNamespace?: string[];
  label?: JoinOptions["labels"];
  taint?: JoinOptions["taints"];
}

export function addJoin(program: Command, action: (name: string, options: JoinOptions) => Promise<void>): void {
  program
    .command("join")
    .description("makes a cluster a member, or renews its credentials")
    .argument("<name>", "name of the member cluster", parseClusterName)
    .requiredOption(
      "--member-kubeconfig <file>",
      "kubeconfig with administrator's rights on the member; used now, stored nowhere",
    )
    .option("--member-context <name>", "context in the member's kubeconfig")
    .addOption(
      new Option("--region <region>", "region of the cluster; placements and overrides choose by region").argParser(
        parseLabelValue,
      ),
    )
    .addOption(new Option("--zone <zone>", "zone of the cluster").argParser(parseLabelValue))
    .option("--provider <name>", "provider of the cluster, such as aws")
    .addOption(new Option("--label <key=value>", "label of the MemberCluster (may be repeated)").argParser(parseLabel))
    .addOption(
      new Option("--taint <key=value:effect>", "taint of the MemberCluster (may be repeated)").argParser(parseTaint),
    )
    .addOption(protectedNamespace("; default: as before"))
    .addOption(
      new Option(
        "--allow-protected <kinds>",
        "exceptions: kinds that the account may write into a namespace of Kubernetes, such as kube-system/Role,kube-system/RoleBinding; 'none' removes all exceptions (default: as before)",
      ).argParser(parseAllowProtected),
    )
    .addOption(grantedNamespaces())
    .addOption(grantedKinds())
    .option("--renew", "renew the credentials only; of the MemberCluster, only --namespaces may change", false)
    .addOption(
      duration(
        "--token-lifetime <duration>",
        "lifetime of the token; the manager renews the token at 80 % of its lifetime",
        "24h",
      ).argParser(parseTokenLifetime),
    )
    .addOption(systemNamespace())
    .addOption(leaseName())
    .option("--dry-run", "print every object that would be written, and write nothing", false)
    .addOption(duration("--timeout <duration>", "how long to wait until the cluster is ready", "60s"))
    .action((name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<JoinFlags>();
      refuseBesideRenew(flags);
      const { label = {}, taint = [], protectedNamespace: names, ...rest } = flags;
      const protectedNamespaces = names === undefined ? {} : { protectedNamespaces: names };
      return action(name, { ...rest, ...protectedNamespaces, labels: label, taints: taint });
    });
}

/** API servers issue no token with a shorter lifetime. */
const SHORTEST_TOKEN_MS = 600_000;

function parseTokenLifetime(text: string): number {
  const lifetime = parseDuration(text);
  if (lifetime < SHORTEST_TOKEN_MS) throw new InvalidArgumentError("A token lives 10m or longer.");
  return lifetime;
}

/** Throws if an option for the MemberCluster is combined with --renew, which does not write the MemberCluster. */
function refuseBesideRenew({ renew, region, zone, provider, label, taint }: JoinFlags): void {
  const given = Object.entries({ region, zone, provider, label, taint }).find(([, value]) => value !== undefined);
  if (!renew || given === undefined) return;
  const flag = `--${given[0]}`;
  throw new InvalidArgumentError(
    `--renew leaves the MemberCluster as it is, and ${flag} would change it: leave out ${flag}; or leave out --renew, and give all of --region, --zone, --provider, --label and --taint that the cluster is to have`,
  );
}
