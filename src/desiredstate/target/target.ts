import {
  defined,
  excess,
  type KubeObject,
  OBJECT_BOUNDS,
  parseApiVersion,
  type Placement,
  refKey,
} from "../../apis/index.ts";
import {
  type Dependency,
  fieldsLeftOut,
  type HubKind,
  isRendered,
  placeableKindOf,
  type PodNeeds,
  podNeedsOf,
  replicaPathsOf,
  replicasAt,
  type HubOwnedField,
  undividable,
} from "../../interpreter/index.ts";
import { type MatchedRule, matchRules, type PolicyRef } from "../../override/index.ts";
import {
  choosesAmong,
  goesByHeadroom,
  NEEDS_UNKNOWN,
  headroomFor,
  sortedByName,
  type Subject,
} from "../../scheduler/index.ts";
import { manifestsProblem, scopeProblem, termsWithin } from "./bundleScope.ts";
import {
  apisOf,
  collectDependencies,
  DependencyOverrides,
  type DependencyShare,
  Finished,
  once,
  runsIn,
  type VariantOptions,
  VariantRenderer,
  withoutRetained,
} from "../manifests/index.ts";
import { type Marking, ownerRefOf, ownerText } from "../rows/index.ts";
import { needsOf, withTheirNeeds } from "./needs.ts";
import { choosePlacement } from "./placementSelection.ts";
import { defaultTerms, type NamespaceTerms } from "../podSecurity/index.ts";
import { reschedulingOf } from "../failover/index.ts";
import { currentClusters, foundClusters, foundReplicas, type Scope, scopeOf } from "./scope.ts";
import type { ClusterTarget, Problem, Target, Why } from "../types.ts";
import type { Needs, PlacementChoice, Snapshot } from "../snapshot.ts";

/**
 * Computes the target of one hub object: which clusters run it, which objects each should have, and why. `now` is in
 * epoch milliseconds. The same values give the same target, hashes included, in any order of the input. Never throws: a
 * problem of one cluster is in that cluster's entry.
 */
export function computeTarget(snapshot: Snapshot, now: number): Target {
  const { object, hubId } = snapshot;
  const source = sourceOf(snapshot);
  const { kind, placement, passedOver, rendered, recorded, terms } = source;
  const subject = subjectOf(snapshot, source);
  const scope = scopeOf(snapshot, placement, subject, sortedByName(snapshot.clusters), now);
  const finished = rendered.length === 0 ? recorded : finishedAfter(recorded, scope, snapshot, placement, subject);

  // While no policy places the object, the deletion policy of its last placement still applies.
  const deletionPolicy =
    (placement === undefined ? snapshot.previous?.deletionPolicy : placement.spec.deletionPolicy) ?? "Delete";
  const owner = ownerRefOf(object);
  const marking: Marking = { hubId, ownerText: ownerText(owner), policy: deletionPolicy };
  const needs = snapshot.needs ?? needsIn(snapshot, kind, placement, subject.current.size > 0);
  const dependencies = collectDependencies(needs, snapshot, marking);
  const goingAlong = new DependencyOverrides(dependencies, needs, snapshot, marking);
  const overrides = matchRules(object, snapshot.overrides, snapshot.setting);
  const conflictResolution = placement?.spec.conflictResolution ?? "Abort";
  const rendering = renderingOf(snapshot, source, { owner, marking, conflictResolution });
  const targets = clusterTargets(snapshot, {
    source,
    subject,
    scope,
    finished,
    dependencies,
    goingAlong,
    overrides,
    rendering,
  });

  const dependencyOverrides = goingAlong.reached();
  const overridden = policiesOf(targets.overriding);
  const reached = policiesOf(targets.reaching);
  const idle = overrides.policies.filter((policy) => !overridden.has(policy));
  const because = (policy: PolicyRef): NonNullable<Target["idleOverrides"]>[number]["because"] =>
    targets.clusters.length === 0 ? "Unplaced" : reached.has(policy) ? "Frozen" : "NoCluster";
  const { resourceVersion } = object.metadata;
  return {
    owner,
    ...defined({ hubVersion: resourceVersion }),
    ...(placement === undefined ? {} : { placement: nameOf(placement) }),
    ...(passedOver.length === 0
      ? {}
      : { passedOver: passedOver.map((other) => ({ policy: nameOf(other.placement), because: other.because })) }),
    overrides: overrides.policies.filter((policy) => overridden.has(policy)),
    ...(idle.length === 0 ? {} : { idleOverrides: idle.map((policy) => ({ policy, because: because(policy) })) }),
    ...(dependencyOverrides.length === 0 ? {} : { dependencyOverrides }),
    decision: scope.decision,
    scheduled: scope.scheduled,
    clusters: targets.clusters,
    missing: missingOf(needs.dependencies, snapshot),
    suspended: scope.suspended,
    ...defined({ dependencyHashes: dependencies.hashes, namespaceLabels: terms.labels }),
    conflictResolution,
    deletionPolicy,
    ...(placement?.spec.aggregateStatus === true && !isRendered(object) ? { aggregatesStatus: true as const } : {}),
    ...(finished.work.runs.size === 0 ? {} : { finished: finished.work }),
    ...defined({ failover: scope.failover, podNeeds: subject.podNeeds }),
    ...(placement !== undefined && reschedulingOf(placement) !== undefined ? { reschedules: true as const } : {}),
    ...(placement?.spec.disruptionBudget === undefined ? {} : { disruptionBudget: placement.spec.disruptionBudget }),
    ...(placement?.spec.failover?.makeBeforeBreak === false ? { breakBeforeMake: true as const } : {}),
    ...defined({ recheckAt: scope.decision.recheckAt }),
  };
}

