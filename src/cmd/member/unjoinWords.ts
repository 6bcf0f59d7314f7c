import { DEFAULT_SYSTEM_NAMESPACE, type MemberCluster } from "../../apis/index.ts";
import { DEFAULT_LEASE_NAME, quoted } from "../shared/index.ts";
import type { UnjoinOptions } from "./verb.ts";

/** Texts of `unjoin`. Pure. */

/** With the flags of the first run: without them the command may mean the opposite. */
export function unjoinAgain(name: string, options: UnjoinOptions): string {
  const { deletionPolicy, isChosen, force, namespace, leaseName } = options;
  const values: [string, string | undefined][] = [
    ["--member-kubeconfig", options.memberKubeconfig],
    ["--member-context", options.memberContext],
    ["--namespace", namespace === DEFAULT_SYSTEM_NAMESPACE ? undefined : namespace],
    ["--lease-name", leaseName === DEFAULT_LEASE_NAME ? undefined : leaseName],
    ["--kubeconfig", options.kubeconfig],
    ["--context", options.context],
  ];
  return [
    "meridian unjoin",
    name,
    ...(isChosen ? [deletionPolicy === "Drain" ? "--drain" : "--orphan"] : []),
    ...(force ? ["--force"] : []),
    ...values.flatMap(([flag, value]) => (value === undefined ? [] : [flag, quoted(value)])),
  ].join(" ");
}

/** Why the Secret of a member with leftovers stays, and how to remove it. */
export function describeRemembered(name: string, secret: string, options: UnjoinOptions): string {
  const again = unjoinAgain(name, options);
  const forget = unjoinAgain(name, { ...options, isChosen: true, deletionPolicy: "Orphan", force: true });
  return (
    `secret/${secret} stays in namespace ${options.namespace} of the hub until these are removed: \`${again}\` tries again; ` +
    `once you have removed them yourself, or the cluster is gone: \`${forget}\``
  );
}

/** The namespaces to which the account was limited, which people may use too. Undefined if there are none. */
export function whatStays(name: string, namespaces: readonly string[] | undefined): string | undefined {
  if (namespaces === undefined || namespaces.length === 0) return undefined;
  const isOne = namespaces.length === 1;
  return `namespace${isOne ? "" : "s"} ${namespaces.join(", ")} ${isOne ? "stays" : "stay"} on ${name}, with what is in ${isOne ? "it" : "them"}`;
}

export function removalOf({ status }: MemberCluster): string {
  const removed = status?.conditions?.find(({ type }) => type === "Removed");
  return removed?.message ?? "no manager has reported on the removal yet";
}

/** Why a cluster that is being drained is not released without an explicit choice; undefined if it may be. */
export function needsChoice(member: MemberCluster | undefined, { isChosen }: UnjoinOptions): string | undefined {
  if (isChosen || member?.metadata.deletionTimestamp === undefined || member.spec.deletionPolicy !== "Drain")
    return undefined;
  return (
    `${member.metadata.name} is being drained already (${removalOf(member)}): give --drain to continue, ` +
    `or --orphan to leave the remaining copies running`
  );
}
