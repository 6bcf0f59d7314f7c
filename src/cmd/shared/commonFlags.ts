import { Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import { parseDuration, parseKinds, parseNamespace, parseNamespaces } from "./options.ts";

/** Options that several verbs have. */

export const DEFAULT_LEASE_NAME = "meridian";

export const systemNamespace = () =>
  new Option("-n, --namespace <namespace>", "Meridian's own namespace on the hub").default(DEFAULT_SYSTEM_NAMESPACE);
export const leaseName = () =>
  new Option("--lease-name <name>", "Lease that the managers share").default(DEFAULT_LEASE_NAME);
export const protectedNamespace = (ofBefore = "") =>
  new Option(
    "--protected-namespace <name>",
    `namespace of members into which Meridian never writes, beside kube-* and its own (may be repeated${ofBefore})`,
  ).argParser(parseNamespace);

export const grantedNamespaces = () =>
  new Option(
    "--namespaces <names>",
    "namespaces in which the account gets rights, such as a,b; missing namespaces are made now; '*' is the whole cluster (default: as before, else the whole cluster)",
  ).argParser(parseNamespaces);

export const grantedKinds = () =>
  new Option(
    "--kinds <kinds>",
    "more kinds on which the account gets rights, such as mysqlclusters.mysql.presslabs.org,Ingress; they are added to earlier kinds; '*' is every kind that is served now, except kinds that give power; --renew adds later kinds",
  ).argParser(parseKinds);

export function duration(flags: string, description: string, defaultText: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(defaultText), defaultText);
}
