import { fc } from "@fast-check/vitest";
import type { Commit, ObjectFacts, PlacedFacts } from "../table/index.ts";
import type { Filter, ObjectIdentity, Query, Resource, Scope } from "../types.ts";

export const T0 = Date.parse("2026-05-01T12:00:00Z");
export const MINUTE = 60_000;

const CLUSTERS: Readonly<Record<string, string>> = { "eu-1": "eu", "eu-2": "eu", "us-1": "us", "ap-1": "ap" };

export function identity(name: string, rest: Partial<ObjectIdentity> = {}): ObjectIdentity {
  return { kind: "DemoApplication", group: "paas.cmft.com", namespace: "a", name, ...rest };
}

/** A placed object that is available. */
export function placed(cluster: string, rest: Partial<PlacedFacts> = {}): PlacedFacts {
  const region = CLUSTERS[cluster];
  return {
    cluster,
    ...(region === undefined ? {} : { region }),
    state: "Available",
    ready: 2,
    desired: 2,
    stale: false,
    ...rest,
  };
}

/** A placed object in trouble. */
export function failing(cluster: string, reason: string, rest: Partial<PlacedFacts> = {}): PlacedFacts {
  const message = `${reason} there`;
  return placed(cluster, { state: "Degraded", reason, message, shape: message, ready: 0, since: T0, ...rest });
}

export function object(name: string, rows: readonly PlacedFacts[], rest: Partial<ObjectFacts> = {}): ObjectFacts {
  const troubled = rows.find(({ state }) => state !== "Available");
  return {
    identity: identity(name),
    state: troubled?.state ?? "Available",
    ...(troubled?.reason === undefined ? {} : { reason: troubled.reason }),
    ready: rows.reduce((sum, { ready }) => sum + ready, 0),
    desired: rows.reduce((sum, { desired }) => sum + desired, 0),
    clusters: { ready: rows.filter(({ state }) => state === "Available").length, total: rows.length },
    waits: [],
    stale: false,
    labels: {},
    ...rest,
    placed: rows.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  };
}

export function query(resource: Resource, rest: Partial<Query> = {}): Query {
  return { resource, filter: {}, limit: 100, ...rest };
}

export const ALL: Scope = { subject: "admin", mayRead: () => true, mayReadClusters: true };

/** May read the objects of these namespaces. */
export function tenant(namespaces: readonly string[], subject = "tenant"): Scope {
  const mayRead = (namespace: string | undefined): boolean => namespaces.includes(namespace ?? "");
  return { subject, mayRead, mayReadClusters: false };
}

/** A placed object on a cluster out of contact: the last numbers, and when they were seen. */
function outOfContact(cluster: string, observedAt: number, rest: Partial<PlacedFacts> = {}): PlacedFacts {
  return failing(cluster, "ClusterUnreachable", { state: "Unknown", stale: true, observedAt, ...rest });
}

const arbitraryPlaced: fc.Arbitrary<PlacedFacts> = fc
  .record({
    cluster: fc.constantFrom(...Object.keys(CLUSTERS)),
    trouble: fc.constantFrom(undefined, "ImagePullBackOff", "QuotaExceeded", "ClusterUnreachable"),
    ready: fc.nat(3),
    minutes: fc.nat(5),
    seen: fc.nat(5),
    shape: fc.constantFrom("image … is missing", "quota … is used up"),
  })
  .map(({ cluster, trouble, ready, minutes, seen, shape }) => {
    if (trouble === undefined) return placed(cluster, { ready, desired: ready });
    const rest = { ready, desired: 3, since: T0 - minutes * MINUTE, shape };
    if (trouble === "ClusterUnreachable") return outOfContact(cluster, T0 - seen * MINUTE, rest);
    return failing(cluster, trouble, rest);
  });

export const arbitraryIdentity: fc.Arbitrary<ObjectIdentity> = fc
  .record({
    namespace: fc.constantFrom("a", "b", undefined),
    kind: fc.constantFrom("DemoApplication", "Deployment"),
    name: fc.constantFrom("shop", "shop-2", "cart", "web"),
  })
  .map(({ namespace, kind, name }) => ({
    kind,
    group: kind === "Deployment" ? "apps" : "paas.cmft.com",
    ...(namespace === undefined ? {} : { namespace }),
    name,
  }));

/** What an object says that no policy places. */
export const UNPLACED = {
  state: "Progressing",
  reason: "NoPlacement",
  message: "no Placement selects it",
  shape: "no Placement selects it",
} satisfies Partial<ObjectFacts>;

