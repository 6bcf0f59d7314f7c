import { type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import { chooseRow, inTheNamesOf, type Observation, type Row } from "../../desiredstate/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import { RowSum, type SetSummary } from "../../ports/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Groups } from "./groups.ts";
import { KindCounts } from "./kindCounts.ts";
import { NamespaceCounts } from "./namespaceCounts.ts";
import type { ObservationBatch, ObservationChange, Observations } from "./observations.ts";
import { isSameRow } from "./sameRow.ts";
import { SyncCounts, type SyncState, syncStateOf } from "./syncCounts.ts";

export interface AssignmentsOptions {
  observations: Observations;
  others: DependentsOfOthers;
  /** Monotonic milliseconds. */
  monotonic: () => number;
}

/** The hub objects of other classes that need a dependency. The member object may stay on their behalf. */
export interface DependentsOfOthers {
  needing(ref: ObjectRef): Iterable<OwnerRef>;
  /** A dependency that more or fewer of these hub objects need now. */
  readonly needs: Emitter<ObjectRef>;
}

export interface Cell {
  readonly cluster: string;
  readonly key: string;
  readonly ref: ObjectRef;
  /** Rows by hub object. A Secret that two applications read has several rows. */
  readonly rows: ReadonlyMap<string, Row>;
  readonly effective: Row | undefined;
  /** Grows with each change of the effective row, over all cells. */
  readonly revision: number;
  /** Origin of the last plan that changed a row. */
  readonly origin: Origin | undefined;
  /** The last plan that changed a row was made because the planner began. */
  readonly isBacklog: boolean;
  /** Time at which the effective row was set, monotonic milliseconds. */
  readonly assignedAt: number;
}

interface OpenCell extends Cell {
  rows: Map<string, Row>;
  /**
   * Hub objects that withdrew their row and may still have a copy: until the worker has acknowledged the withdrawal, no
   * copy exists, and no write is under way.
   */
  leaving: Set<string>;
  effective: Row | undefined;
  revision: number;
  /** The last revision that the worker has acknowledged. */
  acknowledged: number;
  origin: Origin | undefined;
  isBacklog: boolean;
  assignedAt: number;
  sync: SyncState | undefined;
}

/** The rows of one hub object were replaced by others. */
export interface AssignmentChange {
  owner: string;
  clusters: ReadonlySet<string>;
  rows: readonly Row[];
}

/**
 * The work to be done: rows by cluster and hub object. Only planning writes the rows; each cluster's worker reads its
 * part as a stream. Of several rows for a member object, one counts ({@link chooseRow}).
 */
export class Assignments {
  /** Rows changed. Not emitted if equal rows are set again. */
  readonly changes = new Emitter<AssignmentChange>();
  /** The key of a hub object that withdrew a row and has nothing left of that member object. */
  readonly departures = new Emitter<string>();
  /** A namespace of a member that no row asks for any more, and that no write under way can fill. */
  readonly vacated = new Emitter<{ cluster: string; namespace: string }>();
  /** A cell with another effective row. */
  readonly effects = new Emitter<Cell>();
  /** A cluster on which rows ask for another set of kinds. */
  readonly kindsChanged = new Emitter<string>();
  readonly sync = new SyncCounts();
  readonly #options: AssignmentsOptions;
  readonly #clusters = new Map<string, Map<string, OpenCell>>();
  readonly #byOwner = new Groups<OpenCell>();
  readonly #namespaces = new NamespaceCounts();
  readonly #kinds = new KindCounts();
  readonly #sums = new Map<string, RowSum>();
  #revision = 0;

