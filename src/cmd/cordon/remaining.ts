import { counted, defined, type Placement, type Taint, type Toleration } from "../../apis/index.ts";
import { tolerates } from "../../scheduler/index.ts";
import { type ObjectReport, type StatusReport } from "../view/index.ts";
import { nameOf } from "./moved.ts";

/** Objects and copies that are still on a cluster that is being drained. */
export interface Remaining {
  /** Objects that leave now or later. */
  leaving: readonly Left[];
  /** Objects that do not leave by themselves, with the reason. */
  staying: readonly Left[];
  /** Why copies without a hub object stay on the cluster; absent: there are none. */
  held?: string;
}

export interface Left {
  /** `demoapplication/shop in default`. */
  object: string;
  why: string;
}

/** `placements` is keyed by {@link placementKey}. */
export function remainingOn(
  cluster: string,
  { objects, clusters }: StatusReport,
  placements: ReadonlyMap<string, Pick<Placement, "spec">>,
  taint: Taint,
): Remaining {
  const leaving: Left[] = [];
  const staying: Left[] = [];
  for (const object of objects) {
    const entry = object.clusters.find(({ name }) => name === cluster);
    if (entry === undefined && !object.unlistedClusters.includes(cluster)) continue;
    // A finished object does not move, and nobody waits for it.
    if (object.finishedOn?.includes(cluster) === true) continue;
    const name = nameOf(object);
    const why = whyItStays(object, placements, taint) ?? whyHeld(entry);
    if (why === undefined)
      leaving.push({ object: name, why: entry?.message ?? entry?.reason ?? entry?.state ?? "it runs there" });
    else staying.push({ object: name, why });
  }
  const held = clusters.find(({ name }) => name === cluster)?.held;
  return { leaving, staying, ...defined({ held }) };
}

/** The result of a drain that waits for nothing more. */
export function endOf({ staying: { length }, held }: Remaining): string {
  if (length > 0)
    return `cordoned, but not empty: ${counted(length, "object")} ${length === 1 ? "stays" : "stay"} there`;
  return held === undefined ? "drained" : "cordoned, but not empty: copies without an object on the hub stay there";
}

/** True if something on the cluster waits for a person. */
export function isLeftThere({ staying, held }: Remaining): boolean {
  return staying.length > 0 || held !== undefined;
}

/** Why the copies wait for a person: a volume claim with its data, say. */
function whyHeld(entry: ObjectReport["clusters"][number] | undefined): string | undefined {
  return entry?.state === "Held" ? (entry.message ?? entry.reason ?? entry.state) : undefined;
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

/** The key of a policy in the form of {@link ObjectReport.placement}, with the namespace of a namespaced policy. */
export function placementKey({ kind, metadata: { name, namespace } }: Pick<Placement, "kind" | "metadata">): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${name} ${namespace}`;
}
