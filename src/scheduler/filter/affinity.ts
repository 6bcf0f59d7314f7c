import type { AffinityGroup } from "../../apis/index.ts";
import { clusterMatcher } from "../clusterMatcher.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";
import { fits, refuses, type Filter, type FilterAnswer } from "./filter.ts";

const EVERY_CLUSTER = fits("InAffinity", "the placement has no affinity groups");

/**
 * Refuses clusters that the affinity group does not select. Of a refused cluster the parts are asked one by one, so that the answer names
 * the part that said no.
 */
export const affinity: Filter = {
  name: "Affinity",
  prepare({ subject, group }) {
    if (group === undefined) return () => EVERY_CLUSTER;
    const takes = clusterMatcher(group);
    const yes = fits("InAffinity", `group ${group.name} selects it`);
    const no = refusals(group, subject);
    return (cluster) => (takes(cluster, subject.labels) ? yes : no(cluster));
  },
};

function refusals(group: AffinityGroup, { labels }: Subject): (cluster: ClusterSnapshot) => FilterAnswer {
  const { clusterNames, labelSelector, fieldSelector, matchLabelKeys = [] } = group;
  const excluded = refuses("Excluded", `excluded by group ${group.name}`);
  const missing = matchLabelKeys.find((key) => !Object.hasOwn(labels, key));
  const labelMissing = refuses("LabelKeyMissing", `the object has no label ${missing ?? ""} to match`);
  const parts = [
    { takes: clusterMatcher({ clusterNames }), no: notInAffinity(`not among the clusterNames of group ${group.name}`) },
    { takes: clusterMatcher({ labelSelector }), no: notInAffinity(`its labels do not match group ${group.name}`) },
    { takes: clusterMatcher({ fieldSelector }), no: notInAffinity(`its fields do not match group ${group.name}`) },
    ...matchLabelKeys.map((key) => ({
      takes: clusterMatcher({ matchLabelKeys: [key] }),
      no: notInAffinity(`label ${key} differs from the object's ${labels[key] ?? ""}`),
    })),
  ];
  const isNotExcluded = clusterMatcher({ exclude: group.exclude });
  return (cluster) => {
    if (!isNotExcluded(cluster, labels)) return excluded;
    if (missing !== undefined) return labelMissing;
    return parts.find(({ takes }) => !takes(cluster, labels))?.no ?? notInAffinity(`not in group ${group.name}`);
  };
}

function notInAffinity(message: string): FilterAnswer {
  return refuses("NotInAffinity", message);
}
