import { isRendered } from "../../../interpreter/index.ts";
import {
  claimed,
  type FederatedStatus,
  FIRST_RECORD_ANNOTATION,
  firstRecordOf,
  firstRecordText,
  generationOf,
  type KubeObject,
  type ObjectMeta,
  OBJECT_FINALIZER,
  recordOf,
  sameValue,
} from "../../../apis/index.ts";
import type { Target } from "../../../desiredstate/index.ts";
import { changedSpec, type HubCache, type HubEvent, type PlacedKind, type StatusStore } from "../../../hub/index.ts";
import type { EventRecorder } from "../../../observability/index.ts";
import type { Client } from "../../../runtime/index.ts";
import { changedContent, isUntouched } from "./relevance.ts";
import { type ControllerClasses, setFinalizers } from "../../facts/index.ts";
import { recordFinalizer } from "../../progress/index.ts";

/** Claims hub objects: sets the finalizer and, in the same write, the first record of the object's clusters. */

export interface ClaimSources {
  client: Client;
  hub: { statuses: Pick<HubCache["statuses"], "of"> };
  store: Pick<StatusStore, "bind">;
  events: Pick<EventRecorder, "record">;
  classes: ControllerClasses;
}

/**
 * Adds our finalizer in front and, for a new object, the first-record annotation; creates the binding of a propagated
 * object. Undefined if the object changed or went away meanwhile.
 *
 * Our own write may raise the generation of a native kind; that is no change by a user. A propagated object stays
 * untouched while it has no clusters.
 */
export async function claim(
  { client, hub, store, events, classes }: ClaimSources,
  object: KubeObject,
  kind: PlacedKind,
  target: Target,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (classes.of(object) !== "Owned") return object;
  const next = claimed(OBJECT_FINALIZER, object.metadata, classes.classes);
  if (next === object.metadata.finalizers || (target.clusters.length === 0 && isUntouched(object))) return object;
  const record = firstRecord(object, hub.statuses.of(object, kind), target);
  const finalizer = setFinalizers(client, kind.type, object, next, signal, record);
  // The binding tells the next leader about the object, even if no policy selects the object's kind any more.
  const [patched] = await Promise.all([finalizer, store.bind({ object, kind }, signal)]);
  if (patched === undefined) return undefined;
  kind.informer.observe(patched);
  recordFinalizer(events, object, "the deletion of the object waits until nothing of it is left on members", true);
  return isOwnWrite(object, patched) ? patched : object;
}

/** True if only our own write separates the two states. A change by a user in between is still to be planned. */
function isOwnWrite(before: KubeObject, after: KubeObject): boolean {
  if (generationOf(before.metadata) === generationOf(after.metadata)) return true;
  return !isRendered(before) && !changedContent({ object: after, old: before });
}

/** False if the event shows only our own claim: the reconcile that made the claim goes on by itself. */
export function isNews({ classes }: Pick<ClaimSources, "classes">, event: HubEvent<KubeObject>): boolean {
  const { old, object } = event;
  if (event.type !== "Updated" || old === undefined) return true;
  const { finalizers = [] } = object.metadata;
  const isOurClaim =
    classes.of(old) === "Owned" &&
    finalizers.join() === claimed(OBJECT_FINALIZER, old.metadata, classes.classes).join();
  if (!isOurClaim) return changedSpec(event);
  const first = object.metadata.annotations?.[FIRST_RECORD_ANNOTATION];
  const annotations = {
    ...old.metadata.annotations,
    ...(first === undefined ? {} : { [FIRST_RECORD_ANNOTATION]: first }),
  };
  return changedSpec({ ...event, old: { ...old, metadata: { ...old.metadata, finalizers, annotations } } });
}

/** True if the record names other clusters, or if other clusters have an entry in the status. */
export function changedRecord({ object, old }: { object: Recorded; old?: Recorded | undefined }): boolean {
  if (old === undefined) return false;
  return !sameNames(entriesOf(old), entriesOf(object)) || !sameNames(recordOf(old).names, recordOf(object).names);
}

function entriesOf({ status }: Recorded): ReadonlySet<string> {
  return new Set((status as FederatedStatus | undefined)?.clusters?.map(({ name }) => name));
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

/** True if the object, or the scheduling of its pods, became healthy or unhealthy on a cluster. */
export function changedHealthClocks({ object, old }: { object: Recorded; old?: Recorded | undefined }): boolean {
  return healthClocks(object) !== healthClocks(old);
}

/** True if work has finished on a cluster: from then on, the rows say that the work is done. */
export function changedFinished({ object, old }: { object: Recorded; old?: Recorded | undefined }): boolean {
  const of = (recorded: Recorded | undefined) => (recorded?.status as FederatedStatus | undefined)?.finished;
  return !sameValue(of(object), of(old));
}

function healthClocks(recorded: Recorded | undefined): string {
  const { clusters = [] } = (recorded?.status ?? {}) as FederatedStatus;
  const clocks = clusters.flatMap(({ name, unhealthySince, unschedulableSince }) => [
    ...(unhealthySince === undefined ? [] : [name]),
    ...(unschedulableSince === undefined ? [] : [`${name} ${unschedulableSince}`]),
  ]);
  return clocks.join();
}

interface Recorded {
  metadata: ObjectMeta;
  status?: unknown;
}

/**
 * The first-record annotation of a new object; undefined if the status has the record, or must have it for its size.
 */
function firstRecord(
  { metadata }: KubeObject,
  status: FederatedStatus | undefined,
  target: Target,
): { name: string; value: string } | undefined {
  if (status?.observedGeneration !== undefined) return undefined;
  const known = firstRecordOf({ metadata, status })?.clusters ?? [];
  const clusters = [...new Set([...known, ...target.clusters.map(({ name }) => name)])];
  const value = firstRecordText({
    clusters,
    ...(target.deletionPolicy === "Orphan" ? { deletionPolicy: target.deletionPolicy } : {}),
  });
  return value === undefined ? undefined : { name: FIRST_RECORD_ANNOTATION, value };
}
