import type { ClusterSnapshot } from "./types.ts";

/** What is true of a whole list of clusters, so that no cluster has to be asked for it. */
export interface Fleet {
  /** Some clusters were joined for some namespaces only. */
  hasNamespaces: boolean;
  /** Of some cluster the Ready condition is known. */
  hasReadiness: boolean;
  /** No cluster is known to be anything but ready, and all are known to be ready. */
  allReady: boolean;
  /** Whether every cluster is known to serve these APIs. */
  serve(apis: readonly string[]): boolean;
}

const known = new WeakMap<readonly ClusterSnapshot[], Fleet>();

/** Found out once for each list: a list of clusters is never changed in place. */
export function fleetOf(clusters: readonly ClusterSnapshot[]): Fleet {
  let fleet = known.get(clusters);
  if (fleet === undefined) known.set(clusters, (fleet = factsOf(clusters)));
  return fleet;
}

function factsOf(clusters: readonly ClusterSnapshot[]): Fleet {
  const served = new Map<string, boolean>();
  const serveAll = (api: string): boolean => {
    let answer = served.get(api);
    if (answer === undefined) served.set(api, (answer = clusters.every(({ apis }) => apis?.has(api) === true)));
    return answer;
  };
  return {
    hasNamespaces: clusters.some(({ namespaces }) => namespaces !== undefined),
    hasReadiness: clusters.some(({ ready }) => ready !== undefined),
    allReady: clusters.every(({ ready }) => ready?.status === "True"),
    serve: (apis) => apis.every(serveAll),
  };
}
