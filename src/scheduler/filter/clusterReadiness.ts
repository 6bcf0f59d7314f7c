import { fits, refuses, staysOn, type Filter, type FilterAnswer } from "./filter.ts";

const READY = fits("ClusterReady", "the cluster is ready");
const UNKNOWN = fits("ClusterReady", "whether the cluster is ready is not known yet");
const KEEPS = fits("ClusterNotReady", "the cluster is not ready, and keeps what runs there");
const WAITS = fits("ClusterNotReady", "the cluster is not ready; the object goes there as soon as it is");
const NOT_READY: FilterAnswer = {
  ...refuses("ClusterNotReady", "the cluster is not ready, and takes nothing new"),
  remedy: "bring the cluster back: its MemberCluster says under Ready what is wrong",
};

/**
 * Keeps new objects away; failover decides when others leave. If the placement takes every fitting cluster, there is no
 * alternative, and the object waits.
 */
export const clusterReadiness: Filter = {
  name: "ClusterReadiness",
  prepare({ subject, picks, fleet }) {
    if (fleet.allReady) return () => READY;
    return ({ name, ready }) => {
      if (ready === undefined) return UNKNOWN;
      if (ready.status === "True") return READY;
      if (staysOn(subject, name)) return KEEPS;
      return picks ? NOT_READY : WAITS;
    };
  },
  isAlike: ({ fleet }) => fleet.allReady,
};
