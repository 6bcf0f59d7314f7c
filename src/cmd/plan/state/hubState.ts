import {
  type FederatedStatus,
  isProtectedNamespace,
  type KubeObject,
  type MemberCluster,
  type Message,
  type ObjectMeta,
  type ObjectRef,
  type ObjectSetting,
  type OverridePolicy,
  parseApiVersion,
  type Placement,
  type Reason,
  refKey,
  refOf,
  type ResourceBinding,
} from "../../../apis/index.ts";
import {
  type ContactFacts,
  heldBySuspension,
  type HubState,
  type MissingHold,
  type NamespaceTerms,
  namespaceTerms,
  type Observation,
  recordedClusters,
  rememberedHold,
  type Row,
  type Snapshot,
  type Target,
  whyHeldAsMissing,
  type Why,
} from "../../../desiredstate/index.ts";
import { clusterSnapshot, heldUnder, type KindTerms, settingIn, unpackBundleAtOnce } from "../../../hub/index.ts";
import { type GroupKind, groupKindOf, hubKindOf, isPropagated, type ReplicaPaths } from "../../../interpreter/index.ts";
import { MEMBERCLUSTERS } from "../../../runtime/index.ts";
import { goesByHeadroom, type CapacityReading } from "../../../scheduler/index.ts";
import { Asks } from "./asks.ts";
import { assumedClusters, type HiddenKind, pinnedPlacement } from "./hidden.ts";

/** The state of a hub at one moment, as values: read from a hub or from files, and changed as the person asks. */
export class PlannerHubState implements HubState {
  /** Empty if unknown. */
  hubId = "";
  /** Objects that may be placed, by {@link refKey}. */
  objects = new Map<string, KubeObject>();
  placements: Placement[] = [];
  overrides: OverridePolicy[] = [];
  clusters: MemberCluster[] = [];
  namespaces = new Map<string, ObjectMeta>();
  /** Bindings of propagated objects, by the key of the object. */
  bindings = new Map<string, ResourceBinding>();
  /** By {@link refKey}. */
  dependencies = new Map<string, KubeObject>();
  /** Keys of dependencies that may exist: the person may not read them, but the manager may. */
  unreadable = new Set<string>();
  /** By `group/Kind`. */
  scales = new Map<string, ReplicaPaths>();
  /** By `group/Kind`: of kinds of which an object is being deleted, if the CRD could be read. */
  kindTerms: ReadonlyMap<string, KindTerms> = new Map();
  /** True if members know a later state of the hub than the hub itself. */
  wentBack = false;
  hidden = new Set<HiddenKind>();
  /** True if the rights reach only one namespace, besides the cluster-scoped kinds. */
  isPartial = false;
  capacities: ReadonlyMap<string, CapacityReading> | undefined;
  /** A plan is of one moment, so the contact state of clusters comes from their conditions only. */
  readonly contacts = undefined;
  /** A hub is read completely, or the command fails. */
  readonly synced = true;
  readonly #copies = new Map<string, readonly Observation[]>();
  readonly #fromMembers = new Set<string>();
  /** By cluster and {@link refKey}. */
  readonly #copiesByPlace = new Map<string, Map<string, Observation>>();
  /** By owner, and then by `cluster/refKey`. */
  readonly #rows = new Map<string, ReadonlyMap<string, Row>>();
  #asks = new Asks(this);
  #deletionsHeld: boolean | undefined;
  #byName: { of: readonly MemberCluster[]; clusters: ReadonlyMap<string, MemberCluster> } | undefined;

  /** Without observations and plans. */
  clone(): PlannerHubState {
    const fields = Object.entries(this).map(([field, value]) => [field, copyOf(value)]);
    return Object.assign(new PlannerHubState(), Object.fromEntries(fields));
  }

