import { matchesClusterSelector, type AffinityGroup } from "../../apis/index.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";
import { fits, refuses, type Filter, type FilterResult } from "./filter.ts";

/**
 * Refuses clusters that the affinity group does not select. The parts are asked one by one, so that the answer names the
 * part that said no; together they say what {@link matchesClusterSelector} says of the whole group.
 */
export const affinity: Filter = {
  name: "Affinity",
  check({ subject, group }, cluster) {
    if (group === undefined || matchesClusterSelector(group, cluster, subject.labels)) return fits;
    return whyNot(group, subject, cluster);
  },
};

function whyNot(group: AffinityGroup, subject: Subject, cluster: ClusterSnapshot): FilterResult {
  if (group.exclude?.includes(cluster.name)) return refuses("Excluded", `excluded by group ${group.name}`);

  const missing = group.matchLabelKeys?.find((key) => !Object.hasOwn(subject.labels, key));
  if (missing !== undefined) return refuses("LabelKeyMissing", `the object has no label ${missing} to match`);

  if (!matchesClusterSelector({ clusterNames: group.clusterNames }, cluster, subject.labels)) {
    return refuses("NotInAffinity", `not among the clusterNames of group ${group.name}`);
  }
  if (!matchesClusterSelector({ labelSelector: group.labelSelector }, cluster, subject.labels)) {
    return refuses("NotInAffinity", `its labels do not match group ${group.name}`);
  }
  if (!matchesClusterSelector({ fieldSelector: group.fieldSelector }, cluster, subject.labels)) {
    return refuses("NotInAffinity", `its fields do not match group ${group.name}`);
  }
  const key = group.matchLabelKeys?.find((k) => cluster.labels[k] !== subject.labels[k]) ?? "";
  return refuses("NotInAffinity", `label ${key} differs from the object's ${subject.labels[key] ?? ""}`);
}
