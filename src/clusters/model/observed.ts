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

/** What Meridian keeps of a member object: enough to judge it, little enough to hold a million of them. */
export interface ObservedObject extends MemberReport {
  ref: ObjectRef;
  uid: string;
  resourceVersion: string;
  /** Hash annotation: what was applied last. */
  hash: string | undefined;
  /** The hub object named in the owner annotation. */
  owner: OwnerRef | undefined;
  /**
   * False for what has our label and is a stranger nevertheless, of which nothing is reported: an object whose annotation names another
   * object (somebody copied one of ours), and a namespace that Meridian did not make.
   */
  isOurs: boolean;
  /** Meridian applied the marks itself. */
  proven: boolean;
  /** What the object says should become of it when the hub has forgotten it. */
  policy: "Orphan" | undefined;
  /** The resourceVersion of its owner on the hub when it was written last. */
  hubVersion: string | undefined;
  createdAt: string | undefined;
  deleting: boolean;
  /** While it is being deleted: what holds it, as many as are told of. */
  finalizers?: readonly string[];
  /** Selects the pods of a workload that is not healthy, where they may say more about that than the workload does. */
  podSelector: string | undefined;
  /** False while the watch does not see it, since the member took our marks off: it is known from the answer to our write alone. */
  visible: boolean;
  /** A ConfigMap or Secret whose content cannot be changed. */
  immutable: boolean;
  /** Of a Secret. */
  secretType: string | undefined;
  /** Of a namespace: the labels that it got from the hub's ({@link POD_SECURITY_ANNOTATION}). */
  podSecurity?: string;
  /** What is in it, and who owns which field; dropped when the object has been compared with a desired one and found in sync. */
  evidence: {
    live: KubeObject | undefined;
    /** The whole object, without the record of its field managers; kept where a row asks for more than is told of every object. */
    content?: KubeObject | undefined;
  };
}

/** How much of a member object is kept, and how it is read. */
export interface Observing {
  /** All that is in it. */
  keepsContent?: boolean;
  /** What the scale subresource of its kind says. */
  scale?: ReplicaPaths | undefined;
}

/** Reduces a member object with our label to what is kept of it. */
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

/** Of a member that is broken or hostile no more than this is kept. */
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

/**
 * The answer to our own write, as far as the member left our marks on it: without them the watch does not see the object, and whose it is
 * is known from the answer alone.
 */
export function observeAnswer(object: KubeObject, hubId: string, observing?: Observing): ObservedObject {
  const observed = observe(object, observing);
  const visible = observed.isOurs && object.metadata.labels?.[MANAGED_BY_LABEL] === hubId;
  return visible ? observed : { ...observed, isOurs: true, proven: true, visible };
}

/** Whose an object with our label is, by its other marks. */
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
    // Of an earlier version, which did not name the object; or the name was taken off, or written over by somebody.
    (applied && (named === undefined || !ownsAnnotation(managedFields, FIELD_MANAGER, OBJECT_ANNOTATION)));
  return { isOurs, proven: isOurs && applied };
}

/**
 * Whether an object with a hub's label is that hub's: it names itself in its annotation, or is a namespace that Meridian made. Kubernetes copies
 * labels to other objects, those of a Service to its Endpoints, and people copy whole objects.
 */
export function isOwn(object: KubeObject): boolean {
  return ownershipOf(object, refOf(object)).isOurs;
}

/** The hub object that a member object says it stands for; undefined when it says nothing or nothing readable. */
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

/** One list for all copies that have the same images. */
function sharedImages(images: readonly string[]): readonly string[] {
  const text = images.join(" ");
  const known = imagesRead.get(text);
  if (known !== undefined) return known;
  if (imagesRead.size >= MOST_READ) imagesRead.clear();
  imagesRead.set(text, images);
  return images;
}

const imagesRead = new Map<string, readonly string[]>();

/** The same text comes with every event of a copy, on every cluster: so all copies of an object share what they name. */
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
    // Somebody wrote over the annotation: then it names no owner, and the lost field shows as drift.
    return undefined;
  }
}

/** What was kept of the whole object is not wanted any more. */
export function forgetContent(observed: ObservedObject | undefined): void {
  if (observed?.evidence.content !== undefined) observed.evidence.content = undefined;
}

/** Whether `a` is an earlier state of the same life of the object. */
export function isOlder(a: ObservedObject, b: ObservedObject): boolean {
  return a.uid === b.uid && compareResourceVersions(a.resourceVersion, b.resourceVersion) < 0;
}
