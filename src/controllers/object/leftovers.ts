import {
  kindKeyOf,
  type KubeObject,
  type ObjectRef,
  type OwnerRef,
  type Reason,
  refKey,
  refOf,
  shortMessage,
} from "../../apis/index.ts";
import {
  copiesOf,
  type HoldRow,
  isNeededByOthers,
  recordedClusters,
  type Row,
  type Target,
} from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { type Dependency, occasionalKindOf } from "../../interpreter/index.ts";
import { type CopySources, whyNotGranted } from "../facts/index.ts";

/** What may be left of a hub object on clusters where it is not to be (any more). */
export interface Leftovers {
  /** The clusters on which nobody has seen yet that nothing of the object is left. */
  open: ReadonlySet<string>;
  /** Rows beside those of the plan: they make certain that nothing is left. */
  rows: readonly Row[];
}

export interface LeftoversOf {
  owner: OwnerRef;
  /** Where something of the object may be, and where it is not to be. */
  clusters: Iterable<string>;
  footprint: Footprint;
}

/** What a hub object comes to on a member. */
export interface Footprint {
  /** What the object is rendered to, wherever it runs; and what goes along, of the kinds that are not watched everywhere. */
  refs: readonly ObjectRef[];
  /** The kinds (`group/Kind`) of that, and of what goes along. */
  kinds: readonly string[];
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
 * What may be left on these clusters. That the watch shows nothing is no proof, since it sees only what has our label: a copy counts as gone
 * when its worker removed it and saw it go, or looked for it by its name, or where the member never took one. Where there is no MemberCluster
 * any more there is nothing to wait for.
 */
export function leftoversOf(
  sources: CopySources,
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
 * Kinds (`group/Kind`) of these objects that are not granted on the cluster, where the object's status says that nothing of it was ever seen there.
 * Nobody may look for what was never taken, and nobody has to, unless the worker knows of a write that was not refused.
 */
function kindsNeverTaken(
  { hub, observations }: CopySources,
  owner: string,
  cluster: string,
  refs: readonly ObjectRef[],
): ReadonlySet<string> {
  const denied = refs.filter(
    (ref) =>
      observations.unseenKind(cluster, ref) !== undefined && observations.unseenReason(cluster, ref) === FORBIDDEN,
  );
  const found = denied.length === 0 ? undefined : hub.object(owner);
  if (found === undefined) return NONE;
  const entry = hub.statuses.of(found.object, found.kind)?.clusters?.find(({ name }) => name === cluster);
  return entry === undefined || entry.observedHash !== undefined ? NONE : new Set(denied.map(kindKeyOf));
}

const FORBIDDEN: Reason = "Forbidden";
const NONE: ReadonlySet<string> = new Set();

/** What may be left on clusters of the record that the target does not name. `footprint` is asked where there are any. */
export function leftoversBeside(sources: CopySources, target: Target, footprint: () => Footprint): Leftovers {
  const { owner } = target;
  const clusters = new Set(recordedClusters(sources.hubState, refKey(owner)));
  for (const { name } of target.clusters) clusters.delete(name);
  return leftoversOf(sources, { owner, clusters, footprint: clusters.size === 0 ? NO_FOOTPRINT : footprint() });
}

/** Clusters on which something of the object is seen, or may come to be by a write under way. What another object needs goes with that one. */
function seenOf(sources: CopySources, owner: string): Set<string> {
  const seen = new Set<string>();
  for (const { cluster } of sources.assignments.leftBy(owner)) seen.add(cluster);
  for (const { cluster, ref } of copiesOf(sources.hubState, owner))
    if (!isNeededByOthers(sources.hubState, cluster, ref, owner)) seen.add(cluster);
  return seen;
}

/** The row that makes certain of one member object; undefined for one that is seen, and has a row of the plan's, or is another's. */
function confirmation(
  { hub, assignments, observations }: CopySources,
  cluster: string,
  ref: ObjectRef,
  owner: OwnerRef,
): Row | undefined {
  const key = refKey(ref);
  if (observations.get(cluster, key)?.present !== undefined) return undefined;
  const cell = assignments.get(cluster, key);
  if (cell?.effective?.verb === "Apply" && !cell.rows.has(refKey(owner))) return undefined;
  const own = cell?.rows.get(refKey(owner));
  // The row that removed it is as good, and the worker has it already.
  if (own?.verb === "Delete" || own?.verb === "Release") return own;
  const unseen = observations.unseenKind(cluster, ref);
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
      (unseen === undefined ? CONFIRMING : { reason: "ClusterNotSynced", message: shortMessage(unseen) }),
  };
  return row;
}