/** The hub object with its placement: what it renders to, before any cluster is chosen. */
interface Source extends PlacementChoice {
  kind: HubKind;
  paths: ReturnType<typeof replicaPathsOf>;
  replicas: number | undefined;
  terms: NamespaceTerms;
  unfit: Problem | undefined;
  rendered: readonly KubeObject[];
  runs: ReturnType<typeof runsIn>;
  recorded: Finished;
}

function sourceOf(snapshot: Snapshot): Source {
  const { object } = snapshot;
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  const choice = snapshot.choice ?? choosePlacement(object, snapshot.placements, snapshot.setting);
  const scheduling = choice.placement?.spec.replicaScheduling;
  const paths = replicaPathsOf(kind, scheduling?.path, snapshot.scale);
  const replicas = paths === undefined ? kind.replicas(object) : replicasAt(object, paths.spec);
  const terms = snapshot.terms ?? defaultTerms(object.metadata.namespace ?? "");
  const isDivided = paths !== undefined && scheduling?.mode === "Divided";
  const unfit =
    tooDeep(object) ??
    protectedNamespace(terms) ??
    kind.refusal?.(object) ??
    (isDivided ? undividable(object, paths.spec) : undefined) ??
    (kind.holdsManifests === true ? manifestsProblem(object) : undefined);
  const rendered = unfit === undefined ? kind.render(object, paths?.spec) : [];
  const runs = runsIn(rendered, kind.holdsManifests === true ? undefined : object);
  const recorded = Finished.in(snapshot.previous, runs, rendered.length);
  return { ...choice, kind, paths, replicas, terms, unfit, rendered, runs, recorded };
}

/** The object as the scheduler sees it, with what is known of its present replicas. */
type ScheduledSubject = Subject & { reported: ReadonlyMap<string, number>; podNeeds?: PodNeeds };

function subjectOf(snapshot: Snapshot, { placement, unfit, rendered, replicas, recorded }: Source): ScheduledSubject {
  const { object } = snapshot;
  const found = foundReplicas(snapshot, rendered);
  const reported = reportedReplicas(snapshot, found);
  const isByHeadroom = placement !== undefined && goesByHeadroom(placement.spec.replicaScheduling);
  const templates = placement?.spec.podTemplates;
  const podNeeds = isByHeadroom ? rendered.flatMap((one) => podNeedsOf(one, templates) ?? [])[0] : undefined;
  return {
    key: `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`,
    labels: object.metadata.labels ?? {},
    ...defined({ namespace: object.metadata.namespace }),
    current: currentClusters(snapshot, reported, found),
    ...defined({ found: foundClusters(snapshot, found), replicas, finished: recorded.everywhere() }),
    ...(isRendered(object) ? {} : { sentAsItIs: true }),
    ...(unfit === undefined ? { apis: apisOf(rendered) } : {}),
    ...(isByHeadroom ? headroomIn(snapshot, podNeeds) : {}),
    reported,
    ...defined({ podNeeds }),
  };
}

