import { fits, refuses, type Filter } from "./filter.ts";

/** Refuses clusters that are being deleted: they take nothing new, and what they run moves away. */
export const clusterLifecycle: Filter = {
  name: "ClusterLifecycle",
  check(_context, cluster) {
    return cluster.deleting ? refuses("ClusterDeleting", "the cluster is being removed from the federation") : fits;
  },
};
