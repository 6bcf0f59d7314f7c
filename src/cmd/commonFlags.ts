import { Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../apis/index.ts";
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
    `namespace of members into which nothing is written, as into kube-* and Meridian's own (may be repeated${ofBefore})`,
  ).argParser(parseNamespace);

export const grantedNamespaces = () =>
  new Option(
    "--namespaces <names>",
    "the only namespaces that the account gets rights in, as a,b; those that are missing are made now; '*' is the whole cluster (default: as it was joined before, else the whole cluster)",
  ).argParser(parseNamespaces);

export const grantedKinds = () =>
  new Option(
    "--kinds <kinds>",
    "kinds that the account gets rights on beside those that every account has, as mysqlclusters.mysql.presslabs.org,Ingress; added to what was granted before; '*' is every kind that is served now, but for those that give power; --renew adds later ones",
  ).argParser(parseKinds);

export function duration(flags: string, description: string, defaultText: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(defaultText), defaultText);
}
