import type { KubeObject, Placement } from "../apis/index.ts";
import { parseApiVersion, refKey } from "../apis/index.ts";
import { placeableKindOf } from "../interpreter/index.ts";
import { matchPolicies, matchRules } from "../override/index.ts";
import type { ClusterSnapshot, Subject } from "../scheduler/index.ts";
import { carryDependencies, nothingCarried } from "./dependencies.ts";
import { type Marked, ownerRefOf, ownerText } from "./marks.ts";
import { selectPlacement } from "./placementSelection.ts";
import { currentClusters, scopeOf } from "./scope.ts";
import type { ClusterPlan, DesiredRow, Plan, Snapshot } from "./types.ts";
import { policyKey, VariantRenderer } from "./variants.ts";

/** What every row of one plan has in common. */
type RowBase = Pick<DesiredRow, "owner" | "conflictResolution" | "deletionPolicy">;

/**
 * Everything that follows from one moment's values for one hub object: which clusters run it, what is to be there, and why. `now` in epoch
 * milliseconds. The same values give the same plan, hashes included, in whatever order they come. Never throws: what is wrong with one
 * cluster's share stands in that cluster's entry.
 */
export function computeDesiredState(snapshot: Snapshot, now: number): Plan {
  const { object, hubId } = snapshot;
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  const clusters = snapshot.clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const placement = selectPlacement(object, snapshot.placements);
  const replicas = kind.replicas(object);
  const subject: Subject = {
    labels: object.metadata.labels ?? {},
    current: currentClusters(snapshot),
    ...(replicas === undefined ? {} : { replicas }),
  };
  const scope = scopeOf(snapshot, placement, subject, clusters, now);

  const owner = ownerRefOf(object);
  const owned = ownerText(owner);
  const carries = placement?.spec.dependencies?.mode !== "None";
  const dependencies = carries ? carryDependencies(kind.dependencies(object), snapshot, owned) : nothingCarried;
  const policies = matchPolicies(object, snapshot.overrides);
  const renderer = new VariantRenderer({
    base: kind.render(object),
    owner,
    ownerText: owned,
    hubId,
    dependenciesHash: dependencies.hash,
    retain: placement?.spec.retain,
  });

  const base: RowBase = {
    owner,
    conflictResolution: placement?.spec.conflictResolution ?? "Abort",
    // While no policy places the object, the one that did still says how to part.
    deletionPolicy:
      (placement === undefined ? snapshot.previous?.deletionPolicy : placement.spec.deletionPolicy) ?? "Delete",
  };
  const applied = new Map(scope.apply.map((chosen) => [chosen.name, chosen]));
  const held = new Set(scope.held);
  const plans: ClusterPlan[] = [];
  const rows: DesiredRow[] = [];
  const overriding = new Set<string>();

  for (const cluster of clusters) {
    const chosen = applied.get(cluster.name);
    // A cluster that is being removed never gets anything, whatever was decided.
    if (cluster.deleting || (chosen === undefined && !held.has(cluster.name))) continue;

    const rules = matchRules(object, policies, cluster);
    const before = reportedReplicas(snapshot, cluster);
    const divided = chosen === undefined ? before : chosen.replicas;
    const variant = renderer.render(rules, { replicas: divided, fixed: chosen === undefined, local: cluster.local });
    // On the hub itself nothing is carried: what is referred to is there, whether or not Meridian may read it.
    const warning = dependencies.warning ?? (cluster.local ? dependencies.denial : undefined);
    const denial = chosen === undefined || cluster.local ? undefined : dependencies.denial;
    const isThere = chosen === undefined || subject.current.has(cluster.name);
    const keeps = chosen === undefined || denial !== undefined || (variant.problem !== undefined && isThere);
    const count = keeps ? (before ?? variant.replicas) : variant.replicas;
    plans.push({
      name: cluster.name,
      ...(cluster.region === undefined ? {} : { region: cluster.region }),
      ...(replicas === undefined || count === undefined ? {} : { replicas: count }),
      ...(variant.problem === undefined ? {} : { problem: variant.problem }),
      ...(warning === undefined ? {} : { warning }),
      held: keeps,
      ...(denial === undefined ? {} : { heldFor: denial }),
    });
    // Also those that failed there: their own status has to say so.
    if (!keeps || variant.problem !== undefined) for (const { policy } of rules) overriding.add(policyKey(policy));
    if (!isThere && (variant.problem ?? denial) !== undefined) continue;

    const mode = keeps ? "Hold" : "Apply";
    if (!cluster.local)
      addRows(rows, dependencies.objects, { ...base, cluster: cluster.name, role: "dependency", mode });
    addRows(rows, variant.objects.filter(isNot(object, cluster)), {
      ...base,
      cluster: cluster.name,
      role: "rendered",
      mode,
    });
  }

  return {
    ...(placement === undefined ? {} : { placement: nameOf(placement) }),
    overrides: policies.map(nameOf).filter((policy) => overriding.has(policyKey(policy))),
    decision: scope.decision,
    scheduled: scope.scheduled,
    clusters: plans,
    rows,
    suspended: scope.suspended,
    deletionPolicy: base.deletionPolicy,
    ...(scope.decision.recheckAt === undefined ? {} : { recheckAt: scope.decision.recheckAt }),
  };
}

function addRows(rows: DesiredRow[], objects: readonly Marked[], base: Omit<DesiredRow, keyof Marked>): void {
  for (const marked of objects) rows.push({ ...base, ...marked });
}

/** A kind that is carried as it is would be applied onto itself on the hub. */
function isNot(object: KubeObject, cluster: ClusterSnapshot): (marked: Marked) => boolean {
  if (!cluster.local) return () => true;
  const itself = refKey(ownerRefOf(object));
  return ({ ref }) => refKey(ref) !== itself;
}

/** What the cluster was last asked for: while it is held, that is still so. */
function reportedReplicas({ previous }: Snapshot, cluster: ClusterSnapshot): number | undefined {
  return previous?.clusters?.find(({ name }) => name === cluster.name)?.replicas.desired;
}

function nameOf({ kind, metadata }: { kind: string; metadata: Placement["metadata"] }): NonNullable<Plan["placement"]> {
  const { namespace, name } = metadata;
  return { kind, ...(namespace === undefined ? {} : { namespace }), name };
}