  /** Records the copies of the object, as members show them (`fromMembers`) or as its status suggests. */
  observe(owner: string, copies: readonly Observation[], fromMembers: boolean): void {
    for (const { cluster, ref } of this.#copies.get(owner) ?? []) this.#copiesByPlace.get(cluster)?.delete(refKey(ref));
    this.#copies.set(owner, copies);
    if (fromMembers) this.#fromMembers.add(owner);
    for (const copy of copies) {
      const there = this.#copiesByPlace.get(copy.cluster) ?? new Map<string, Observation>();
      this.#copiesByPlace.set(copy.cluster, there.set(refKey(copy.ref), copy));
    }
  }

  /** Records the targets of all objects. A copy that one object asks for must not be removed for another object. */
  plan(targets: ReadonlyMap<string, Target>): void {
    this.#asks = new Asks(this, targets);
    this.#deletionsHeld = undefined;
  }

  stand(owner: string, rows: readonly Row[]): void {
    this.#rows.set(owner, new Map(rows.map((row) => [`${row.cluster}/${refKey(row.ref)}`, row])));
  }

  /** Objects whose plan writes the member object (frozen and held objects do not count). */
  writersOf(cluster: string, ref: ObjectRef): ReadonlySet<string> {
    return this.#asks.writersOf(cluster, ref);
  }

  goesAlong(key: string): boolean {
    return this.#asks.goesAlong(key);
  }

  object(owner: string): KubeObject | undefined {
    return this.objects.get(owner);
  }

  statusOf(object: KubeObject): FederatedStatus | undefined {
    const { group } = parseApiVersion(object.apiVersion);
    if (hubKindOf(group, object.kind) !== undefined) return object["status"] as FederatedStatus | undefined;
    const binding = this.bindings.get(refKey(refOf(object)));
    return binding?.spec.resource.uid === object.metadata.uid ? binding?.status : undefined;
  }

  settingOf(object: KubeObject): ObjectSetting {
    const { namespace } = object.metadata;
    const home = namespace === undefined ? undefined : this.namespaces.get(namespace);
    return settingIn(object, home === undefined ? undefined : { metadata: home });
  }

  scaleOf({ apiVersion, kind }: KubeObject): ReplicaPaths | undefined {
    return this.scales.get(`${parseApiVersion(apiVersion).group}/${kind}`);
  }

  termsFor({ metadata: { namespace } }: KubeObject): NamespaceTerms | undefined {
    return namespace === undefined ? undefined : termsOf(this, namespace);
  }

  /** If the person may not read the facts that decide, the object stays on its clusters. */
  placementsFor(object: KubeObject): readonly Placement[] {
    const pinned = pinnedPlacement(this.hidden, object, this.statusOf(object));
    return pinned === undefined ? this.placements : [pinned];
  }

  allOverrides(): readonly OverridePolicy[] {
    return this.overrides;
  }

  clusterSnapshots(): Snapshot["clusters"] {
    return snapshotsOf(this);
  }

  memberCluster(name: string): MemberCluster | undefined {
    if (this.#byName?.of !== this.clusters) {
      const clusters = new Map(this.clusters.map((cluster) => [cluster.metadata.name, cluster]));
      this.#byName = { of: this.clusters, clusters };
    }
    return this.#byName.clusters.get(name);
  }

  memberClusters(): Iterable<MemberCluster> {
    return this.clusters;
  }

  isObserved(owner: string): boolean {
    return this.#fromMembers.has(owner);
  }

  *naming(owner: string): Iterable<Observation> {
    for (const copy of this.#copies.get(owner) ?? [])
      if (copy.present?.owner !== undefined && refKey(copy.present.owner) === owner) yield copy;
  }

  copy(cluster: string, key: string): Observation | undefined {
    return this.#copiesByPlace.get(cluster)?.get(key);
  }

  copiesOn(cluster: string): Iterable<Observation> {
    return this.#copiesByPlace.get(cluster)?.values() ?? [];
  }

  /** Only the cluster's own worker would know more of a ready cluster. */
  contactOf(cluster: string): ContactFacts {
    const conditions = this.memberCluster(cluster)?.status?.conditions;
    return {
      synced: conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true,
      unreadable: EVERYTHING_READ,
    };
  }

  /** A plan gives the final result for the objects, not the order in time. */
  turnOf(): undefined {
    return undefined;
  }

  /** The manager's own tables are not read. */
  planOf(): undefined {
    return undefined;
  }

  *cellsOf(owner: string): ReturnType<HubState["cellsOf"]> {
    for (const row of this.#rows.get(owner)?.values() ?? [])
      yield { cluster: row.cluster, key: refKey(row.ref), rows: new Map([[owner, row]]) };
  }

  rowOf(owner: string, cluster: string, key: string): Row | undefined {
    return this.#rows.get(owner)?.get(`${cluster}/${key}`);
  }

  /** Statuses have this reason while the manager holds the removals of all objects. */
  get deletionsHeld(): boolean {
    return (this.#deletionsHeld ??= [...this.objects.values()].some(
      (object) => this.statusOf(object)?.clusters?.some(({ reason }) => reason === DELETIONS_HELD) === true,
    ));
  }

  isKnownAround(): true {
    return true;
  }

  heldWithKind({ metadata }: MemberCluster): Why | undefined {
    return this.#heldByKind(MEMBERCLUSTERS, metadata);
  }

  whyDepartingStays(object: KubeObject): Why | undefined {
    if (recordedClusters(this, refKey(refOf(object))).size === 0) return undefined;
    return heldBySuspension(this, object) ?? this.#heldByKind(groupKindOf(object), object.metadata);
  }

  /** Undefined also if the CRD could not be read. */
  #heldByKind(type: GroupKind, metadata: ObjectMeta): Why | undefined {
    const terms = this.kindTerms.get(`${type.group}/${type.kind}`);
    return terms === undefined ? undefined : heldUnder(terms, type, metadata);
  }

  heldAsMissing(cluster: string): Why | undefined {
    const hold = this.clusters.reduce<MissingHold | undefined>(rememberedHold, undefined);
    if (hold !== undefined) return whyHeldAsMissing(hold, this.memberCluster(cluster));
    return this.wentBack ? whyHeldAsMissing({ reason: "HubWentBack" }, undefined) : undefined;
  }

  askersOf(cluster: string, ref: ObjectRef): Iterable<string> {
    return this.#asks.askersOf(cluster, ref);
  }

  isNeededByOtherClass(ref: ObjectRef, owner: string): boolean {
    return this.#asks.isNeededByOtherClass(ref, owner);
  }
}

function copyOf(value: unknown): unknown {
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  return Array.isArray(value) ? [...value] : value;
}

const DELETIONS_HELD: Reason = "DeletionsHeld";
const EVERYTHING_READ: ReadonlyMap<string, Message> = new Map();

export function asksForHeadroom({ placements }: PlannerHubState): boolean {
  return placements.some(({ spec }) => goesByHeadroom(spec.replicaScheduling));
}

/** Replaces the object of the same name. */
export function put(state: PlannerHubState, object: KubeObject): void {
  const key = refKey(refOf(object));
  switch (roleOf(object)) {
    case "Placement":
      state.placements = replaced(state.placements, object as unknown as Placement);
      return;
    case "Override":
      state.overrides = replaced(state.overrides, object as unknown as OverridePolicy);
      return;
    case "Cluster":
      state.clusters = replaced(state.clusters, object as unknown as MemberCluster);
      return;
    case "Binding": {
      const binding = object as unknown as ResourceBinding;
      state.bindings.set(refKey(binding.spec.resource), binding);
      return;
    }
    case "Object":
      if (object.kind === "Namespace" && object.apiVersion === "v1")
        state.namespaces.set(object.metadata.name, object.metadata);
      state.objects.set(key, unpacked(object));
      if (mayBeNeeded(object)) state.dependencies.set(key, object);
  }
}

const POLICIES = {
  Placement: "Placement",
  ClusterPlacement: "Placement",
  OverridePolicy: "Override",
  ClusterOverridePolicy: "Override",
  MemberCluster: "Cluster",
  ResourceBinding: "Binding",
  ClusterResourceBinding: "Binding",
} as const;

export function roleOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): Role {
  if (parseApiVersion(apiVersion).group !== "federation.paas.cmft.com") return "Object";
  return (POLICIES as Partial<Record<string, Role>>)[kind] ?? "Object";
}

