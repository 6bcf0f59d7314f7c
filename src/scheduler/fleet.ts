import type { ClusterSnapshot } from "./types.ts";

/** Facts about a whole list, so that no filter asks every cluster for them. */
export interface Fleet {
  /** Some clusters were joined for certain namespaces only. */
  hasNamespaces: boolean;
  /** The Ready condition of some cluster is known. */
  hasReadiness: boolean;
  /** Every cluster is known to be ready. */
  allReady: boolean;
  /** Every cluster is known to serve these APIs. */
  serve(apis: readonly string[]): boolean;
}

const known = new WeakMap<readonly ClusterSnapshot[], Fleet>();

/** Computed once: lists of clusters are never changed in place. */
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
