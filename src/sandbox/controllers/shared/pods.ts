import { defined, type KubeObject, type OwnerReference } from "../../../apis/index.ts";
import type { Json } from "../../types.ts";
import type { Context } from "./context.ts";
import { isNamespaceTerminating, isNotFound } from "./context.ts";
import { type LabelSelector, matchesSelector } from "../../labelSelectors.ts";
import {
  compare,
  controllerOf,
  controllerReference,
  generatedName,
  type Pod,
  PODS,
  type PodTemplate,
  uidOf,
} from "./objects.ts";

export function phaseOf(pod: Pod): string {
  return pod.status?.phase ?? "Pending";
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  const phase = phaseOf(pod);
  return phase === "Succeeded" || phase === "Failed";
}

/** An active pod has neither finished nor is it being deleted. Only active pods count for their controller. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** True for a pod that is being deleted and has not finished. */
export function isLeaving(pod: Pod): boolean {
  return !isFinished(pod) && isTerminating(pod);
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/**
 * Milliseconds until the pod has been ready for `minReadySeconds`: 0 for an available pod, undefined for one that is
 * not ready.
 */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readyCondition(pod)?.lastTransitionTime;
  if (since === undefined || since === null) return undefined;
  return Math.max(0, Date.parse(since) + minReadySeconds * 1000 - now);
}

export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

