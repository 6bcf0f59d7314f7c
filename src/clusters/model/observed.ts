import {
  FIELD_MANAGER,
  HASH_ANNOTATION,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  type KubeObject,
  type ObjectRef,
  type OwnerRef,
  POD_SECURITY_ANNOTATION,
  refKey,
  refOf,
  shortName,
} from "../../apis/index.ts";
import { policyOf } from "../../desiredstate/index.ts";
import {
  evidenceOf,
  mayBeForPods,
  type MemberReport,
  memberReport,
  ownsAnnotation,
  podSelectorOf,
  type ReplicaPaths,
  withCounts,
} from "../../interpreter/index.ts";
import { compareResourceVersions } from "../../runtime/index.ts";
import { hubVersionOf } from "./hubVersion.ts";
import { isNamespace, wasCreatedByMeridian } from "./namespaces.ts";

/** The part of a member object that is kept: enough to judge it, small enough for a million objects. */
export interface ObservedObject extends MemberReport {
  ref: ObjectRef;
  uid: string;
  resourceVersion: string;
  /** Hash of the last applied desired object, by the annotation. */
  hash: string | undefined;
  /** As the owner annotation says. */
  owner: OwnerRef | undefined;
  /** False for a copy of one of our objects, and for a namespace that Meridian did not create. Not reported. */
  isOurs: boolean;
  /** `managedFields` show that Meridian applied the marks. */
  proven: boolean;
  /** Deletion policy in the annotation; undefined is `Delete`. */
  policy: "Orphan" | undefined;
  /** resourceVersion of the hub object at the last write. */
  hubVersion: string | undefined;
  createdAt: string | undefined;
  deleting: boolean;
  /** Finalizers of an object that is being deleted, as many as are reported. */
  finalizers?: readonly string[];
  /** Pod selector of an unhealthy workload whose pods may show the cause. */
  podSelector: string | undefined;
  /** False when the member removed our label: known only from the answer to our write. */
  visible: boolean;
  immutable: boolean;
  secretType: string | undefined;
  /** Labels from the hub's namespace, by {@link POD_SECURITY_ANNOTATION}. */
  podSecurity?: string;
  /** `live`: to be compared, until it is in sync. `content`: without `managedFields`, for a row with `reporting`. */
  evidence: {
    live: KubeObject | undefined;
    content?: KubeObject | undefined;
  };
}

/** `keepsContent`: keep the whole object. `scale`: paths of the counts that the scale subresource defines. */
export interface Observing {
  keepsContent?: boolean;
  scale?: ReplicaPaths | undefined;
}

/** Reduces a member object with our label to the part that is kept. */
export function observe(object: KubeObject, { keepsContent = false, scale }: Observing = {}): ObservedObject {
  const { metadata } = object;
  const ref = refOf(object);
  const { isOurs, proven } = ownershipOf(object, ref);
  const judged = memberReport(object);
  const report = scale === undefined ? judged : { ...judged, health: withCounts(judged.health, object, scale) };
  return {
    ref,
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    hash: metadata.annotations?.[HASH_ANNOTATION],
    owner: ownerOf(object),
    isOurs,
    createdAt: metadata.creationTimestamp,
    proven,
    policy: policyOf(object),
    hubVersion: hubVersionOf(object),
    deleting: metadata.deletionTimestamp !== undefined,
    immutable: object["immutable"] === true && (ref.kind === "ConfigMap" || ref.kind === "Secret"),
    secretType: ref.kind === "Secret" && typeof object["type"] === "string" ? object["type"] : undefined,
    ...report,
    ...(report.images === undefined ? {} : { images: sharedImages(report.images) }),
    podSelector: mayBeForPods(report.health.reason) ? podSelectorOf(object) : undefined,
    visible: true,
    ...podSecurityOf(object),
    ...finalizersOf(object),
    evidence: {
      live: isNamespace(ref) ? undefined : evidenceOf(object),
      ...(keepsContent ? { content: contentOf(object) } : {}),
    },
  };
}