export const arbitraryObject: fc.Arbitrary<ObjectFacts> = fc
  .record({
    identity: arbitraryIdentity,
    placed: fc.uniqueArray(arbitraryPlaced, { maxLength: 4, selector: ({ cluster }) => cluster }),
    policy: fc.constantFrom(undefined, "Placement/a/near", "ClusterPlacement/far"),
    tier: fc.constantFrom("gold", "tin"),
    nowhere: fc.boolean(),
    waiting: fc.boolean(),
    minutes: fc.nat(5),
  })
  .map(({ identity: id, placed: rows, policy, tier, nowhere, waiting, minutes }) => {
    const isTroubled = nowhere && rows.every(({ shape }) => shape === undefined);
    const observed = rows.flatMap(({ observedAt }) => observedAt ?? []);
    return object(id.name, rows, {
      identity: id,
      ...(isTroubled ? UNPLACED : {}),
      stale: rows.some(({ stale }) => stale),
      ...(observed.length === 0 ? {} : { observedAt: Math.min(...observed) }),
      ...(policy === undefined ? {} : { policy }),
      labels: { tier },
      waits: waiting ? [{ for: "contact", since: "2026-05-01T11:00:00Z", message: "for reports" }] : [],
      since: T0 - minutes * MINUTE,
    });
  });

const arbitraryCluster = fc
  .record({ name: fc.constantFrom(...Object.keys(CLUSTERS)), lost: fc.boolean() })
  .map(({ name, lost }) => ({
    name,
    region: CLUSTERS[name] ?? "",
    state: lost ? "Unreachable" : "Ready",
    ...(lost ? { reason: "ClusterUnreachable", lastContact: T0 - MINUTE } : {}),
    stale: lost,
    labels: {},
  }));

/** Changes as the feed makes them: an object is there once at most. */
export const arbitraryCommit: fc.Arbitrary<Commit> = fc.record({
  objects: fc.uniqueArray(arbitraryObject, {
    maxLength: 5,
    selector: ({ identity: { kind, namespace = "", name } }) => `${kind}/${namespace}/${name}`,
  }),
  deleted: fc.array(arbitraryIdentity, { maxLength: 2 }),
  clusters: fc.uniqueArray(arbitraryCluster, { maxLength: 2, selector: ({ name }) => name }),
});

export const arbitraryScope: fc.Arbitrary<Scope> = fc
  .record({ pairs: fc.subarray(["a/", "b/", "/", "a/Deployment", "b/DemoApplication"]), clusters: fc.boolean() })
  .map(({ pairs, clusters }) => ({
    subject: "someone",
    mayRead(namespace = "", kindKey) {
      const kind = kindKey.split("/")[1] ?? "";
      return pairs.includes(`${namespace}/`) || pairs.includes(`${namespace}/${kind}`);
    },
    mayReadClusters: clusters,
  }));

const FILTERS = {
  namespace: fc.subarray(["a", "b"], { minLength: 1 }),
  kind: fc.constantFrom(["Deployment"], ["paas.cmft.com/DemoApplication"]),
  name: fc.constantFrom("s", "shop-"),
  labelSelector: fc.constant([{ key: "tier", operator: "In" as const, values: ["gold"] }]),
  cluster: fc.subarray(["eu-1", "us-1"], { minLength: 1 }),
  region: fc.constant(["eu"]),
  state: fc.constantFrom(["Available"], ["Degraded"], ["Unknown"]),
  reason: fc.constantFrom(["QuotaExceeded"], ["ClusterUnreachable"]),
  policy: fc.constantFrom(["near"], ["ClusterPlacement/far"]),
  waitingFor: fc.constant(["contact"]),
  changedSince: fc.constantFrom({ ago: 2 * MINUTE }, { at: T0 - 3 * MINUTE }),
  olderThan: fc.constant({ ago: 2 * MINUTE }),
  cel: fc.constantFrom("object.ready < object.desired", "object.name == 'shop'"),
};

/** Few filters at once: with many, most queries would have no rows, and nothing would be compared. */
const arbitraryFilter: fc.Arbitrary<Filter> = fc
  .tuple(fc.record(FILTERS), fc.subarray(Object.keys(FILTERS), { maxLength: 2 }))
  .map(([filter, names]) => Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name))));

export const arbitraryRowQuery: fc.Arbitrary<Query> = fc
  .record({
    resource: fc.constantFrom("federatedobjects" as const, "placedobjects" as const),
    filter: arbitraryFilter,
    field: fc.constantFrom(undefined, "since", "reason", "ready", "name"),
    descending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ resource, filter, field, descending, limit }) => ({
    resource,
    filter,
    ...(field === undefined ? {} : { sort: { field, descending } }),
    limit,
  }));
