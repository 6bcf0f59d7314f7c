import type { Taint, Toleration } from "../../apis/index.ts";
import type { ClusterSnapshot, ClusterTaint } from "../types.ts";
import { fits, refuses, staysOn, type Filter, type FilterAnswer, type FilterContext } from "./filter.ts";

const NO_TAINT = fits("TaintsTolerated", "no taint keeps the object away");
const FINISHED = fits("FinishedThere", "the object has come to its end there, and stays");
const TOLERATED = fits("TaintsTolerated", "its taints are tolerated");

/**
 * NoSchedule keeps new objects away. NoExecute also moves objects that have not finished, `tolerationSeconds` after the
 * taint came. PreferNoSchedule never refuses. The first matching toleration counts, as in Kubernetes.
 */
export const taintToleration: Filter = {
  name: "TaintToleration",
  prepare: (context) => (cluster) => {
    if (cluster.taints.length === 0) return NO_TAINT;
    return context.subject.finished?.has(cluster.name) === true ? FINISHED : check(cluster, context);
  },
};

function check(cluster: ClusterSnapshot, { subject, tolerations, now }: FilterContext): FilterAnswer {
  const stays = staysOn(subject, cluster.name);
  let answer = NO_TAINT;
  let until = Number.POSITIVE_INFINITY;
  for (const taint of cluster.taints) {
    if (taint.effect === "PreferNoSchedule" || (taint.effect === "NoSchedule" && stays)) continue;
    const toleration = tolerations.find((t) => tolerates(t, taint));
    if (toleration === undefined) return refuses("TaintNotTolerated", `taint ${textOf(taint)} is not tolerated`);
    const end = toleratedUntil(toleration, taint);
    if (end <= now) {
      const message = `taint ${textOf(taint)} was tolerated for ${toleration.tolerationSeconds ?? 0}s`;
      return refuses("TaintNotTolerated", message);
    }
    until = Math.min(until, end);
    answer = TOLERATED;
  }
  return until === Number.POSITIVE_INFINITY ? answer : { ...answer, until };
}

/** As `ToleratesTaint` in Kubernetes: no key with Exists matches every taint, no effect matches every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  // Without a key only Exists is valid. Some clients write an empty key for no key.
  const key = toleration.key ?? "";
  if (key === "") return toleration.operator === "Exists";
  if (key !== taint.key) return false;
  return toleration.operator === "Exists" || (toleration.value ?? "") === (taint.value ?? "");
}

/**
 * Epoch milliseconds. Infinite if the toleration has no end, or the start of the taint is unknown: moving a workload on
 * a guess would be worse than leaving it.
 */
function toleratedUntil(toleration: Toleration, taint: ClusterTaint): number {
  if (taint.effect !== "NoExecute" || toleration.tolerationSeconds === undefined) return Number.POSITIVE_INFINITY;
  const added = taint.since ?? (taint.timeAdded === undefined ? Number.NaN : Date.parse(taint.timeAdded));
  return Number.isNaN(added) ? Number.POSITIVE_INFINITY : added + toleration.tolerationSeconds * 1000;
}

function textOf(taint: Taint): string {
  const value = taint.value === undefined || taint.value === "" ? "" : `=${taint.value}`;
  return `${taint.key}${value}:${taint.effect}`;
}
