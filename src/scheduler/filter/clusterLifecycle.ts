import { fits, refuses, staysOn, type Filter } from "./filter.ts";

const STAYS = fits("ClusterStays", "the cluster is not being removed from the federation");
const GOES = refuses("ClusterDeleting", "the cluster is being removed from the federation");
const IS_HOME = refuses("OnHubAlready", "the cluster is the hub itself, where the object is already");

/**
 * Refuses clusters in deletion, and the hub itself, where it is a member, for objects that are sent unchanged: it has
 * them.
 */
export const clusterLifecycle: Filter = {
  name: "ClusterLifecycle",
  prepare:
    ({ subject }) =>
    (cluster) => {
      if (cluster.local && subject.sentAsItIs === true) return IS_HOME;
      return cluster.deleting || (cluster.undecided === true && !staysOn(subject, cluster.name)) ? GOES : STAYS;
    },
};
