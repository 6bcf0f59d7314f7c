import {
  classOf,
  holdersOf,
  type KubeObject,
  OBJECT_FINALIZER,
  type ObjectRef,
  parseApiVersion,
  type Placement,
  refKey,
} from "../../../apis/index.ts";
import { choosePlacement, type HubState, needsOf, type Target, withTheirNeeds } from "../../../desiredstate/index.ts";
import { type Dependency, placeableKindOf } from "../../../interpreter/index.ts";

type Hub = Pick<HubState, "settingOf"> & {
  objects: ReadonlyMap<string, KubeObject>;
  placements: readonly Placement[];
  dependencies: ReadonlyMap<string, KubeObject>;
};

/** The member objects that the hub's objects ask for. Each index is built on first use. */
export class Asks {
  readonly #hub: Hub;
  readonly #targets: ReadonlyMap<string, Target>;
  #index: Index | undefined;
  #classes: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(hub: Hub, targets: ReadonlyMap<string, Target> = new Map()) {
    this.#hub = hub;
    this.#targets = targets;
  }

  askersOf(cluster: string, ref: ObjectRef): Iterable<string> {
    return this.#indexed.askers.get(`${cluster}/${refKey(ref)}`) ?? NOBODY;
  }

  writersOf(cluster: string, ref: ObjectRef): ReadonlySet<string> {
    return this.#indexed.writers.get(`${cluster}/${refKey(ref)}`) ?? NOBODY;
  }

  goesAlong(key: string): boolean {
    return this.#indexed.along.has(key);
  }

  /** Only the manager of another class knows the clusters of its objects: their needs count on every cluster. */
  isNeededByOtherClass(ref: ObjectRef, owner: string): boolean {
    const object = this.#hub.objects.get(owner);
    if (object === undefined) return false;
    const own = ownerClassOf(object);
    this.#classes ??= classesByNeed(this.#hub);
    for (const name of this.#classes.get(refKey(ref)) ?? NOBODY) if (name !== own) return true;
    return false;
  }

  get #indexed(): Index {
    return (this.#index ??= indexOf(this.#hub, this.#targets));
  }
}

interface Index {
  /** Objects that want or reference the member object on the cluster; by `cluster/refKey`. */
  askers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Objects of `askers` whose plan writes the member object (frozen and held objects do not count). */
  writers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys of all objects in targets, on any cluster; by refKey. */
  along: ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

function indexOf(hub: Hub, targets: ReadonlyMap<string, Target>): Index {
  const askers = new Map<string, Set<string>>();
  const writers = new Map<string, Set<string>>();
  const along = new Set<string>();
  for (const [owner, { clusters, placement }] of targets) {
    const object = hub.objects.get(owner);
    const needed = object === undefined ? [] : withTheirNeeds(declaredNeeds(hub, object), hub.dependencies);
    for (const { name, objects, frozen } of clusters) {
      for (const { ref, role, held } of objects) {
        const key = refKey(ref);
        along.add(key);
        // The plan of an object without a policy only leaves the object's own copies alone.
        if (!frozen || role !== "rendered" || placement !== undefined) note(askers, `${name}/${key}`, owner);
        if (!frozen && held === undefined) note(writers, `${name}/${key}`, owner);
      }
      // References of the object are needed where the object runs, even where they cannot be written.
      for (const { ref } of needed) note(askers, `${name}/${refKey(ref)}`, owner);
    }
  }
  return { askers, writers, along };
}

function note(all: Map<string, Set<string>>, key: string, owner: string): void {
  const owners = all.get(key);
  if (owners === undefined) all.set(key, new Set([owner]));
  else owners.add(owner);
}

function ownerClassOf({ metadata }: KubeObject): string {
  return holdersOf(OBJECT_FINALIZER, metadata)[0] ?? classOf(metadata);
}

/** By {@link refKey} of the need. Empty if all objects belong to one class. */
function classesByNeed(hub: Hub): ReadonlyMap<string, ReadonlySet<string>> {
  const classes = new Map<string, Set<string>>();
  if (new Set([...hub.objects.values()].map(ownerClassOf)).size < 2) return classes;
  for (const object of hub.objects.values()) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    for (const { ref } of declaredNeeds(hub, object)) note(classes, refKey(ref), ownerClassOf(object));
  }
  return classes;
}

export function declaredNeeds(hub: Hub, object: KubeObject): readonly Dependency[] {
  const { placement } = choosePlacement(object, hub.placements, hub.settingOf(object));
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  return needsOf(kind, object, placement, true).dependencies;
}