  constructor(options: AssignmentsOptions) {
    this.#options = options;
    options.observations.batches.subscribe((batch) => this.#follow(batch));
    options.others.needs.subscribe((ref) => this.#reconsider(ref));
  }

  /** Sets the rows of one hub object. Equal rows wake nobody. Returns the clusters where rows changed. */
  replace(
    owner: string,
    rows: readonly Row[],
    { origin, isBacklog = false }: { origin?: Origin | undefined; isBacklog?: boolean } = {},
  ): ReadonlySet<string> {
    const wanted = new Set<OpenCell>();
    const changed: Row[] = [];
    const clusters = new Set<string>();
    for (const row of rows) {
      const cell = this.#cell(row.cluster, row.ref);
      wanted.add(cell);
      this.#byOwner.add(owner, cell);
      cell.leaving.delete(owner);
      const before = cell.rows.get(owner);
      cell.rows.set(owner, row);
      if (before !== undefined && isSameRow(before, row)) continue;
      cell.origin = origin;
      cell.isBacklog = isBacklog;
      changed.push(row);
      clusters.add(row.cluster);
      this.#settle(cell);
    }
    for (const cell of this.#byOwner.of(owner)) {
      if (wanted.has(cell) || !cell.rows.delete(owner)) continue;
      clusters.add(cell.cluster);
      cell.origin = origin;
      cell.isBacklog = isBacklog;
      cell.leaving.add(owner);
      this.#settle(cell);
      this.#part(cell);
    }
    if (clusters.size === 0) return clusters;
    this.changes.emit({ owner, clusters, rows: changed });
    return clusters;
  }

  get(cluster: string, key: string): Cell | undefined {
    return this.#clusters.get(cluster)?.get(key);
  }

  /** Member objects that the hub object asks for, or asked for before and that may still exist. */
  of(owner: string): Iterable<Cell> {
    return this.#byOwner.of(owner);
  }

  /** Member objects that the hub object no longer asks for, and that may exist or be created by a late write. */
  *leftBy(owner: string): Iterable<Cell> {
    for (const cell of this.#byOwner.of(owner)) if (cell.leaving.has(owner)) yield cell;
  }

  /** True if a row asks for an object in the namespace of the member, or a write under way may create one. */
  isInUse(cluster: string, namespace: string): boolean {
    return this.#namespaces.has(cluster, namespace);
  }

  /** The hub objects that ask for the member object, and those that did so before and may still have a copy. */
  *askedBy(cluster: string, key: string): Iterable<string> {
    const cell = this.#clusters.get(cluster)?.get(key);
    yield* cell?.rows.keys() ?? [];
    yield* cell?.leaving ?? [];
  }

  /**
   * True if no write for a withdrawn row can begin: the worker has acknowledged the present row. While another hub
   * object wants the member object applied, its row corrects a late write.
   */
  isAcknowledged({ cluster, key }: Cell): boolean {
    const cell = this.#clusters.get(cluster)?.get(key);
    return cell === undefined || cell.effective?.verb === "Apply" || cell.acknowledged >= cell.revision;
  }

  ownersOfChange({ cluster, key, named }: ObservationChange): Iterable<string> {
    const cell = this.#clusters.get(cluster)?.get(key);
    const isAlone = cell !== undefined && cell.rows.size === 1 && cell.leaving.size === 0;
    // In nearly all cases, the hub object that asks for a copy is the owner that the copy names.
    if (isAlone && isOneOf(cell.rows, named.before) && isOneOf(cell.rows, named.after)) return cell.rows.keys();
    const owners = new Set(cell?.rows.keys());
    for (const owner of cell?.leaving ?? []) owners.add(owner);
    if (named.before !== undefined) owners.add(named.before);
    if (named.after !== undefined) owners.add(named.after);
    return owners;
  }

  in(cluster: string): Iterable<Cell> {
    return this.#clusters.get(cluster)?.values() ?? [];
  }

  /** The kinds that rows ask for on the cluster, and those in `more`, without those in `watched`. */
  kindsBeside(watched: readonly GroupKind[], cluster: string, more: readonly GroupKind[]): readonly GroupKind[] {
    return this.#kinds.beside(watched, cluster, more);
  }

  /** Summary of the effective rows of the cluster. */
  summaryOf(cluster: string): SetSummary {
    return { revision: this.#revision, checksum: this.#sums.get(cluster)?.value ?? 0 };
  }

  #follow({ changes, contacts, complete }: ObservationBatch): void {
    for (const change of changes) this.#observed(change);
    for (const [cluster, revision] of complete) this.#acknowledge(cluster, revision);
    for (const cluster of contacts) this.#forgetGone(cluster);
  }

  /** The worker had taken all rows up to the revision. It knows nothing of a member object that it has not named. */
  #acknowledge(cluster: string, revision: number): void {
    for (const cell of [...(this.#clusters.get(cluster)?.values() ?? [])]) {
      if (this.#options.observations.get(cluster, cell.key) !== undefined) continue;
      cell.acknowledged = Math.max(cell.acknowledged, revision);
      this.#part(cell);
    }
  }

  #observed({ cluster, key, after }: ObservationChange): void {
    const cell = this.#clusters.get(cluster)?.get(key);
    if (cell === undefined) return;
    cell.acknowledged = Math.max(cell.acknowledged, after?.revision ?? 0);
    this.#count(cell, syncStateOf(cell.effective, after));
    this.#part(cell);
  }

  #reconsider(ref: ObjectRef): void {
    const key = refKey(ref);
    for (const cells of this.#clusters.values()) {
      const cell = cells.get(key);
      if (cell !== undefined && cell.rows.size > 0) this.#settle(cell);
    }
  }

  /** A cluster without a MemberCluster has no copies to wait for. */
  #forgetGone(cluster: string): void {
    if (!isUnknown(this.#options.observations, cluster)) return;
    for (const cell of [...(this.#clusters.get(cluster)?.values() ?? [])]) {
      this.#part(cell);
    }
  }

  #settle(cell: OpenCell): void {
    const before = cell.effective;
    cell.effective = this.#choose(cell);
    if (before === undefined ? cell.effective === undefined : isSameRow(before, cell.effective)) return;
    const sum = this.#sumOf(cell.cluster);
    if (before !== undefined) sum.remove(cell.key, cell.revision);
    this.#revision += 1;
    cell.revision = this.#revision;
    if (cell.effective !== undefined) sum.add(cell.key, cell.revision);
    cell.assignedAt = this.#options.monotonic();
    this.#count(cell, syncStateOf(cell.effective, this.#options.observations.get(cell.cluster, cell.key)));
    this.effects.emit(cell);
  }

  #sumOf(cluster: string): RowSum {
    let sum = this.#sums.get(cluster);
    if (sum === undefined) this.#sums.set(cluster, (sum = new RowSum()));
    return sum;
  }

  #count(cell: OpenCell, sync: SyncState | undefined): void {
    this.sync.move(cell.ref.kind, cell.sync, sync);
    cell.sync = sync;
  }

  #choose({ ref, rows }: OpenCell): Row | undefined {
    const row = chooseRow(rows.values());
    if (row?.verb !== "Apply" || row.role !== "dependency") return row;
    const { alternatives = [] } = row;
    const foreign = [...this.#options.others.needing(ref)].filter((owner) => !rows.has(refKey(owner)));
    if (foreign.length === 0) return row;
    // The policy of another manager's object is not known here. The member object states the policy.
    const theirs = foreign.flatMap((owner) => inTheNamesOf(row, owner));
    return { ...row, alternatives: [...alternatives, ...theirs] };
  }

  /** Drops hub objects that have nothing left of the member object, and the cell together with its last hub object. */
  #part(cell: OpenCell): void {
    for (const owner of cell.leaving) {
      if (this.#mayBeThere(cell, owner)) continue;
      cell.leaving.delete(owner);
      this.#byOwner.delete(owner, cell);
      this.departures.emit(owner);
    }
    this.#drop(cell);
  }

  /** True if a copy of the hub object may exist. A member object without an owner annotation counts as a copy. */
  #mayBeThere(cell: OpenCell, owner: string): boolean {
    const { observations } = this.#options;
    if (isUnknown(observations, cell.cluster)) return false;
    if (!this.isAcknowledged(cell)) return true;
    const observation = observations.get(cell.cluster, cell.key);
    if (observation === undefined) return false;
    const named = ownerOf(observation);
    return observation.writing || (observation.present !== undefined && (named === undefined || named === owner));
  }

  #drop(cell: OpenCell): void {
    if (cell.rows.size > 0 || cell.leaving.size > 0) return;
    const { cluster, key, ref } = cell;
    const cells = this.#clusters.get(cluster);
    if (cells?.delete(key) !== true) return;
    this.#count(cell, undefined);
    if (cells.size === 0) {
      this.#clusters.delete(cluster);
      this.#sums.delete(cluster);
    }
    this.#namespaces.remove(cell);
    if (this.#kinds.remove(cell)) this.kindsChanged.emit(cluster);
    const { namespace } = ref;
    if (namespace !== undefined && !this.isInUse(cluster, namespace)) this.vacated.emit({ cluster, namespace });
  }

  #cell(cluster: string, ref: ObjectRef): OpenCell {
    let cells = this.#clusters.get(cluster);
    if (cells === undefined) this.#clusters.set(cluster, (cells = new Map()));
    const key = refKey(ref);
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = newCell(cluster, ref);
      cells.set(key, cell);
      this.#namespaces.add(cell);
      if (this.#kinds.add(cell)) this.kindsChanged.emit(cluster);
    }
    return cell;
  }
}

function newCell(cluster: string, ref: ObjectRef): OpenCell {
  return {
    ...{ cluster, key: refKey(ref), ref },
    ...{ rows: new Map(), leaving: new Set(), effective: undefined },
    ...{ revision: 0, acknowledged: 0, origin: undefined, isBacklog: false, assignedAt: 0, sync: undefined },
  };
}

/** True if there is no MemberCluster of that name, and so no worker with rows. */
function isUnknown(observations: Observations, cluster: string): boolean {
  return observations.contactOf(cluster).reason === "ClusterUnknown";
}

function isOneOf(rows: ReadonlyMap<string, unknown>, owner: string | undefined): boolean {
  return owner === undefined || rows.has(owner);
}

function ownerOf(observation: Observation | undefined): string | undefined {
  const named = observation?.present?.owner;
  return named === undefined ? undefined : refKey(named);
}
