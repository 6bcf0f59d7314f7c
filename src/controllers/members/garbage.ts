import { type MemberCluster, type ObjectRef, refKey } from "../../apis/index.ts";
import {
  assembleRemovalFacts,
  decideRemovals,
  leavingOf,
  type Observation,
  type Removal,
  type RemovalFacts,
  type Row,
} from "../../desiredstate/index.ts";
import { changedSpec } from "../../hub/index.ts";
import { done, from, type Reconciler, requeueAfter, type Result, type Source } from "../../runtime/index.ts";
import { type AssignmentChange, type ObservationChange } from "../tables/index.ts";
import { type CopySources } from "../facts/index.ts";
import { memberRef } from "./memberCondition.ts";

const STRAY = { reason: "ObjectGone", message: "the member object names no hub object as its owner" };
const UNUSED = { reason: "NamespaceUnused", message: "Meridian made the namespace, and nothing of Meridian is in it" };
/** Interval of the requests to the hub for other managers' objects in a namespace: no watch reports all of them. */
const OTHERS_AGAIN_MS = 30_000;
const SEPARATOR = " ";

/**
 * Removes member objects with Meridian's label that name no owner, and, if the MemberCluster asks for this, namespaces
 * that Meridian created and no longer uses. On a cluster that leaves and keeps its objects, releases every member
 * object. Keys are `cluster refKey`.
 */
export class GarbageReconciler implements Reconciler {
  readonly #options: CopySources;
  readonly #awaiting = new Set<string>();

