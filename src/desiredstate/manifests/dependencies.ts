import { defined, hashOf, type KubeObject, type Message, type ObjectRef, refKey } from "../../apis/index.ts";
import {
  occasionalKindOf,
  placeableKindOf,
  hubOwnedFields,
  unwrittenFields,
  userSetObject,
} from "../../interpreter/index.ts";
import { mark, type Marking } from "../rows/index.ts";
import { once } from "./once.ts";
import type { DependencyHashes, DesiredObject, Why } from "../types.ts";
import type { Needs, Snapshot } from "../snapshot.ts";

export interface PropagatedDependencies {
  objects: readonly DesiredObject[];
  /** Hash of the content that pods read; undefined if pods read no existing dependency. */
  hash: string | undefined;
  /** Both hashes; undefined if the object has no dependencies on the hub. */
  hashes: DependencyHashes | undefined;
  warning: Why | undefined;
  /** Set if a dependency may not be read; says which permission to grant. Copies on members then stay as they are. */
  denial: Why | undefined;
  /** Set if a dependency may go to no member, whoever asks for it. */
  refusal: Why | undefined;
}

const noDependencies: PropagatedDependencies = Object.freeze({
  objects: [],
  hash: undefined,
  hashes: undefined,
  warning: undefined,
  denial: undefined,
  refusal: undefined,
});

interface UserSet {
  /** The fields that a person set, without Meridian's marks. */
  object: KubeObject;
  contentHash: string;
}

/** Safe because hub objects are never changed in place. One Secret may belong to hundreds of applications. */
const known = new WeakMap<KubeObject, UserSet>();

/** Collects the object's dependencies from the hub. */
export function collectDependencies(
  { dependencies: needed, problem }: Needs,
  {
    dependencies: present,
    unreadable,
    recordedHashes,
  }: Pick<Snapshot, "dependencies" | "unreadable" | "recordedHashes">,
  marking: Marking,
): PropagatedDependencies {
  if (needed.length === 0) return problem === undefined ? noDependencies : { ...noDependencies, warning: problem };
  const sorted = needed
    .map((dependency) => ({ ...dependency, key: refKey(dependency.ref) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const objects: DesiredObject[] = [];
  const contents: [key: string, hash: string][] = [];
  const all: [key: string, hash: string][] = [];
  const missing: string[] = [];
  const denied: ObjectRef[] = [];
  let refusal: Why | undefined;
  for (const { key, ref, optional, readByPods } of sorted) {
    if (unreadable?.has(key) === true) {
      denied.push(ref);
      continue;
    }
    const found = present.get(key);
    if (found === undefined && isHelmRelease(ref)) {
      refusal ??= neverSent(ref.name, "holds a Helm release");
      continue;
    }
    if (found === undefined) {
      if (!optional) missing.push(`${ref.kind} ${ref.name}`);
      continue;
    }
    const why = whyNeverSent(found);
    if (why !== undefined) {
      refusal ??= why;
      continue;
    }
    const { object, contentHash } = userSetOf(found);
    const unwritten = unwrittenFields(found);
    const hubOwned = hubOwnedFields(found, object);
    objects.push({
      ...mark(object, "dependency", marking),
      ...defined({ unwritten, hubOwned }),
    });
    all.push([key, contentHash]);
    if (readByPods) contents.push([key, contentHash]);
  }
  const hash = contents.length === 0 ? undefined : hashOf(contents);
  const hashes = all.length === 0 ? undefined : { all: hashOf(all), ...defined({ pods: hash }) };
  const isOther = recordedHashes !== undefined && recordedHashes.all !== hashes?.all;
  return {
    objects: isOther
      ? objects.map((object) => (object.ref.kind === "Secret" ? { ...object, held: NOT_AT_HAND } : object))
      : objects,
    // The pods of a revision read the recorded content, whatever changed on the hub since.
    hash: isOther ? recordedHashes.pods : hash,
    hashes,
    warning: missing.length === 0 ? problem : missingWarning(missing),
    denial: denialOf(denied),
    refusal,
  };
}

/** Revisions contain no data of Secrets. */
const NOT_AT_HAND: Why = {
  reason: "RolloutWaiting",
  message: "no revision holds the content of a Secret; the Secret stays as it is until the rollout comes here",
};

const TOKEN_TYPES: ReadonlySet<unknown> = new Set([
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
]);

/** A member's controller would fill such a Secret with a token of its own, and this token gives access to the hub. */
function tokenIn({ kind, type, metadata }: KubeObject): Why | undefined {
  if (kind !== "Secret" || !TOKEN_TYPES.has(type)) return undefined;
  return neverSent(metadata.name, `holds a token (${String(type)})`);
}

/** Why a dependency may go to no member, whoever asks for it. */
export function whyNeverSent(found: KubeObject): Why | undefined {
  return tokenIn(found) ?? whyNotSent(found);
}

/** Refuses a dependency whose field owners are unknown: a claim sent in full would name the volume of the hub. */
function whyNotSent(found: KubeObject): Why | undefined {
  const kind = occasionalKindOf(found);
  return kind === undefined ? undefined : placeableKindOf(kind.group, kind.kind).refusal?.(found);
}

/** Never read: the member's Helm would take a Helm release for one of its own. */
function isHelmRelease({ kind, name }: ObjectRef): boolean {
  return kind === "Secret" && name.startsWith("sh.helm.release.v1.");
}

function neverSent(name: string, why: string): Why {
  return { reason: "NotAllowed", message: `Secret ${name} ${why} and is never sent to members` };
}

/** A Secret comes before a ConfigMap, because the chart lists namespaces for Secrets only. */
function denialOf(denied: readonly ObjectRef[]): Why | undefined {
  const ref = denied.find(({ kind }) => kind === "Secret") ?? denied[0];
  if (ref === undefined) return undefined;
  const { kind, namespace = "" } = ref;
  const grant = `let the manager list and watch ${kind}s`;
  const granted = namespace === "" ? `${grant} on the hub` : `${grant} in ${namespace} on the hub`;
  const message: Message =
    kind === "Secret" && namespace !== ""
      ? {
          what: `add ${namespace} to rbac.secrets.namespaces of the Helm release`,
          remedy: `or ${grant} there`,
        }
      : granted;
  return { reason: `${kind}AccessDenied`, message };
}

function missingWarning(missing: readonly string[]): Why {
  const shown =
    missing.length > 2 ? `${missing.slice(0, 2).join(", ")} and ${missing.length - 2} more` : missing.join(", ");
  const message = `not on the hub: ${shown}`;
  return { reason: "DependencyMissing", message };
}

/** The fields that a person set in a dependency; computed once per object. */
export function userSetOf(found: KubeObject): UserSet {
  return once(known, found, () => {
    const object = userSetObject(found);
    return { object, contentHash: contentHashOf(object) };
  });
}

/** Labels and annotations are left out: pods do not see them, so a change must not restart pods. */
export function contentHashOf(object: KubeObject): string {
  return hashOf([object["data"], object["binaryData"], object["stringData"]]);
}
