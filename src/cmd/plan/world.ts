import {
  type FederatedStatus,
  isProtectedNamespace,
  type KubeObject,
  type MemberCluster,
  type ObjectMeta,
  type OverridePolicy,
  parseApiVersion,
  type Placement,
  refKey,
  refOf,
  type ResourceBinding,
} from "../../apis/index.ts";
import { type NamespaceTerms, namespaceTerms, type Snapshot, type Why } from "../../desiredstate/index.ts";
import { clusterSnapshot, settingIn, unpackBundleAtOnce } from "../../hub/index.ts";
import { groupKindOf, hubKindOf, isPropagated, type ReplicaPaths } from "../../interpreter/index.ts";
import { goesByRoom, type RoomReading } from "../../scheduler/index.ts";
import { assumedClusters, type HiddenKind, pinnedPlacement } from "./hidden.ts";

/** Everything that plans rest on, as values of one moment: read from a hub or from files, and changed as a person wants to see it. */
export interface World {
  /** UID of the hub's kube-system namespace; empty where nobody knows. */
  hubId: string;
  /** Objects that may be placed, by {@link refKey}. */
  objects: Map<string, KubeObject>;
  placements: Placement[];
  overrides: OverridePolicy[];
  clusters: MemberCluster[];
  namespaces: Map<string, ObjectMeta>;
  /** What bindings say of objects that are sent as they are, by the key of the object. */
  bindings: Map<string, ResourceBinding>;
  /** What objects need beside them, by {@link refKey}. */
  dependencies: Map<string, KubeObject>;
  /** Keys of dependencies that exist perhaps: the person may not read them, the manager may. */
  unreadable: Set<string>;
  /** Where custom kinds keep their replicas, by `group/Kind`. */
  scales: Map<string, ReplicaPaths>;
  /** How much room clusters have, by name; undefined: that was not read. */
  rooms?: ReadonlyMap<string, RoomReading>;
  /** Why nothing is removed from clusters that are drained and deleted, by name. */
  heldDrains: ReadonlyMap<string, Why>;
  /** Kinds of the whole hub that the person may not list. */
  hidden: Set<HiddenKind>;
  /** Of one namespace, and of the whole hub: the rights do not reach the other namespaces. */
  isPartial: boolean;
}

export function emptyWorld(): World {
  return {
    hubId: "",
    objects: new Map(),
    placements: [],
    overrides: [],
    clusters: [],
    namespaces: new Map(),
    bindings: new Map(),
    dependencies: new Map(),
    unreadable: new Set(),
    scales: new Map(),
    heldDrains: new Map(),
    hidden: new Set(),
    isPartial: false,
  };
}

/** A world of its own that holds the same values. */
export function copyOf(world: World): World {
  return {
    hubId: world.hubId,
    objects: new Map(world.objects),
    placements: [...world.placements],
    overrides: [...world.overrides],
    clusters: [...world.clusters],
    namespaces: new Map(world.namespaces),
    bindings: new Map(world.bindings),
    dependencies: new Map(world.dependencies),
    unreadable: new Set(world.unreadable),
    scales: new Map(world.scales),
    heldDrains: world.heldDrains,
    hidden: new Set(world.hidden),
    ...(world.rooms === undefined ? {} : { rooms: world.rooms }),
    isPartial: world.isPartial,
  };
}

/** Whether some object's replicas are divided by room, so that it has to be read. */
export function asksForRoom({ placements }: World): boolean {
  return placements.some(({ spec }) => goesByRoom(spec.replicaScheduling));
}