  constructor(options: CopySources) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, assignments, observations, progress, classes } = this.#options;
    const awaiting = (): Iterable<string> => [...this.#awaiting];
    return [
      from(observations.changes).map((change) => this.#keysOf(change)),
      from(assignments.changes).map((change) => this.#namespacesOf(change)),
      from(assignments.vacated).map(({ cluster, namespace }) => this.#namespaceKey(cluster, namespace)),
      from(observations.contacts).map(awaiting),
      from(hub.clusters)
        .when((event) => !event.initial && changedSpec(event))
        .map(({ object }) => this.#keysOn(object)),
      from(hub.holds).map(awaiting),
      from(hub.kindDeletions.changes).map(awaiting),
      from(progress.advanced).map(awaiting),
      from(classes.othersChanged).map(awaiting),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const [cluster = "", ref = ""] = key.split(SEPARATOR);
    const observation = this.#options.observations.get(cluster, ref);
    if (observation?.present === undefined) this.#assign(key, cluster, []);
    else if (this.#isLeft(cluster)) this.#stripMarks(key, observation);
    else if (isNamespace(observation.ref)) return await this.#considerNamespace(key, observation, signal);
    else this.#considerStray(key, observation);
    return done;
  }

  #isLeft(name: string): boolean {
    const { hub, classes } = this.#options;
    const cluster = hub.clusters.get(name);
    return cluster !== undefined && leavingOf(cluster) === "Keep" && classes.ownsCluster(name);
  }

  #stripMarks(key: string, observation: Observation): void {
    const { hubState } = this.#options;
    const { cluster } = observation;
    const removal = removalOn(cluster, "Orphan", UNUSED);
    this.#assign(key, cluster, decideRemovals([observation], assembleRemovalFacts(hubState, [observation], removal)));
  }

  #considerStray(key: string, observation: Observation): void {
    const { assignments, classes } = this.#options;
    const { cluster, ref, present } = observation;
    const owner = garbageOwner(key);
    const isAskedFor = [...assignments.askedBy(cluster, refKey(ref))].some((asking) => asking !== owner);
    if (present?.owner !== undefined || isAskedFor) {
      this.#assign(key, cluster, []);
      return;
    }
    const removal = removalOn(cluster, "Delete", STRAY, classes.areAlone ? "Ours" : "OtherClass");
    this.#assign(key, cluster, decideRemovals([observation], this.#facts(observation, ref.namespace, removal)));
  }

  async #considerNamespace(key: string, observation: Observation, signal: AbortSignal): Promise<Result> {
    const { classes, hub } = this.#options;
    const { cluster, ref } = observation;
    if (hub.clusters.get(cluster)?.spec.emptyNamespaces !== "Remove" || this.#isUsed(cluster, ref.name)) {
      this.#assign(key, cluster, []);
      return done;
    }
    this.#awaiting.add(key);
    const isOthers =
      !classes.areAlone || !classes.ownsCluster(cluster) || (await classes.isOthersNamespace(ref.name, signal));
    if (this.#isUsed(cluster, ref.name) || isOthers) {
      this.#assign(key, cluster, []);
      return isOthers ? requeueAfter(OTHERS_AGAIN_MS) : done;
    }
    const removal = removalOn(cluster, "Delete", UNUSED);
    this.#assign(key, cluster, decideRemovals([observation], this.#facts(observation, ref.name, removal)));
    return done;
  }

  /** Removal facts. A hub object in the namespace that has no plan yet could need the member object. */
  #facts(observation: Observation, namespace: string | undefined, removal: Removal): RemovalFacts {
    const facts = assembleRemovalFacts(this.#options.hubState, [observation], removal);
    return { ...facts, hub: { ...facts.hub, planned: this.#options.progress.isKnownIn(namespace) } };
  }

  /** True if an object of Meridian is in the namespace, is wanted there, or may be created by a write under way. */
  #isUsed(cluster: string, namespace: string): boolean {
    const { observations, assignments } = this.#options;
    return observations.isInUse(cluster, namespace) || assignments.isInUse(cluster, namespace);
  }

  #assign(key: string, cluster: string, rows: readonly Row[]): void {
    if (rows.length === 0) this.#awaiting.delete(key);
    else this.#awaiting.add(key);
    this.#options.assignments.replace(garbageOwner(key), rows);
  }

  /** Keys for a member object without an owner, for a namespace, and for a namespace that became empty. */
  *#keysOf({ cluster, key, ref, before, after }: ObservationChange): Iterable<string> {
    const { observations } = this.#options;
    const own = `${cluster}${SEPARATOR}${key}`;
    const isStray = after?.present !== undefined && after.present.owner === undefined;
    if (this.#awaiting.has(own) || isNamespace(ref) || isStray || this.#isLeft(cluster)) yield own;
    if (before === undefined || ref.namespace === undefined || observations.isInUse(cluster, ref.namespace)) return;
    const namespace = this.#namespaceKey(cluster, ref.namespace);
    if (namespace !== undefined) yield namespace;
  }

  *#keysOn(cluster: MemberCluster): Iterable<string> {
    yield* this.#awaiting;
    const isLeft = leavingOf(cluster) === "Keep";
    const { name } = cluster.metadata;
    for (const { ref } of this.#options.observations.in(name))
      if (isLeft || isNamespace(ref)) yield `${name}${SEPARATOR}${refKey(ref)}`;
  }

  *#namespacesOf({ rows }: AssignmentChange): Iterable<string> {
    for (const { cluster, ref } of rows) {
      const key = ref.namespace === undefined ? undefined : this.#namespaceKey(cluster, ref.namespace);
      if (key !== undefined && this.#awaiting.has(key)) yield key;
    }
  }

  /** Undefined for a namespace that Meridian did not create. */
  #namespaceKey(cluster: string, name: string): string | undefined {
    const ref = refKey(namespaceRef(name));
    return this.#options.observations.get(cluster, ref) === undefined ? undefined : `${cluster}${SEPARATOR}${ref}`;
  }
}

/** Owner key for the rows of garbage. No hub object has such a key. */
function garbageOwner(key: string): string {
  return `garbage${SEPARATOR}${key}`;
}

/** A removal in the name of the MemberCluster, since no hub object owns the member object. */
function removalOn(
  name: string,
  policy: Removal["policy"],
  cause: Removal["cause"],
  ownership: Removal["ownership"] = "Ours",
): Removal {
  return { owner: { ...memberRef(name), uid: "" }, policy, cause, ownership };
}

function namespaceRef(name: string): ObjectRef {
  return { apiVersion: "v1", kind: "Namespace", name };
}

function isNamespace({ apiVersion, kind }: ObjectRef): boolean {
  return apiVersion === "v1" && kind === "Namespace";
}