/** How the objects of every cluster are rendered; the dependencies differ by cluster. */
function renderingOf(
  { object }: Snapshot,
  { kind, placement, paths, terms, unfit, rendered, runs }: Source,
  { owner, marking, conflictResolution }: Pick<Target, "owner" | "conflictResolution"> & { marking: Marking },
): Omit<VariantOptions, "dependencies"> {
  const isBundle = kind.holdsManifests === true;
  const problem = unfit ?? (isBundle ? scopeProblem(rendered, terms) : undefined);
  return {
    base: problem === undefined ? rendered : [],
    problem,
    owner,
    marking,
    terms: isBundle ? termsWithin(rendered, terms, conflictResolution === "Adopt") : terms,
    retain: placement?.spec.retain,
    templates: placement?.spec.podTemplates,
    reporting: placement?.spec,
    replicaPath: paths?.spec,
    unwritten: kind.unwritten?.(object, paths?.spec),
    hubOwned: hubOwnedIn(object, rendered, placement?.spec.retain),
    ...(isBundle ? { inPhases: true } : {}),
    runs,
  };
}

interface Placing {
  source: Source;
  subject: ScheduledSubject;
  scope: Scope;
  finished: Finished;
  dependencies: ReturnType<typeof collectDependencies>;
  goingAlong: DependencyOverrides;
  overrides: ReturnType<typeof matchRules>;
  rendering: Omit<VariantOptions, "dependencies">;
}

interface ClusterTargets {
  clusters: ClusterTarget[];
  /** Rules that apply on some cluster, failed ones included: the status of their own policy must name them. */
  overriding: ReadonlySet<readonly MatchedRule[]>;
  /** Rules that take a cluster of the object, frozen clusters included. */
  reaching: ReadonlySet<readonly MatchedRule[]>;
}

function clusterTargets(
  snapshot: Snapshot,
  { source: { placement, paths, replicas }, subject, scope, finished, ...placing }: Placing,
): ClusterTargets {
  const { object } = snapshot;
  const { dependencies, goingAlong, overrides, rendering } = placing;
  const present = snapshot.presentOverrides && matchRules(object, snapshot.presentOverrides, snapshot.setting);
  const renderers = new Map<DependencyShare, VariantRenderer>();
  const rendererWith = (share: DependencyShare): VariantRenderer =>
    once(renderers, share, () => new VariantRenderer({ ...rendering, dependencies: share }));
  const leftOut = isRendered(object) ? undefined : lacking(object, placement);
  const clusters: ClusterTarget[] = [];
  const overriding = new Set<readonly MatchedRule[]>();
  const reaching = new Set<readonly MatchedRule[]>();
  for (const { cluster, frozen, found: isFound, replicas: divided } of scope.places) {
    const { name, region, local } = cluster;
    const rules = overrides.on(cluster);
    reaching.add(rules);
    const before = subject.reported.get(name);
    const share = { replicas: frozen ? before : divided, fixed: frozen, local };
    const renderer = rendererWith(local ? dependencies : goingAlong.on(cluster));
    const variant = renderer.render(rules, share, present?.on(cluster));
    // Nothing is propagated to the hub itself: dependencies exist there already, whether or not Meridian may read them.
    const warning = dependencies.warning ?? (local ? dependencies.denial : leftOut) ?? variant.warning;
    const denial = frozen || local ? undefined : dependencies.denial;
    const isThere = frozen || subject.current.has(name);
    const keeps = frozen || denial !== undefined || (variant.problem !== undefined && isThere);
    const count = keeps ? (before ?? variant.replicas) : variant.replicas;
    if (!keeps || variant.problem !== undefined) overriding.add(rules);
    const isUnknown = !isThere && (variant.problem ?? denial) !== undefined;
    clusters.push({
      name,
      ...defined({ region }),
      ...((replicas ?? paths) === undefined || count === undefined ? {} : { replicas: count }),
      ...defined({ problem: variant.problem, warning }),
      frozen: keeps,
      ...(isFound === true ? { found: isFound } : {}),
      ...defined({ frozenFor: denial }),
      ...(keeps || variant.problem !== undefined ? {} : defined({ overrides: variant.overrides })),
      objects: isUnknown ? [] : finished.on(name, variant.objects),
    });
  }
  return { clusters, overriding, reaching };
}

