import {
  kindKeyOf,
  type KubeObject,
  type ObjectRef,
  type OwnerRef,
  type Reason,
  refKey,
  refOf,
} from "../../../apis/index.ts";
import {
  copiesOf,
  type HoldRow,
  isNeededByOthers,
  recordedClusters,
  type Row,
  type Target,
} from "../../../desiredstate/index.ts";
import type { PlacedKind } from "../../../hub/index.ts";
import { type Dependency, occasionalKindOf } from "../../../interpreter/index.ts";
import { type CopySources, whyNotGranted } from "../../facts/index.ts";
import type { Footprint } from "../../states/index.ts";

/** Possible leftovers of a hub object on clusters where the object must not be (any more). */
export interface Leftovers {
  /** Clusters where it is not confirmed yet that no copy of the object is left. */
  open: ReadonlySet<string>;
  /** Rows in addition to the rows of the plan. They confirm that no copy is left. */
  rows: readonly Row[];
}

type LeftoverSources = Pick<CopySources, "hub" | "hubState" | "assignments" | "observations" | "progress">;

export interface LeftoversOf {
  owner: OwnerRef;
  /** Clusters that may have a copy of the object and must not have one. */
  clusters: Iterable<string>;
  footprint: Footprint;
}

const NO_FOOTPRINT: Footprint = { refs: [], kinds: [] };

export function footprintOf(
  { interpreter }: PlacedKind,
  object: KubeObject,
  dependencies: readonly Dependency[],
): Footprint {
  const rendered = interpreter.render(object).map(refOf);
  const needed = dependencies.map(({ ref }) => ref);
  const kinds = [...rendered, ...needed].map(kindKeyOf);
  return {
    refs: [...rendered, ...needed.filter((ref) => occasionalKindOf(ref) !== undefined)],
    kinds: [...new Set(kinds)],
  };
}

const CONFIRMING = { reason: "Confirming", message: "it is looked for by its name before the object is let go of" };
const NOTHING: Leftovers = { open: new Set(), rows: [] };

/**
 * The possible leftovers on these clusters. An empty watch is no proof: it sees only objects with our label. A copy is
 * gone if its worker saw its own removal to the end, or looked for the copy by name, or if the member never accepted
 * one. Nothing waits for a cluster without a MemberCluster.
 */
export function leftoversOf(
  sources: LeftoverSources,
  { owner, clusters, footprint: { refs, kinds } }: LeftoversOf,
): Leftovers {
  const { hub, assignments, observations, progress } = sources;
  const key = refKey(owner);
  let open: Set<string> | undefined;
  const rows: Row[] = [];
  for (const cluster of clusters) {
    if (hub.clusters.get(cluster) === undefined) continue;
    open ??= seenOf(sources, key);
    const untaken = kindsNeverTaken(sources, key, cluster, refs);
    const isKnown = observations.knows(
      cluster,
      kinds.filter((kind) => !untaken.has(kind)),
    );
    if (!isKnown || !progress.isKnownAround(key)) open.add(cluster);
    for (const ref of refs) {
      const row = confirmation(sources, cluster, ref, owner);
      if (row === undefined) continue;
      rows.push(row);
      const cell = assignments.get(cluster, refKey(ref));
      const observation = observations.get(cluster, refKey(ref));
      const isAsked = cell !== undefined && cell.effective?.verb !== "Apply" && assignments.isAcknowledged(cell);
      const isGone = untaken.has(kindKeyOf(ref)) ? observation?.mayBeThere !== true : observation?.absent === true;
      if (!isAsked || !isGone || observation?.writing === true) open.add(cluster);
    }
  }
  return open === undefined ? NOTHING : { open: new Set([...clusters].filter((name) => open.has(name))), rows };
}

/**
 * Kinds of these objects that are not granted on the cluster, if the status shows that no copy was ever seen there. A
 * worker may not look for them, and need not, unless it knows of a write that was not refused.
 */
function kindsNeverTaken(
  { hub, observations }: LeftoverSources,
  owner: string,
  cluster: string,
  refs: readonly ObjectRef[],
): ReadonlySet<string> {
  const denied = refs.filter(
    (ref) =>
      observations.whyUnreadable(cluster, ref) !== undefined &&
      observations.unreadableReason(cluster, ref) === FORBIDDEN,
  );
  const found = denied.length === 0 ? undefined : hub.object(owner);
  if (found === undefined) return NONE;
  const entry = hub.statuses.of(found.object, found.kind)?.clusters?.find(({ name }) => name === cluster);
  return entry === undefined || entry.observedHash !== undefined ? NONE : new Set(denied.map(kindKeyOf));
}

const FORBIDDEN: Reason = "Forbidden";
const NONE: ReadonlySet<string> = new Set();

/** The possible leftovers on clusters of the record that the target does not name. */
export function leftoversBeside(sources: LeftoverSources, target: Target, footprint: () => Footprint): Leftovers {
  const { owner } = target;
  const clusters = new Set(recordedClusters(sources.hubState, refKey(owner)));
  for (const { name } of target.clusters) clusters.delete(name);
  return leftoversOf(sources, { owner, clusters, footprint: clusters.size === 0 ? NO_FOOTPRINT : footprint() });
}

/** Clusters where a copy that nobody else needs is seen, or may be created by a write under way. */
function seenOf(sources: LeftoverSources, owner: string): Set<string> {
  const seen = new Set<string>();
  for (const { cluster } of sources.assignments.leftBy(owner)) seen.add(cluster);
  for (const { cluster, ref } of copiesOf(sources.hubState, owner))
    if (!isNeededByOthers(sources.hubState, cluster, ref, owner)) seen.add(cluster);
  return seen;
}

/**
 * The row that confirms the absence of a member object. Undefined if the object is seen (the plan then has a row for
 * it), or if another hub object wants it.
 */
function confirmation(
  { hub, assignments, observations }: LeftoverSources,
  cluster: string,
  ref: ObjectRef,
  owner: OwnerRef,
): Row | undefined {
  const key = refKey(ref);
  if (observations.get(cluster, key)?.present !== undefined) return undefined;
  const cell = assignments.get(cluster, key);
  if (cell?.effective?.verb === "Apply" && !cell.rows.has(refKey(owner))) return undefined;
  const own = cell?.rows.get(refKey(owner));
  // The row that removed the member object serves as well, and the worker has that row already.
  if (own?.verb === "Delete" || own?.verb === "Release") return own;
  const unreadable = observations.whyUnreadable(cluster, ref);
  const row: HoldRow = {
    verb: "Hold",
    cluster,
    ref,
    owner,
    role: "rendered",
    wanted: false,
    confirm: true,
    why:
      whyNotGranted(hub, cluster, ref.namespace) ??
      (unreadable === undefined ? CONFIRMING : { reason: "ClusterNotSynced", message: unreadable }),
  };
  return row;
}
