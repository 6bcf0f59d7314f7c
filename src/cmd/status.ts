import { stringify } from "yaml";
import type { KubeObject } from "../apis/index.ts";
import {
  type Client,
  DEMOAPPLICATIONS,
  isNotFound,
  MEMBERCLUSTERS,
  type ResourceType,
  systemClock,
} from "../runtime/index.ts";
import { type CommandContext, connectHub } from "./connection.ts";
import type { StatusOptions } from "./options.ts";
import { CommandError, EXIT } from "./outcome.ts";
import { formatStatus } from "./statusTable.ts";
import { buildReport, isHealthy, type StatusReport } from "./statusView.ts";

/**
 * `meridian status`: every federated object and every cluster, and why something is not well. Exits with 1 when something is not.
 *
 * `-o json` and `-o yaml` print `{objects: [...], clusters: [...]}`, each item with all the fields of ObjectReport and ClusterReport in
 * statusView.ts, present even when empty; both lists are sorted by name. New fields may be added; these stay.
 */
export async function status(names: string[], options: StatusOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using hub = connectHub(options, context);
  const [objects, clusters] = await Promise.all([
    listObjects(hub.client, options, context.signal),
    listAll(hub.client, MEMBERCLUSTERS, {}, context.signal),
  ]);
  const report = select(buildReport(objects, clusters), names, options);
  terminal.out(format(report, options, terminal.color));
  if (report.objects.length === 0 && report.clusters.length === 0 && options.output === undefined) {
    terminal.err(
      "Nothing is federated yet: join a cluster with `meridian join`, then apply a DemoApplication and a Placement.\n",
    );
  }
  return isHealthy(report) ? EXIT.ok : EXIT.found;
}

function format(report: StatusReport, { output }: StatusOptions, color: boolean): string {
  switch (output) {
    case "json":
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case "yaml":
      return stringify(report, { aliasDuplicateObjects: false });
    case "name":
      return [
        ...report.objects.map(
          ({ apiVersion, kind, name }) => `${kind.toLowerCase()}.${apiVersion.split("/")[0]}/${name}\n`,
        ),
        ...report.clusters.map(({ name }) => `membercluster.${MEMBERCLUSTERS.group}/${name}\n`),
      ].join("");
    default:
      return formatStatus(report, { wide: output === "wide", color, now: systemClock.now() });
  }
}

/** The items that were asked for: objects as NAME or demoapplication/NAME, clusters as membercluster/NAME. Throws for a name that no item has. */
export function select(
  report: StatusReport,
  names: string[],
  { namespace }: Pick<StatusOptions, "namespace">,
): StatusReport {
  if (names.length === 0) return report;
  const objects = new Set<StatusReport["objects"][number]>();
  const clusters = new Set<StatusReport["clusters"][number]>();
  for (const wanted of names) {
    const [kind, name] = splitName(wanted);
    if (kind === "membercluster") {
      const found = report.clusters.find((cluster) => cluster.name === name);
      if (found === undefined) throw new CommandError(`there is no member cluster "${name}"`);
      clusters.add(found);
      continue;
    }
    const found = report.objects.filter((object) => object.kind.toLowerCase() === kind && object.name === name);
    if (found.length === 0)
      throw new CommandError(
        `there is no ${kind} "${name}" in ${namespace === undefined ? "any namespace" : `namespace ${namespace}`}`,
      );
    for (const object of found) {
      objects.add(object);
      const runsOn = new Set(object.clusters.map((entry) => entry.name));
      for (const cluster of report.clusters) if (runsOn.has(cluster.name)) clusters.add(cluster);
    }
  }
  return {
    objects: report.objects.filter((o) => objects.has(o)),
    clusters: report.clusters.filter((c) => clusters.has(c)),
  };
}

const KINDS: Record<string, string> = {
  demo: "demoapplication",
  demoapplication: "demoapplication",
  demoapplications: "demoapplication",
  mc: "membercluster",
  membercluster: "membercluster",
  memberclusters: "membercluster",
};

function splitName(text: string): [kind: string, name: string] {
  const slash = text.indexOf("/");
  if (slash < 0) return ["demoapplication", text];
  const kind = KINDS[text.slice(0, slash).toLowerCase().split(".")[0] ?? ""];
  if (kind === undefined)
    throw new CommandError(
      `"${text}" names no kind that Meridian knows: give demoapplication/NAME or membercluster/NAME`,
    );
  return [kind, text.slice(slash + 1)];
}

function listObjects(hub: Client, { namespace, selector }: StatusOptions, signal: AbortSignal): Promise<KubeObject[]> {
  return listAll(
    hub,
    DEMOAPPLICATIONS,
    {
      ...(namespace === undefined ? {} : { namespace }),
      ...(selector === undefined ? {} : { labelSelector: selector }),
    },
    signal,
  );
}

async function listAll(
  hub: Client,
  type: ResourceType,
  selection: { namespace?: string; labelSelector?: string },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const page = await hub.list(type, {
        ...selection,
        limit: 500,
        signal,
        ...(next === undefined ? {} : { continue: next }),
      });
      items.push(...page.items);
      next = page.continue;
    } while (next !== undefined && next !== "");
  } catch (error) {
    if (isNotFound(error))
      throw new CommandError(`the hub does not know ${type.plural}: run \`meridian install\` first`);
    throw error;
  }
  // Items of a list do not repeat their kind.
  return items.map((item) => ({ ...item, apiVersion: `${type.group}/${type.version}`, kind: type.kind }));
}
