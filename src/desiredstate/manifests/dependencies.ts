import { defined, hashOf, type KubeObject, type ObjectRef, refKey, shortMessage } from "../../apis/index.ts";
import {
  occasionalKindOf,
  placeableKindOf,
  standingFields,
  unwrittenFields,
  userSetObject,
} from "../../interpreter/index.ts";
import { mark, type Marking } from "../rows/index.ts";
import type { DependencyHashes, DesiredObject, Why } from "../types.ts";
import type { Needs, Snapshot } from "../snapshot.ts";

/** What goes along with an object, and what of it is not there. */
export interface PropagatedDependencies {
  /** In the order of {@link refKey}. */
  objects: readonly DesiredObject[];
  /** Over the content that the pods read; undefined when they read nothing that is there. */
  hash: string | undefined;
  /** Both hashes; undefined when nothing goes along. */
  hashes: DependencyHashes | undefined;
  warning: Why | undefined;
  /**
   * Set when something may not be read, and says what to allow. Then nobody can say what should be on a member: what is there stays
   * as it is.
   */
  denial: Why | undefined;
  /** Set when something may not go to any member, whoever asks for it. */
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
  /** What a person set in it, without anything of Meridian. */
  object: KubeObject;
  contentHash: string;
}

/** Hub objects are never changed in place, and one Secret may go with hundreds of applications. */
const known = new WeakMap<KubeObject, UserSet>();

/** Collects what the object needs beside it from what the hub has. */
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
    const standing = standingFields(found, object);
    objects.push({
      ...mark(object, "dependency", marking),
      ...defined({ unwritten, standing }),
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
    // The pods of a revision read what it had, whatever has become of that since.
    hash: isOther ? recordedHashes.pods : hash,
    hashes,
    warning: missing.length === 0 ? problem : missingWarning(missing),
    denial: denialOf(denied),
    refusal,
  };
}

/** No revision holds the content of a Secret. */
const NOT_AT_HAND: Why = {
  reason: "RolloutWaiting",
  message: "no revision holds the content of a Secret; the Secret stays as it is until the rollout comes here",
};

const TOKEN_TYPES: ReadonlySet<unknown> = new Set([
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
]);

/**
 * A member's controller would put a token of one of its own service accounts into such a Secret; and the token that is in there opens the
 * hub.
 */
function tokenIn({ kind, type, metadata }: KubeObject): Why | undefined {
  if (kind !== "Secret" || !TOKEN_TYPES.has(type)) return undefined;
  return neverSent(metadata.name, `holds a token (${String(type)})`);
}

/** Why an object that is needed may go to no member, whoever asks for it. */
export function whyNeverSent(found: KubeObject): Why | undefined {
  return tokenIn(found) ?? whyNotSent(found);
}

/** Taken as a whole, a claim would name the volume that the hub has bound it to. ConfigMaps and Secrets hold nothing but content. */
function whyNotSent(found: KubeObject): Why | undefined {
  const kind = occasionalKindOf(found);
  return kind === undefined ? undefined : placeableKindOf(kind.group, kind.kind).refusal?.(found);
}

/** Those Secrets are not read at all: they hold a whole application, and a member's Helm would take them for its own. */
function isHelmRelease({ kind, name }: ObjectRef): boolean {
  return kind === "Secret" && name.startsWith("sh.helm.release.v1.");
}

function neverSent(name: string, why: string): Why {
  return { reason: "NotAllowed", message: shortMessage(`Secret ${name} ${why} and is never sent to members`) };
}

/** Secrets before ConfigMaps: the chart lists the namespaces of the former only. */
function denialOf(denied: readonly ObjectRef[]): Why | undefined {
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
      : [granted, `let the manager read ${kind}s in ${namespace}`];
  const message = texts.find((text) => shortMessage(text) === text) ?? shortMessage(granted);
  return { reason: `${kind}AccessDenied`, message };
}

function missingWarning(missing: readonly string[]): Why {
  const shown =
    missing.length > 2 ? `${missing.slice(0, 2).join(", ")} and ${missing.length - 2} more` : missing.join(", ");
  const message = `not on the hub: ${shown}`;
  return { reason: "DependencyMissing", message };
}

/** What a person has set in a dependency, computed once for each object. */
export function userSetOf(found: KubeObject): UserSet {
  let userSet = known.get(found);
  if (userSet === undefined) {
    const object = userSetObject(found);
    known.set(found, (userSet = { object, contentHash: contentHashOf(object) }));
  }
  return userSet;
}

/** Labels and annotations are not seen by pods: a change of them must not restart any. */
export function contentHashOf(object: KubeObject): string {
  return hashOf([object["data"], object["binaryData"], object["stringData"]]);
}
