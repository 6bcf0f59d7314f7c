import { parseApiVersion, joinCommand } from "../../apis/index.ts";
import { neverPlacedAs } from "../../interpreter/index.ts";
import { DEMOAPPLICATIONS, MANIFESTBUNDLES } from "../../runtime/index.ts";
import { chooseAmong, CommandError } from "../shared/index.ts";
import {
  type ClusterReport,
  nameOnCommandLine,
  type ObjectReport,
  type RowReading,
  type Shown,
  type StatusReport,
} from "../view/index.ts";

/**
 * Applications as NAME, other objects as KIND/NAME or KIND.GROUP/NAME, clusters as membercluster/NAME; everything if
 * there are no names. Throws a {@link CommandError} with the names of `around` for an unknown name.
 */
export function select(
  report: StatusReport,
  names: readonly string[],
  shown: Shown,
  { absent = "Refuse", around = report }: { absent?: "Refuse" | "Skip"; around?: StatusReport } = {},
): StatusReport {
  if (names.length === 0) {
    const isChosen = shown.namespace !== undefined || shown.selector !== undefined;
    return isChosen ? withTheirClusters(report, report.objects, new Set()) : report;
  }
  const objects = new Set<ObjectReport>();
  const clusters = new Set<ClusterReport>();
  for (const wanted of names) {
    const { kind, group, name } = splitName(wanted);
    if (kind === "membercluster") {
      const found = report.clusters.find((cluster) => cluster.name === name);
      if (found !== undefined) clusters.add(found);
      else if (absent === "Refuse") throw noCluster(report, name, shown);
    } else {
      const found = objectsNamed(report, { kind, group }, name);
      for (const object of found) objects.add(object);
      if (found.length === 0 && absent === "Refuse") throw noObject(around, { kind, group }, name, shown);
    }
  }
  if (objects.size === 0) return { objects: [], clusters: report.clusters.filter((one) => clusters.has(one)) };
  return withTheirClusters(
    report,
    report.objects.filter((object) => objects.has(object)),
    clusters,
  );
}

/** As {@link select}, of what was read. The objects of other namespaces are read only to say what an unknown name may mean. */
export async function selectRead(
  { report, shown, everywhere }: Pick<RowReading, "report" | "shown" | "everywhere">,
  names: readonly string[],
): Promise<StatusReport> {
  const around = lacks(report, names) ? await everywhere() : report;
  return select(report, names, shown, { around });
}

function objectsNamed(report: StatusReport, named: NamedKind, name: string): ObjectReport[] {
  return ofKind(report, named).filter((object) => object.name === name);
}

/** True if no object of the report has one of the names. Names of clusters are ignored. */
export function lacks(report: StatusReport, names: readonly string[]): boolean {
  return names.map(splitName).some(({ name, ...named }) => {
    return named.kind !== "membercluster" && objectsNamed(report, named, name).length === 0;
  });
}

/** The first name, if every name belongs to a cluster. */
export function onlyClusters(names: readonly string[]): string | undefined {
  const wanted = names.map(splitName);
  return wanted.every(({ kind }) => kind === "membercluster") ? wanted[0]?.name : undefined;
}

/** The clusters count only these objects. */
function withTheirClusters(
  report: StatusReport,
  objects: readonly ObjectReport[],
  named: ReadonlySet<ClusterReport>,
): StatusReport {
  const counts = new Map<string, number>();
  for (const object of objects) for (const { name } of object.clusters) counts.set(name, (counts.get(name) ?? 0) + 1);
  // An object on very many clusters lists only some of them, so it may be on any cluster.
  const isSummarised = objects.some((object) => object.clusterCount > object.clusters.length);
  return {
    objects: [...objects],
    clusters: report.clusters
      .filter((cluster) => isSummarised || named.has(cluster) || counts.has(cluster.name))
      .map((cluster) => ({ ...cluster, objects: counts.get(cluster.name) ?? 0 })),
  };
}

export interface NamedKind {
  kind: string;
  group: string | undefined;
}

export function ofKind({ objects }: StatusReport, named: NamedKind): ObjectReport[] {
  return objects.filter(({ kind, apiVersion }) => isNamedSo(named, { kind, group: parseApiVersion(apiVersion).group }));
}

function isNamedSo(named: NamedKind, { kind, group }: { kind: string; group: string }): boolean {
  const singular = kind.toLowerCase();
  const isKind = named.kind === singular || named.kind === pluralOf(singular);
  return isKind && (named.group === undefined || named.group === group);
}

/** True for `cluster` without a group. A placed kind of this name may be meant instead. */
const isCluster = ({ kind, group }: NamedKind): boolean =>
  group === undefined && isNamedSo({ kind, group }, { kind: "cluster", group: "" });

