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

/** What the objects of a hub ask for on the members, by the targets that they are planned with. Each index is made when it is first asked. */
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

  /** Where objects of another class go, only the manager of that class knows: what they need counts on every cluster. */
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
  /** By `cluster/refKey`: objects that want the member object there, or refer to it. */
  askers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of these, those that would have the member object written: not what is left as it is. */
  writers: ReadonlyMap<string, ReadonlySet<string>>;
  /** By refKey, whatever the cluster. */
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
        // An object that no policy places only leaves its own copies alone.
        if (!frozen || role !== "rendered" || placement !== undefined) note(askers, `${name}/${key}`, owner);
        if (!frozen && held === undefined) note(writers, `${name}/${key}`, owner);
      }
      // What the object refers to is needed where the object runs, also where it cannot be written.
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

/** The class of controllers that owns the object, or is to own it. */
function ownerClassOf({ metadata }: KubeObject): string {
  return holdersOf(OBJECT_FINALIZER, metadata)[0] ?? classOf(metadata);
}

/** The classes of the objects that need a dependency, by its {@link refKey}. Empty where all objects are of one class. */
function classesByNeed(hub: Hub): ReadonlyMap<string, ReadonlySet<string>> {
  const classes = new Map<string, Set<string>>();
  if (new Set([...hub.objects.values()].map(ownerClassOf)).size < 2) return classes;
  for (const object of hub.objects.values()) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    for (const { ref } of declaredNeeds(hub, object)) note(classes, refKey(ref), ownerClassOf(object));
  }
  return classes;
}

/** What the object itself says that it needs. */
export function declaredNeeds(hub: Hub, object: KubeObject): readonly Dependency[] {
  const { placement } = choosePlacement(object, hub.placements, hub.settingOf(object));
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  return needsOf(kind, object, placement, true).dependencies;
}
