import { counted, type Placement, type Taint, type Toleration } from "../../apis/index.ts";
import { tolerates } from "../../scheduler/index.ts";
import type { ObjectReport, StatusReport } from "../statusView.ts";

/** What is left on a cluster that is being drained. */
export interface Remaining {
  /** Leaves, or is going to. */
  leaving: readonly Left[];
  /** Does not leave by itself, and why. */
  staying: readonly Left[];
}

export interface Left {
  /** `demoapplication/shop in default`. */
  object: string;
  why: string;
}

/** Which objects are still on the cluster. `placements`: by kind, namespace and name, see {@link placementKey}. Pure. */
export function remainingOn(
  cluster: string,
  { objects }: Pick<StatusReport, "objects">,
  placements: ReadonlyMap<string, Pick<Placement, "spec">>,
  taint: Taint,
): Remaining {
  const leaving: Left[] = [];
  const staying: Left[] = [];
  for (const object of objects) {
    const entry = object.clusters.find(({ name }) => name === cluster);
    if (entry === undefined && !object.unlistedClusters.includes(cluster)) continue;
    const name = `${object.kind.toLowerCase()}/${object.name}${object.namespace === "" ? "" : ` in ${object.namespace}`}`;
    const why = whyItStays(object, placements, taint);
    if (why === undefined)
      leaving.push({ object: name, why: entry?.message ?? entry?.reason ?? entry?.state ?? "it runs there" });
    else staying.push({ object: name, why });
  }
  return { leaving, staying };
}

/** What a draining has come to that waits for nothing more. */
export function endOf({ staying: { length } }: Pick<Remaining, "staying">): string {
  return length === 0
    ? "drained"
    : `cordoned, but not empty: ${counted(length, "object")} ${length === 1 ? "stays" : "stay"} there`;
}

function whyItStays(
  { conditions, placement, namespace }: ObjectReport,
  placements: ReadonlyMap<string, Pick<Placement, "spec">>,
  taint: Taint,
): string | undefined {
  const policy = placements.get(`${placement} ${namespace}`) ?? placements.get(placement);
  const tolerations: readonly Toleration[] = policy?.spec.tolerations ?? [];
  const toleration = tolerations.find((one) => tolerates(one, taint));
  if (toleration !== undefined && toleration.tolerationSeconds === undefined) return `${placement} tolerates the drain`;
  if (policy?.spec.suspend === true) return `${placement} is suspended`;
  const scheduled = conditions.find(({ type }) => type === "Scheduled");
  return scheduled?.status === "False" ? scheduled.message : undefined;
}

/** As {@link ObjectReport.placement} names a policy, with its namespace where it has one. */
export function placementKey({ kind, metadata: { name, namespace } }: Pick<Placement, "kind" | "metadata">): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${name} ${namespace}`;
}