function contentOf(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Bounds on the finalizers kept, against a broken or hostile member. */
const MOST_FINALIZERS = 5;
const LONGEST_FINALIZER = 253;

function finalizersOf({
  metadata: { deletionTimestamp, finalizers = [] },
}: KubeObject): Pick<ObservedObject, "finalizers"> {
  if (deletionTimestamp === undefined || finalizers.length === 0) return {};
  return { finalizers: finalizers.slice(0, MOST_FINALIZERS).map((name) => shortName(name, LONGEST_FINALIZER)) };
}

function podSecurityOf({ metadata }: KubeObject): Pick<ObservedObject, "podSecurity"> {
  const podSecurity = metadata.annotations?.[POD_SECURITY_ANNOTATION];
  return podSecurity === undefined ? {} : { podSecurity };
}

/** Observation from the answer to our own write, which proves that the object is ours even without our marks. */
export function observeAnswer(object: KubeObject, hubId: string, observing?: Observing): ObservedObject {
  const observed = observe(object, observing);
  const visible = observed.isOurs && object.metadata.labels?.[MANAGED_BY_LABEL] === hubId;
  return visible ? observed : { ...observed, isOurs: true, proven: true, visible };
}

/** Ownership of an object with our label, judged by its other marks. */
export function ownershipOf(object: KubeObject, ref: ObjectRef): Pick<ObservedObject, "isOurs" | "proven"> {
  if (isNamespace(ref)) {
    const isOurs = wasCreatedByMeridian(object);
    return { isOurs, proven: isOurs };
  }
  const { annotations, managedFields } = object.metadata;
  const named = annotations?.[OBJECT_ANNOTATION];
  const applied = ownsAnnotation(managedFields, FIELD_MANAGER, OWNER_ANNOTATION);
  const isOurs =
    named === refKey(ref) ||
    // An earlier version of Meridian did not write the name, or another writer removed or overwrote it.
    (applied && (named === undefined || !ownsAnnotation(managedFields, FIELD_MANAGER, OBJECT_ANNOTATION)));
  return { isOurs, proven: isOurs && applied };
}

/** True when an object with a hub's label belongs to that hub. The label alone is no proof, since labels are copied. */
export function isOwn(object: KubeObject): boolean {
  return ownershipOf(object, refOf(object)).isOurs;
}

/** Hub object named in the owner annotation; undefined when the annotation is missing or cannot be parsed. */
export function ownerOf(object: KubeObject): OwnerRef | undefined {
  const text = object.metadata.annotations?.[OWNER_ANNOTATION];
  if (text === undefined) return undefined;
  const known = read.get(text);
  if (known !== undefined) return known;
  const owner = ownerIn(text);
  if (owner === undefined || text.length > LONGEST_READ) return owner;
  if (read.size >= MOST_READ) read.clear();
  read.set(text, Object.freeze(owner));
  return owner;
}

/** Returns one shared list for all copies with the same images, to save memory. */
function sharedImages(images: readonly string[]): readonly string[] {
  const text = images.join(" ");
  const known = imagesRead.get(text);
  if (known !== undefined) return known;
  if (imagesRead.size >= MOST_READ) imagesRead.clear();
  imagesRead.set(text, images);
  return images;
}

const imagesRead = new Map<string, readonly string[]>();

/** Parsed owner annotations: all copies of an object share one OwnerRef. */
const read = new Map<string, OwnerRef>();
const MOST_READ = 4_096;
const LONGEST_READ = 1_024;

function ownerIn(text: string): OwnerRef | undefined {
  try {
    const value = JSON.parse(text) as Partial<OwnerRef> | null;
    if (typeof value?.kind !== "string" || typeof value.name !== "string" || typeof value.uid !== "string")
      return undefined;
    return { ...value, apiVersion: value.apiVersion ?? "", kind: value.kind, name: value.name, uid: value.uid };
  } catch {
    // Overwritten by another writer, which shows as drift.
    return undefined;
  }
}

export function forgetContent(observed: ObservedObject | undefined): void {
  if (observed?.evidence.content !== undefined) observed.evidence.content = undefined;
}

/** True when `a` and `b` have the same UID and `a` has the earlier resourceVersion. */
export function isOlder(a: ObservedObject, b: ObservedObject): boolean {
  return a.uid === b.uid && compareResourceVersions(a.resourceVersion, b.resourceVersion) < 0;
}
