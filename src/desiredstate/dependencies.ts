import { hashOf, type KubeObject, type ObjectRef, refKey } from "../apis/index.ts";
import { type Dependency, shortMessage, userSetObject } from "../interpreter/index.ts";
import { mark, type Marked } from "./marks.ts";
import type { ClusterPlan, Snapshot } from "./types.ts";

/** What goes along with an object, and what of it is not there. */
export interface CarriedDependencies {
  /** In the order of {@link refKey}. */
  objects: readonly Marked[];
  /** Over the content that the pods read; undefined when they read nothing that is there. */
  hash: string | undefined;
  warning: ClusterPlan["warning"];
  /**
   * Set when something could not be looked at, and tells what to allow. Then nobody can say what should be on a member: what is there
   * stays as it is.
   */
  denial: ClusterPlan["heldFor"];
}

export const nothingCarried: CarriedDependencies = Object.freeze({
  objects: [],
  hash: undefined,
  warning: undefined,
  denial: undefined,
});

interface Carried {
  /** What a person set in it, without anything of Meridian. */
  object: KubeObject;
  contentHash: string;
}

/** Hub objects are never changed in place, and one Secret may go with hundreds of applications. */
const known = new WeakMap<KubeObject, Carried>();

/** Collects what the object needs beside it from what the hub has. */
export function carryDependencies(
  needed: readonly Dependency[],
  { dependencies: present, unreadable, hubId }: Pick<Snapshot, "dependencies" | "unreadable" | "hubId">,
  ownerText: string,
): CarriedDependencies {
  if (needed.length === 0) return nothingCarried;
  const sorted = needed
    .map((dependency) => ({ ...dependency, key: refKey(dependency.ref) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const objects: Marked[] = [];
  const contents: [key: string, hash: string][] = [];
  const missing: string[] = [];
  const denied: ObjectRef[] = [];
  for (const { key, ref, optional, readByPods } of sorted) {
    if (unreadable?.has(key) === true) {
      denied.push(ref);
      continue;
    }
    const found = present.get(key);
    if (found === undefined) {
      if (!optional) missing.push(`${ref.kind} ${ref.name}`);
      continue;
    }
    const carried = carry(found);
    objects.push(mark(carried.object, hubId, ownerText));
    if (readByPods) contents.push([key, carried.contentHash]);
  }
  return {
    objects,
    hash: contents.length === 0 ? undefined : hashOf(contents),
    warning: missing.length === 0 ? undefined : missingWarning(missing),
    denial: denialOf(denied),
  };
}

/** Secrets before ConfigMaps: the chart lists the namespaces of the former only. */
function denialOf(denied: readonly ObjectRef[]): ClusterPlan["heldFor"] {
  const ref = denied.find(({ kind }) => kind === "Secret") ?? denied[0];
  if (ref === undefined) return undefined;
  const { kind, namespace = "" } = ref;
  const grant = `let the manager list and watch ${kind}s`;
  const granted = namespace === "" ? `${grant} on the hub` : `${grant} in ${namespace} on the hub`;
  // The first that fits: the name of a namespace may take half of it.
  const texts =
    kind === "Secret" && namespace !== ""
      ? [
          `add ${namespace} to rbac.secrets.namespaces of the Helm release, or ${grant} there`,
          `add ${namespace} to rbac.secrets.namespaces of the Helm release (mode Listed)`,
          `add ${namespace} to rbac.secrets.namespaces of the Helm release`,
        ]
      : [granted];
  const message = texts.find((text) => shortMessage(text) === text) ?? shortMessage(granted);
  return { reason: `${kind}AccessDenied`, message };
}

function missingWarning(missing: readonly string[]): ClusterPlan["warning"] {
  const shown =
    missing.length > 2 ? `${missing.slice(0, 2).join(", ")} and ${missing.length - 2} more` : missing.join(", ");
  const message = `not on the hub: ${shown}`;
  return { reason: "DependencyMissing", message };
}

function carry(found: KubeObject): Carried {
  let carried = known.get(found);
  if (carried === undefined) {
    const object = userSetObject(found);
    // Labels and annotations are not seen by pods: a change of them must not restart any.
    const contentHash = hashOf([object["data"], object["binaryData"], object["stringData"]]);
    known.set(found, (carried = { object, contentHash }));
  }
  return carried;
}
