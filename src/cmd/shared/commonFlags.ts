import { Argument, Option } from "@commander-js/extra-typings";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import { parseClusterName, parseDnsLabel, parseDuration, parseNamespace } from "./values.ts";
import { offering } from "./verb.ts";

/** Arguments and options that several verbs have. */

export const DEFAULT_LEASE_NAME = "meridian";

export const systemNamespace = () =>
  new Option("-n, --namespace <namespace>", "Meridian's own namespace on the hub").default(
    DEFAULT_SYSTEM_NAMESPACE as string,
  );
/** For verbs whose --namespace is the namespace of an object. */
export const otherSystemNamespace = () =>
  new Option("--system-namespace <namespace>", "Meridian's own namespace on the hub")
    .argParser(parseDnsLabel)
    .default(DEFAULT_SYSTEM_NAMESPACE as string);
export const leaseName = () =>
  new Option("--lease-name <name>", "Lease that the managers share").default(DEFAULT_LEASE_NAME as string);
export const protectedNamespace = (ofBefore = "") =>
  new Option(
    "--protected-namespace <name>",
    `namespace of members into which Meridian never writes, beside kube-* and its own (may be repeated${ofBefore})`,
  ).argParser(parseNamespace);

export const memberName = <const U extends string>(usage: U) =>
  offering("members", new Argument(usage, "name of the member cluster").argParser(parseClusterName));
/** May be repeated. */
export const members = <const F extends string>(flags: F, description: string) =>
  offering("members", collected(flags, description, parseClusterName));

export const objectNamespace = () =>
  new Option(
    "-n, --namespace <namespace>",
    "namespace of the object (default: the namespace of the context)",
  ).argParser(parseDnsLabel);

export const SOURCES = ["auto", "query", "objects"] as const;
/** Of the rows that a verb shows. */
export type SourceAsked = (typeof SOURCES)[number];
export const rowsFrom = () =>
  new Option(
    "--source <source>",
    "where rows come from: the query API of the manager, the statuses of objects, or the API where there is one",
  )
    .choices(SOURCES)
    .default("auto" as const);

export const filename = (what: string) =>
  collected("-f, --filename <file>", `${what}: a file, a folder, or - (may be repeated)`);
export const recursive = () =>
  new Option("-R, --recursive", "with -f: also read the folders within a folder").default(false);

export function duration<const F extends string>(flags: F, description: string, defaultText: string) {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(defaultText), defaultText);
}

/** May be repeated; `parse` reads each value. */
export function collected<const F extends string>(flags: F, description: string, parse = (text: string) => text) {
  const add = (text: string, before: string[] = []): string[] => [...before, parse(text)];
  return new Option(flags, description).argParser(add);
}
