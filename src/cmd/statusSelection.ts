import { CommandError } from "./outcome.ts";
import type { Shown } from "./statusReading.ts";
import type { ClusterReport, ObjectReport, StatusReport } from "./statusView.ts";
import { chooseAmong } from "./words.ts";

/** Which part of a report was asked for. Pure. */

/**
 * The items that were asked for: objects as NAME or demoapplication/NAME, clusters as membercluster/NAME; all of them without names. Throws
 * {@link CommandError} for a name that no item has, unless such names are to be skipped.
 */
export function select(
  report: StatusReport,
  names: readonly string[],
  shown: Shown,
  { absent = "Refuse" }: { absent?: "Refuse" | "Skip" } = {},
): StatusReport {
  if (names.length === 0) {
    const isChosen = shown.namespace !== undefined || shown.selector !== undefined;
    return isChosen ? withTheirClusters(report, report.objects, new Set()) : report;
  }
  const objects = new Set<ObjectReport>();
  const clusters = new Set<ClusterReport>();
  for (const wanted of names) {
    const [kind, name] = splitName(wanted);
    if (kind === "membercluster") {
      const found = report.clusters.find((cluster) => cluster.name === name);
      if (found !== undefined) clusters.add(found);
      else if (absent === "Refuse") throw noCluster(report, name, shown);
    } else {
      const found = ofKind(report, kind).filter((object) => object.name === name);
      for (const object of found) objects.add(object);
      if (found.length === 0 && absent === "Refuse") throw noObject(report, kind, name, shown);
    }
  }
  if (objects.size === 0) return { objects: [], clusters: report.clusters.filter((one) => clusters.has(one)) };
  return withTheirClusters(
    report,
    report.objects.filter((object) => objects.has(object)),
    clusters,
  );
}

/** The objects, the clusters that they are on, and those asked for by name; a cluster counts no other objects. */
function withTheirClusters(
  report: StatusReport,
  objects: readonly ObjectReport[],
  named: ReadonlySet<ClusterReport>,
): StatusReport {
  const counts = new Map<string, number>();
  for (const object of objects) for (const { name } of object.clusters) counts.set(name, (counts.get(name) ?? 0) + 1);
  // Of an object on very many clusters the status gives sums for some: it may be on any.
  const isSummarised = objects.some((object) => object.clusterCount > object.clusters.length);
  return {
    objects: [...objects],
    clusters: report.clusters
      .filter((cluster) => isSummarised || named.has(cluster) || counts.has(cluster.name))
      .map((cluster) => ({ ...cluster, objects: counts.get(cluster.name) ?? 0 })),
  };
}

function ofKind({ objects }: StatusReport, kind: string): ObjectReport[] {
  return objects.filter((object) => object.kind.toLowerCase() === kind);
}

function noCluster({ clusters }: StatusReport, name: string, shown: Shown): CommandError {
  return new CommandError(
    shown.clusters
      ? `the hub has no member cluster "${name}"; ${chooseAmong(
          clusters.map((cluster) => cluster.name),
          "join one with `meridian join`",
        )}`
      : `your rights on the hub do not show member clusters, such as "${name}": ask its administrator for the right to list memberclusters, or name an application`,
  );
}

function noObject(report: StatusReport, kind: string, name: string, { namespace }: Shown): CommandError {
  const where = namespace === undefined ? "any namespace" : `namespace ${namespace}`;
  const names = ofKind(report, kind).map((object) =>
    namespace === undefined ? `${object.namespace}/${object.name}` : object.name,
  );
  return new CommandError(
    `the hub has no ${kind} "${name}" in ${where}; ${chooseAmong(names, "there is none: apply one first")} (a cluster is named as membercluster/NAME)`,
  );
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