/** Puts the object in its place, over the one of that name. */
export function put(world: World, object: KubeObject): void {
  const key = refKey(refOf(object));
  switch (roleOf(object)) {
    case "Placement":
      world.placements = replaced(world.placements, object as unknown as Placement);
      return;
    case "Override":
      world.overrides = replaced(world.overrides, object as unknown as OverridePolicy);
      return;
    case "Cluster":
      world.clusters = replaced(world.clusters, object as unknown as MemberCluster);
      return;
    case "Binding": {
      const binding = object as unknown as ResourceBinding;
      world.bindings.set(refKey(binding.spec.resource), binding);
      return;
    }
    case "Object":
      if (object.kind === "Namespace" && object.apiVersion === "v1")
        world.namespaces.set(object.metadata.name, object.metadata);
      world.objects.set(key, unpacked(object));
      if (mayBeNeeded(object)) world.dependencies.set(key, object);
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

/** What an object is to a plan. */
export function roleOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): Role {
  if (parseApiVersion(apiVersion).group !== "federation.paas.cmft.com") return "Object";
  return (POLICIES as Partial<Record<string, Role>>)[kind] ?? "Object";
}

/** Whether a policy could place the object. */
export function isPlaceable(object: KubeObject): boolean {
  return roleOf(object) === "Object" && (isRenderedKind(object) || isPropagated(groupKindOf(object)));
}

/** Whether Meridian makes other objects of the kind. */
export function isRenderedKind({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return hubKindOf(parseApiVersion(apiVersion).group, kind) !== undefined;
}

export type Role = "Placement" | "Override" | "Cluster" | "Binding" | "Object";

function mayBeNeeded({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && ["ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim"].includes(kind);
}

/** Plans never see compressed text. */
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

/** What Meridian said of the object last: on the object itself, or in its binding. */
export function statusOf(world: World, object: KubeObject): FederatedStatus | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  if (hubKindOf(group, object.kind) !== undefined) return object["status"] as FederatedStatus | undefined;
  const binding = world.bindings.get(refKey(refOf(object)));
  return binding?.spec.resource.uid === object.metadata.uid ? binding?.status : undefined;
}

/** Where the person may not read the members, those that the statuses of objects name stand in their place. */
export function assumeClusters(world: World): void {
  if (!world.hidden.has("memberclusters")) return;
  world.clusters = assumedClusters([...world.objects.values()].map((object) => statusOf(world, object)));
}

/** The snapshot that the manager would plan the object from, as far as its values are known here. */
export function snapshotIn(world: World, object: KubeObject): Snapshot {
  const { namespace } = object.metadata;
  const home = namespace === undefined ? undefined : world.namespaces.get(namespace);
  const scale = world.scales.get(`${parseApiVersion(object.apiVersion).group}/${object.kind}`);
  const pinned = pinnedPlacement(world.hidden, object, statusOf(world, object));
  return {
    object,
    setting: settingIn(object, home === undefined ? undefined : { metadata: home }),
    placements: pinned === undefined ? world.placements : [pinned],
    overrides: world.overrides,
    clusters: snapshotsOf(world),
    dependencies: world.dependencies,
    ...(scale === undefined ? {} : { scale }),
    hubId: world.hubId,
    ...(world.rooms === undefined ? {} : { rooms: world.rooms }),
    ...(namespace === undefined ? {} : { terms: termsOf(world, namespace) }),
    previous: statusOf(world, object),
  };
}

const snapshots = new WeakMap<readonly MemberCluster[], Snapshot["clusters"]>();

/** The same array for the same clusters: thousands of objects are planned from them. */
function snapshotsOf({ clusters }: World): Snapshot["clusters"] {
  let made = snapshots.get(clusters);
  if (made === undefined) {
    const byName = clusters.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    snapshots.set(clusters, (made = byName.map((cluster) => clusterSnapshot(cluster))));
  }
  return made;
}

function termsOf(world: World, namespace: string): NamespaceTerms {
  const metadata = world.namespaces.get(namespace);
  if (metadata === undefined) return namespaceTerms({ name: namespace }, isProtectedNamespace(namespace));
  return namespaceTerms(metadata, isProtectedNamespace(namespace), {
    elsewhere: (other) => termsOf(world, other),
  });
}
