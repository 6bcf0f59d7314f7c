import { type ClusterMatcher, compileSelector, type SelectorPart } from "../clusterMatcher.ts";
import { fits, refuses, type Filter, type FilterAnswer } from "./filter.ts";

const NO_GROUP = fits("InAffinity", "the placement has no affinity groups");

/** Refuses clusters that the affinity group does not select, and names the part of the selector that refuses. */
export const affinity: Filter = {
  name: "Affinity",
  prepare({ subject: { labels }, group }) {
    if (group === undefined) return () => NO_GROUP;
    const questions: { takes: ClusterMatcher; no: FilterAnswer }[] = compileSelector(group).parts.map((part) => ({
      takes: part.takes,
      no: refusalOf(part, group.name, labels),
    }));
    const missing = group.matchLabelKeys?.find((key) => !Object.hasOwn(labels, key));
    if (missing !== undefined) {
      const no = refuses("LabelKeyMissing", `the object has no label ${missing} to match`);
      // An excluded cluster is still reported as excluded.
      questions.splice(group.exclude === undefined ? 0 : 1, 0, { takes: () => false, no });
    }
    const yes = fits("InAffinity", `group ${group.name} selects it`);
    return (cluster) => {
      for (const { takes, no } of questions) if (!takes(cluster, labels)) return no;
      return yes;
    };
  },
};

function refusalOf({ field, key = "" }: SelectorPart, group: string, labels: Record<string, string>): FilterAnswer {
  switch (field) {
    case "exclude":
      return refuses("Excluded", `excluded by group ${group}`);
    case "clusterNames":
      return refuses("NotInAffinity", `not among the clusterNames of group ${group}`);
    case "labelSelector":
      return refuses("NotInAffinity", `its labels do not match group ${group}`);
    case "fieldSelector":
      return refuses("NotInAffinity", `its fields do not match group ${group}`);
    case "matchLabelKeys":
      return refuses("NotInAffinity", `label ${key} differs from the object's ${labels[key] ?? ""}`);
  }
}