/** The record of finished work after the moves of the decision. Unchanged while no decision places the object. */
function finishedAfter(
  recorded: Finished,
  { decision, scheduled, suspended }: Scope,
  { clusters }: Snapshot,
  placement: Placement | undefined,
  { current }: Subject,
): Finished {
  if (recorded.work.runs.size === 0 || placement === undefined || suspended || scheduled.status !== "True")
    return recorded;
  return recorded.after({
    chosen: new Set(decision.clusters.map(({ name }) => name)),
    current,
    known: new Set(clusters.map(({ name }) => name)),
    isInterchangeable: choosesAmong(placement.spec),
    mayReturn: placement.spec.rollout !== undefined,
  });
}

function headroomIn({ capacities, held }: Snapshot, needs: PodNeeds | undefined): Pick<Subject, "room" | "held"> {
  return {
    ...(capacities === undefined
      ? {}
      : { room: needs === undefined ? { get: () => NEEDS_UNKNOWN } : headroomFor(needs, capacities) }),
    ...(held === undefined ? {} : { held: held() }),
  };
}

function needsIn(
  { object, dependencies: present }: Snapshot,
  kind: HubKind,
  placement: Placement | undefined,
  runs: boolean,
): Needs {
  const needs = needsOf(kind, object, placement, runs);
  return { ...needs, dependencies: withTheirNeeds(needs.dependencies, present) };
}

function policiesOf(matched: Iterable<readonly MatchedRule[]>): Set<PolicyRef> {
  return new Set([...matched].flatMap((rules) => rules.map(({ policy }) => policy)));
}

/** Limits the depth, because rendering recurses. The status does not count: it is sent nowhere. */
function tooDeep({ status: _, ...object }: KubeObject): Why | undefined {
  const message = excess(object, { bytes: Infinity, levels: OBJECT_BOUNDS.levels });
  return message === undefined ? undefined : { reason: "TooLarge", message: `the object ${message}` };
}

/** A writer in a protected namespace could take over the cluster. */
function protectedNamespace({ namespace, isProtected }: NamespaceTerms): Why | undefined {
  if (!isProtected) return undefined;
  const message = `nothing is written into the namespace ${namespace} of members; use another one`;
  return { reason: "ProtectedNamespace", message };
}

/** Replicas last given to each cluster; a frozen cluster keeps them. */
function reportedReplicas(
  { previous }: Snapshot,
  found: ReadonlyMap<string, number | undefined>,
): ReadonlyMap<string, number> {
  const reported = new Map<string, number>();
  for (const [name, replicas] of found) if (replicas !== undefined) reported.set(name, replicas);
  for (const { name, replicas } of previous?.clusters ?? []) reported.set(name, replicas.desired);
  return reported;
}

function missingOf(
  needed: readonly Dependency[],
  { dependencies, unreadable }: Pick<Snapshot, "dependencies" | "unreadable">,
): ReadonlySet<string> {
  const keys = needed.map(({ ref }) => refKey(ref));
  return new Set(keys.filter((key) => unreadable?.has(key) === true || !dependencies.has(key)));
}

function nameOf({ kind, metadata }: Placement): NonNullable<Target["placement"]> {
  const { namespace, name } = metadata;
  return { kind, ...defined({ namespace }), name };
}

/** Only for an object that is sent as it is. Fields that the policy retains are left out. */
function hubOwnedIn(
  object: KubeObject,
  [sent]: readonly KubeObject[],
  retain: Placement["spec"]["retain"],
): readonly HubOwnedField[] | undefined {
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  const [left = object] = withoutRetained([object], retain);
  return sent === undefined ? undefined : kind.hubOwned?.(left, sent);
}

/** Fields of the object that the placement's API version lacks, with the remedy. */
function lacking(object: KubeObject, placement: Placement | undefined): Why | undefined {
  const left = fieldsLeftOut(object);
  if (left === undefined || placement === undefined) return undefined;
  return {
    reason: "VersionLacksFields",
    message: {
      what: `${object.apiVersion} lacks`,
      where: left.fields,
      why: "not sent",
      remedy: `name ${left.apiVersion} in ${placement.kind} ${placement.metadata.name}`,
    },
  };
}
