import { counted } from "../../apis/index.ts";
import { type ObjectReport, type StatusReport } from "../view/index.ts";
import { namesText } from "../shared/index.ts";

export interface Moved {
  /** `demoapplication/shop in default`. */
  object: string;
  /** Names of the clusters that run the object now and did not before, sorted. */
  to: readonly string[];
  replicas: { before: number; after: number };
  on: number;
  /** No cluster took over from the drained cluster. */
  isLost: boolean;
}

export function movedFrom(cluster: string, before: StatusReport, after: StatusReport): Moved[] {
  const later = new Map(after.objects.map((object) => [keyOf(object), object]));
  return before.objects.flatMap((object): Moved[] => {
    const now = later.get(keyOf(object));
    if (!isOn(cluster, object) || now === undefined || isOn(cluster, now)) return [];
    const old = new Set(clustersOf(object));
    const to = clustersOf(now).filter((name) => !old.has(name));
    const replicas = { before: object.replicas.desired, after: now.replicas.desired };
    const isLost = to.length === 0 && (replicas.before === 0 || replicas.after < replicas.before);
    return [{ object: nameOf(object), to: to.toSorted(), replicas, on: clustersOf(now).length, isLost }];
  });
}

/** One line for each object; objects with losses come first. */
export function movedText(moved: readonly Moved[]): string {
  const [lost, others] = [moved.filter(isLess), moved.filter((one) => !isLess(one))];
  return [...lost, ...others].map((one) => `${one.object}: ${whatBecame(one)}\n`).join("");
}

/** True if something that ran on the cluster runs nowhere now. */
export function isLess({ isLost, replicas }: Moved): boolean {
  return isLost || replicas.after < replicas.before;
}

function whatBecame({ to, replicas, on, isLost }: Moved): string {
  const { before, after } = replicas;
  const less = after < before ? `; ${before} replicas before, ${after} now` : "";
  if (isLost)
    return `removed, and no other cluster took over (${on === 0 ? "runs nowhere" : `runs on ${counted(on, "cluster")}`})${less}`;
  if (to.length > 0) return `moved to ${namesText(to)}${less}`;
  return `its ${counted(after, "replica")} run on its other clusters${less}`;
}

function isOn(cluster: string, object: ObjectReport): boolean {
  return clustersOf(object).includes(cluster);
}

function clustersOf({ clusters, unlistedClusters }: ObjectReport): string[] {
  return [...clusters.map(({ name }) => name), ...unlistedClusters];
}

function keyOf({ apiVersion, kind, namespace, name }: ObjectReport): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** `demoapplication/shop in default`. */
export function nameOf({ kind, name, namespace }: ObjectReport): string {
  return `${kind.toLowerCase()}/${name}${namespace === "" ? "" : ` in ${namespace}`}`;
}
