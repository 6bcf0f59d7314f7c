import { fits, refuses, type Filter } from "./filter.ts";

const STAYS = fits("ClusterStays", "the cluster is not being removed from the federation");
const GOES = refuses("ClusterDeleting", "the cluster is being removed from the federation");

/**
 * Refuses clusters that are being deleted: they take nothing new, and what they run moves away; or stays, until somebody has said what is to become
 * of it.
 */
export const clusterLifecycle: Filter = {
  name: "ClusterLifecycle",
  prepare:
    ({ subject }) =>
    (cluster) =>
      cluster.deleting || (cluster.undecided === true && !subject.current.has(cluster.name)) ? GOES : STAYS,
};
