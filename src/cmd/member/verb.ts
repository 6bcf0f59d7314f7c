import { Argument, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { defined, isOpenable } from "../../apis/index.ts";
import {
  duration,
  EVERYTHING,
  isLabelKey,
  isLabelValue,
  leaseName,
  memberName,
  offering,
  type OptionsOf,
  parseBoolean,
  parseClusterName,
  parseDuration,
  parseLabelValue,
  parseNamespace,
  protectedNamespace,
  systemNamespace,
  verb,
} from "../shared/index.ts";

export const join = verb({
  name: "join",
  summary: "makes a cluster a member, or renews its credentials",
  flags: (command) =>
    command
      .addArgument(
        offering("renewedMembers", new Argument("<name>", "name of the member cluster").argParser(parseClusterName)),
      )
      .requiredOption(
        "--member-kubeconfig <file>",
        "kubeconfig with administrator's rights on the member; used now, stored nowhere",
      )
      .option("--member-context <name>", "context in the member's kubeconfig")
      .option("--region <region>", "region of the cluster; placements and overrides choose by region", parseLabelValue)
      .option("--zone <zone>", "zone of the cluster", parseLabelValue)
      .option("--provider <name>", "provider of the cluster, such as aws")
      .option("--label <key=value>", "label of the MemberCluster (may be repeated)", parseLabel)
      .option("--taint <key=value:effect>", "taint of the MemberCluster (may be repeated)", parseTaint)
      .addOption(protectedNamespace("; default: as before"))
      .option(
        "--allow-protected <kinds>",
        "exceptions: kinds that the account may write into a namespace of Kubernetes, such as kube-system/Role,kube-system/RoleBinding; 'none' removes all exceptions (default: as before)",
        parseAllowProtected,
      )
      .option(
        "--namespaces <names>",
        "namespaces in which the account gets rights, such as a,b; missing namespaces are made now; '*' is the whole cluster (default: as before, else the whole cluster)",
        parseNamespaces,
      )
      .option(
        "--kinds <kinds>",
        "more kinds on which the account gets rights, such as mysqlclusters.mysql.presslabs.org,Ingress; they are added to earlier kinds; '*' is every kind that is served now, except kinds that give power; --renew adds later kinds",
        parseKinds,
      )
      .addOption(
        new Option(
          "--pod-logs [boolean]",
          "let the account read logs of pods, for users of the query API; needs --query-members on the manager (default: as before, else false)",
        )
          .argParser(parseBoolean)
          .preset("true"),
      )
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
      .addOption(duration("--timeout <duration>", "how long to wait until the cluster is ready", "60s")),
  options({ label, taint, protectedNamespace: protectedNamespaces, ...rest }) {
    const { renew, region, zone, provider } = rest;
    if (renew) refuseBesideRenew({ region, zone, provider, label, taint });
    return { ...rest, ...defined({ protectedNamespaces }), labels: label ?? {}, taints: taint ?? [] };
  },
});
export type JoinOptions = OptionsOf<typeof join>;

/** --renew does not write the MemberCluster. */
function refuseBesideRenew(described: Record<string, unknown>): void {
  const given = Object.entries(described).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  const flag = `--${given[0]}`;
  throw new InvalidArgumentError(
    `--renew leaves the MemberCluster as it is, and ${flag} would change it: leave out ${flag}; or leave out --renew, and give all of --region, --zone, --provider, --label and --taint that the cluster is to have`,
  );
}

export const unjoin = verb({
  name: "unjoin",
  summary: "ends a membership and removes the objects that join made",
  flags: (command) =>
    command
      .addArgument(memberName("<name>"))
      .addOption(new Option("--drain", "delete Meridian's objects from the member").conflicts("orphan"))
      .option("--orphan", "leave Meridian's objects running on the member, without Meridian (this is the default)")
      .option(
        "--member-kubeconfig <file>",
        "kubeconfig with which the member is cleaned (default: the stored credentials)",
      )
      .option("--member-context <name>", "context in the member's kubeconfig")
      .option("--force", "with --orphan: do not wait for a manager", false)
      .option("--dry-run", "print every step, and do nothing", false)
      .addOption(systemNamespace())
      .addOption(leaseName())
      .addOption(
        duration("--timeout <duration>", "how long to wait until the manager has removed its finalizer", "5m"),
      ),
  options: ({ drain = false, orphan = false, ...rest }) => ({
    ...rest,
    deletionPolicy: drain ? ("Drain" as const) : ("Orphan" as const),
    /** False: nobody has asked for the deletion policy. */
    isChosen: drain || orphan,
  }),
});
export type UnjoinOptions = OptionsOf<typeof unjoin>;

/** API servers issue no shorter token. */
const SHORTEST_TOKEN_MS = 600_000;

function parseTokenLifetime(text: string): number {
  const lifetime = parseDuration(text);
  if (lifetime < SHORTEST_TOKEN_MS) throw new InvalidArgumentError("A token lives 10m or longer.");
  return lifetime;
}

interface Taint {
  key: string;
  value?: string;
  effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** Adds one `key=value` to the earlier labels. */
function parseLabel(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf("=");
  const [key, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (equals < 0 || !isLabelKey(key) || !isLabelValue(value)) {
    throw new InvalidArgumentError("A label looks like tier=edge or example.com/owner=sre.");
  }
  return { ...before, [key]: value };
}

/** Adds one `key[=value]:Effect` to the earlier taints. */
function parseTaint(text: string, before: Taint[] = []): Taint[] {
  const [, key = "", value, effect] =
    /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (!isLabelKey(key) || (value !== undefined && !isLabelValue(value))) {
    throw new InvalidArgumentError(
      "A taint looks like maintenance=true:NoExecute; effects are NoSchedule, PreferNoSchedule and NoExecute.",
    );
  }
  return [...before, { key, ...defined({ value }), effect: effect as Taint["effect"] }];
}

/** Adds `KIND[.GROUP],...` to the earlier kinds. */
function parseKinds(text: string, before: string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (name !== EVERYTHING && !/^[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/.test(name))
      throw new InvalidArgumentError(
        "A kind looks like mysqlclusters.mysql.presslabs.org or Ingress; '*' is every kind.",
      );
  }
  return [...new Set([...before, ...names])];
}

/** Adds `NAMESPACE/KIND[.GROUP],...` to the earlier values; `none` alone revokes all earlier permissions. */
function parseAllowProtected(text: string, before: string[] = []): string[] {
  if (text === "none" && before.length === 0) return [];
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    const [namespace = "", kind = "", ...rest] = name.split("/");
    if (!isOpenable(namespace) || kind === "" || kind === EVERYTHING || rest.length > 0)
      throw new InvalidArgumentError(
        "Name a namespace of Kubernetes and one kind, as kube-system/Role or kube-system/roles.rbac.authorization.k8s.io; 'none' alone removes all exceptions.",
      );
    parseKinds(kind);
  }
  return [...new Set([...before, ...names])];
}

/** Adds `a,b` to the earlier namespaces. `*` means the whole cluster and cannot be combined with names. */
function parseNamespaces(text: string, before: string[] = []): string[] {
  if (text === EVERYTHING && before.length === 0) return [EVERYTHING];
  if (text.includes(EVERYTHING) || before.includes(EVERYTHING))
    throw new InvalidArgumentError("Give names, or '*' alone for the whole cluster.");
  return text.split(",").reduce((names, name) => parseNamespace(name.trim(), names), before);
}
