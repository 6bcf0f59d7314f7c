import { InvalidArgumentError, Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../apis/index.ts";
import { parseDuration, parseNamespace } from "./options.ts";

/** Options that several verbs have. */

export const systemNamespace = () =>
  new Option("-n, --namespace <namespace>", "Meridian's own namespace on the hub").default(DEFAULT_SYSTEM_NAMESPACE);
export const leaseName = () => new Option("--lease-name <name>", "Lease that the managers share").default("meridian");
export const protectedNamespace = () =>
  new Option(
    "--protected-namespace <name>",
    "namespace of members into which nothing is written, as into kube-* and Meridian's own (may be repeated)",
  ).argParser(parseNamespace);

/** What people try; without this the answer would be to try --namespace, which is something else. */
export const noNamespaces = () =>
  new Option("--namespaces <names>").hideHelp().argParser((): never => {
    throw new InvalidArgumentError(
      "A hub watches a member as a whole in this version; keep it out of single namespaces with --protected-namespace.",
    );
  });

export function duration(flags: string, description: string, defaultText: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(defaultText), defaultText);
}