/** The usual English plural of a kind. Unlike `kubectl`, this function does not ask the server. */
function pluralOf(kind: string): string {
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}

function noCluster({ clusters }: StatusReport, name: string, shown: Shown): CommandError {
  if (!shown.clusters) return hiddenCluster(name);
  const names = clusters.map((cluster) => cluster.name);
  return new CommandError(
    `the hub has no member cluster "${name}"; ${chooseAmong(names, `join one with \`${joinCommand()}\``)}`,
  );
}

/** `name`: of the cluster that was asked for. */
export function hiddenCluster(name?: string): CommandError {
  const [example, or] = name === undefined ? ["", ""] : [`, such as "${name}"`, ", or name an application"];
  return new CommandError(
    `your rights on the hub do not show member clusters${example}: ask its administrator for the right to list memberclusters${or}`,
  );
}

function noObject(report: StatusReport, named: NamedKind, name: string, shown: Shown): CommandError {
  const { namespace } = shown;
  const where = namespace === undefined ? "any namespace" : `namespace ${namespace}`;
  // The person may mean the same name in another namespace, or another name in this namespace.
  const rank = (object: ObjectReport): number => (object.name === name ? 0 : object.namespace === namespace ? 1 : 2);
  const names = ofKind(report, named)
    .toSorted((a, b) => rank(a) - rank(b))
    .map((object) => nameOnCommandLine(object, { namespace }));
  if (report.objects.some((object) => object.namespace === named.kind))
    throw new CommandError(
      `"${named.kind}/${name}" is read as KIND/NAME, and ${named.kind} is a namespace: write ${name} -n ${named.kind}`,
    );
  const own = [DEMOAPPLICATIONS, MANIFESTBUNDLES].find(({ kind }) => kind.toLowerCase() === named.kind);
  const hidden = (shown.hidden ?? []).filter((type) => type === own || (own === undefined && type !== MANIFESTBUNDLES));
  if (own === undefined && names.length === 0) {
    const never = neverPlacedAs((kind) => (kind.kind === "*" ? kind.group === named.group : isNamedSo(named, kind)));
    if (never !== undefined) {
      return new CommandError(
        `objects of the kind ${never.kind === "*" ? named.kind : never.kind} are never placed: ${never.why}; applications are named as NAME, clusters as membercluster/NAME, placed objects of other kinds as KIND/NAME`,
      );
    }
  }
  if (hidden.length > 0) {
    const needed = hidden.map(({ plural }) => plural).join(" and ");
    return new CommandError(
      `your rights on the hub do not show whether a ${named.kind} "${name}" is placed in ${where}: ask its administrator for the right to list ${needed}`,
    );
  }
  if (own === undefined && names.length === 0) {
    return new CommandError(
      `no policy places a ${named.kind} "${name}" in ${where}, nor any other ${named.kind}: ${
        isCluster(named)
          ? `if it is a member cluster, write membercluster/${name}`
          : "name its kind in the resourceSelectors of a Placement (kinds are named in full: service/x, not svc/x)"
      }`,
    );
  }
  return new CommandError(
    `the hub has no ${named.kind} "${name}" in ${where}; ${chooseAmong(names, "there is none: apply one first")} (a cluster is named as membercluster/NAME)`,
  );
}

const KINDS: Record<string, string> = {
  demo: "demoapplication",
  demoapplication: "demoapplication",
  demoapplications: "demoapplication",
  manifestbundles: "manifestbundle",
  mb: "manifestbundle",
  mc: "membercluster",
  membercluster: "membercluster",
  memberclusters: "membercluster",
};

/** `mysqlcluster/my-db`, `mysqlclusters.mysql.presslabs.org/my-db`; a name without a kind is an application. */
export function splitName(text: string): NamedKind & { name: string } {
  const slash = text.indexOf("/");
  if (slash < 0) return { kind: "demoapplication", group: undefined, name: text };
  const name = text.slice(slash + 1);
  if (slash === 0 || name === "")
    throw new CommandError(`"${text}" names no object: give KIND/NAME, such as demoapplication/shop`);
  return { ...splitKind(text.slice(0, slash)), name };
}

/** `mysqlcluster`, `mysqlclusters.mysql.presslabs.org`, `mc`. */
export function splitKind(text: string): NamedKind {
  const [kind = "", ...group] = text.toLowerCase().split(".");
  const known = KINDS[kind];
  if (known !== undefined) return { kind: known, group: undefined };
  return { kind, group: group.length === 0 ? undefined : group.join(".") };
}
