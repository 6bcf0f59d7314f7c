import {
  type CommandContext,
  CommandError,
  connectHub,
  EXIT,
  rightToList,
  structured,
  type Terminal,
} from "../shared/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { hiddenCluster, ofKind, splitKind } from "../status/index.ts";
import { formatRows, fullNameOf, type ObjectReport, type RowReading, type StatusReport } from "../view/index.ts";
import { oneOf, withNoted } from "./rows.ts";
import type { GetOptions } from "./verb.ts";

/**
 * `meridian get`: the objects of a kind, or one object. `-o json` and `-o yaml` print `{source, partial, items: [...]}`:
 * ObjectReport or ClusterReport, and with `--clusters` an item for each object on each cluster. Unhealthy objects are no error here.
 */
export async function get(kind: string, options: GetOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using hub = connectHub(options, context);
  return await withNoted(hub, options, context, async (reading) => {
    const found = kind.includes("/") ? await oneOf(reading, kind) : ofOneKind(reading, kind);
    const { clusters: byCluster, output } = options;
    const isWhole = byCluster || (output !== undefined && output !== "wide");
    const report = isWhole ? await reading.complete(found) : found;
    for (const note of reading.origin) terminal.err(`${note}\n`);
    show(report, reading, options, terminal);
    return EXIT.ok;
  });
}

function show(
  report: StatusReport,
  { source, partial }: RowReading,
  { clusters: byCluster, output }: GetOptions,
  terminal: Terminal,
): void {
  const items = [...(byCluster ? placed(report.objects) : report.objects), ...report.clusters];
  const table = { wide: output === "wide", color: terminal.color, now: systemClock.now() };
  terminal.out(structured({ source, partial, items }, output) ?? formatRows(report, { ...table, byCluster }));
  if (items.length === 0 && output !== "json" && output !== "yaml") terminal.err("No resources found.\n");
}

function ofOneKind({ report, shown }: RowReading, kind: string): StatusReport {
  const wanted = splitKind(kind);
  if (wanted.kind === "membercluster") {
    if (!shown.clusters) throw hiddenCluster();
    return { objects: [], clusters: report.clusters };
  }
  const objects = ofKind(report, wanted);
  if (objects.length > 0 || wanted.kind === "demoapplication") return { objects, clusters: [] };
  const kinds = [...new Set(report.objects.map((object) => object.kind.toLowerCase()))].toSorted();
  const same = report.objects.find(({ name }) => name === kind);
  if (same !== undefined)
    throw new CommandError(
      `"${kind}" is the name of an object, and get needs its kind: write \`meridian get ${same.kind.toLowerCase()}/${kind}\``,
    );
  const { hidden = [] } = shown;
  if (hidden.length > 0)
    throw new CommandError(
      `your rights on the hub do not show whether an object of the kind "${kind}" is placed: ask its administrator for ${rightToList(hidden)}`,
    );
  throw new CommandError(
    `no object of the kind "${kind}" is placed; ${kinds.length === 0 ? "no object is placed at all" : `name one of these: ${[...kinds, "membercluster"].join(", ")}`}`,
  );
}

function placed(objects: readonly ObjectReport[]): object[] {
  return objects.flatMap(({ apiVersion, kind, namespace, name, clusters, ...object }) =>
    clusters.map(({ name: cluster, ...entry }) => ({
      apiVersion,
      kind,
      namespace,
      name,
      object: fullNameOf({ kind, namespace, name }),
      placement: object.placement,
      cluster,
      ...entry,
    })),
  );
}