/** Milliseconds until the next ready pod becomes available; undefined if no pod will by time alone. */
export function nextAvailability(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, now)).filter((wait) => wait !== undefined);
  const ahead = waits.filter((wait) => wait > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function readyCondition(pod: Pod) {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

/** A pod from its controller's template. Without `name` the server generates one from the controller's name. */
export function podFromTemplate(owner: KubeObject, template: PodTemplate, name?: string): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const shared = {
    ...defined({ namespace: owner.metadata.namespace }),
    generateName: `${owner.metadata.name}-`,
    ...defined({ labels, annotations, finalizers }),
    ownerReferences: [controllerReference(owner)],
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: name === undefined ? generatedName(shared) : { ...shared, name },
    spec: template.spec,
  };
}

/**
 * Creates a pod and records an Event, or records the failure and throws. A terminating namespace causes neither a pod
 * nor a failure Event.
 */
export async function createPod(context: Context, component: string, owner: KubeObject, pod: Pod): Promise<void> {
  try {
    const created = await context.client.create(PODS, pod);
    const message = `Created pod: ${created.metadata.name}`;
    context.events.record(component, owner, "Normal", "SuccessfulCreate", message);
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    const message = `Error creating: ${textOf(error)}`;
    context.events.record(component, owner, "Warning", "FailedCreate", message);
    throw error;
  }
}

/** Deletes a pod and records an Event. A missing pod is no error. */
export async function deletePod(context: Context, component: string, owner: KubeObject, pod: Pod): Promise<void> {
  const { name, namespace } = pod.metadata;
  try {
    await context.client.delete(PODS, namespace, name, { preconditions: { uid: uidOf(pod) } });
    context.events.record(component, owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
  } catch (error) {
    if (isNotFound(error)) return;
    context.events.record(component, owner, "Warning", "FailedDelete", `Error deleting: ${textOf(error)}`);
    throw error;
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The objects of a resource that `owner` controls. Releases controlled objects that no longer match the selector, and
 * adopts matching objects without a controller.
 */
export async function claim<T extends KubeObject>(
  context: Context,
  owner: KubeObject,
  resource: { group: string; plural: string },
  selector: LabelSelector,
  adoptable: (object: T) => boolean = () => true,
): Promise<T[]> {
  const claimed: T[] = [];
  for (const object of context.graph.controlled<T>(owner, resource)) {
    if (matchesSelector(selector, object.metadata.labels)) claimed.push(object);
    else if (!isTerminating(owner)) await release(context, owner, resource, object);
  }
  if (isTerminating(owner)) return claimed;
  for (const object of context.graph.orphans<T>(resource, owner.metadata.namespace)) {
    if (isTerminating(object) || !adoptable(object)) continue;
    if (!matchesSelector(selector, object.metadata.labels)) continue;
    claimed.push(await adopt<T>(context, owner, resource, object));
  }
  return claimed;
}

async function adopt<T extends KubeObject>(
  { client }: Context,
  owner: KubeObject,
  resource: { group: string; plural: string },
  object: T,
): Promise<T> {
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
  const { namespace, name } = object.metadata;
  return (await client.patch(resource, namespace, name, ownersPatch(object, ownerReferences))) as T;
}

async function release(
  { client }: Context,
  owner: KubeObject,
  resource: { group: string; plural: string },
  object: KubeObject,
): Promise<void> {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  const { namespace, name } = object.metadata;
  await client.patch(resource, namespace, name, ownersPatch(object, ownerReferences));
}

/** A patch of the owner references, valid only for this version of the object. */
export function ownersPatch({ metadata }: KubeObject, owners: readonly OwnerReference[]): Json {
  const { uid = "", resourceVersion = "" } = metadata;
  return { metadata: { uid, resourceVersion, ownerReferences: owners.map((owner) => ({ ...owner })) } };
}

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Sorts pods into the order in which a controller deletes them:
 * - pods without a node first
 * - pending pods before running ones
 * - pods that are not ready before ready ones
 * - pods with a lower `controller.kubernetes.io/pod-deletion-cost`
 * - pods on nodes with more pods of the same workload
 * - pods ready for a shorter time
 * - pods with more restarts
 * - younger pods
 *
 * Times are compared by magnitude, so pods of about the same age go in random order (by UID).
 */
export function inDeletionOrder(pods: readonly Pod[], fellows: readonly Pod[], now: number): Pod[] {
  const onNode = new Map<string, number>();
  for (const { spec } of fellows.filter(isActive)) {
    onNode.set(spec.nodeName ?? "", (onNode.get(spec.nodeName ?? "") ?? 0) + 1);
  }
  const rank = ({ spec }: Pod) => onNode.get(spec.nodeName ?? "") ?? 0;
  return pods.toSorted(
    (a, b) =>
      compare(a.spec.nodeName === undefined ? 0 : 1, b.spec.nodeName === undefined ? 0 : 1) ||
      compare(PHASE_ORDER[phaseOf(a)] ?? 3, PHASE_ORDER[phaseOf(b)] ?? 3) ||
      compare(isReady(a) ? 1 : 0, isReady(b) ? 1 : 0) ||
      compare(deletionCost(a), deletionCost(b)) ||
      compare(rank(b), rank(a)) ||
      byMagnitude(readySince(a), readySince(b), now) ||
      compare(restarts(b), restarts(a)) ||
      byMagnitude(a.metadata.creationTimestamp, b.metadata.creationTimestamp, now) ||
      compare(a.metadata.uid ?? "", b.metadata.uid ?? ""),
  );
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "0";
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

function readySince(pod: Pod): string | undefined {
  return isReady(pod) ? (readyCondition(pod)?.lastTransitionTime ?? undefined) : undefined;
}

/** Younger pods first if one pod is more than about twice as old as the other. */
function byMagnitude(a: string | undefined, b: string | undefined, now: number): number {
  if (a === undefined || b === undefined || a === b) return 0;
  return compare(magnitude(now - Date.parse(a)), magnitude(now - Date.parse(b)));
}

function magnitude(age: number): number {
  return age > 0 ? Math.floor(Math.log2(age * 1e6)) : -1;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/** The name of the controller of an object, if it has the given kind. */
export function owningName(object: KubeObject, kind: string): string | undefined {
  const controller = controllerOf(object);
  return controller?.kind === kind ? controller.name : undefined;
}

/**
 * {@link owningName} of both the new and the old object, because a change of owner concerns both owners. One may be
 * absent.
 */
export function owningNames(objects: readonly (KubeObject | undefined)[], kind: string): string[] {
  return objects.flatMap((object) => (object === undefined ? [] : (owningName(object, kind) ?? [])));
}