/** True if a policy could place the object. */
export function isPlaceable(object: KubeObject): boolean {
  return roleOf(object) === "Object" && (isRenderedKind(object) || isPropagated(groupKindOf(object)));
}

/** True if Meridian renders member objects from the kind. */
export function isRenderedKind({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return hubKindOf(parseApiVersion(apiVersion).group, kind) !== undefined;
}

export type Role = "Placement" | "Override" | "Cluster" | "Binding" | "Object";

function mayBeNeeded({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && ["ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim"].includes(kind);
}

/** Plans never see the compressed text of a bundle. */
function unpacked(object: KubeObject): KubeObject {
  const { group } = parseApiVersion(object.apiVersion);
  return hubKindOf(group, object.kind)?.holdsManifests === true
    ? { ...object, spec: unpackBundleAtOnce(object["spec"]) }
    : object;
}

function replaced<T extends { kind: string; metadata: ObjectMeta }>(all: readonly T[], one: T): T[] {
  const isSame = ({ kind, metadata }: T): boolean =>
    kind === one.kind && metadata.name === one.metadata.name && metadata.namespace === one.metadata.namespace;
  return [...all.filter((other) => !isSame(other)), one];
}

/** If the person may not read the members, the clusters that statuses name stand in for them. */
export function assumeClusters(state: PlannerHubState): void {
  if (!state.hidden.has("memberclusters")) return;
  state.clusters = assumedClusters([...state.objects.values()].map((object) => state.statusOf(object)));
}

const snapshots = new WeakMap<readonly MemberCluster[], Snapshot["clusters"]>();

/** Returns the same array for the same clusters, because thousands of objects are planned with it. */
function snapshotsOf({ clusters }: PlannerHubState): Snapshot["clusters"] {
  let made = snapshots.get(clusters);
  if (made === undefined) {
    const byName = clusters.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    snapshots.set(clusters, (made = byName.map((cluster) => clusterSnapshot(cluster))));
  }
  return made;
}

function termsOf(state: PlannerHubState, namespace: string): NamespaceTerms {
  const metadata = state.namespaces.get(namespace);
  if (metadata === undefined) return namespaceTerms({ name: namespace }, isProtectedNamespace(namespace));
  return namespaceTerms(metadata, isProtectedNamespace(namespace), {
    elsewhere: (other) => termsOf(state, other),
  });
}
