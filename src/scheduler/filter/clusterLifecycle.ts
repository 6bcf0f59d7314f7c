import { fits, refuses, staysOn, type Filter } from "./filter.ts";

const STAYS = fits("ClusterStays", "the cluster is not being removed from the federation");
const GOES = refuses("ClusterDeleting", "the cluster is being removed from the federation");
const IS_HOME = refuses("OnHubAlready", "the cluster is the hub itself, where the object is already");

/**
 * Refuses clusters that are being deleted: they take nothing new, and what they run moves away; or stays, until somebody has said what is to become
 * of it. The hub itself, where it is a member, takes nothing that is sent as it is.
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
