import { isRendered } from "../../interpreter/index.ts";
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
} from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { changedSpec, type HubCache, type HubEvent, type PlacedKind, type StatusStore } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import type { Client } from "../../runtime/index.ts";
import { changedContent, isUntouched } from "./relevance.ts";
import { type ControllerClasses, setFinalizers } from "../facts/index.ts";
import { recordFinalizer } from "../progress/index.ts";

/** How a hub object becomes this manager's: the finalizer, and with it the first record of where the object goes. */

export interface ClaimSources {
  client: Client;
  hub: { statuses: Pick<HubCache["statuses"], "of"> };
  store: Pick<StatusStore, "bind">;
  events: Pick<EventRecorder, "record">;
  classes: ControllerClasses;
}

/**
 * Puts our finalizer in front, and with it says of a new object where it goes; a propagated object gets its binding. Returns the object as it stands
 * then; undefined when it changed or went away meanwhile. The generation of a native kind counts our own write, which is no change of anybody's. An object that another class owns until it is claimed keeps that class's finalizer. One that is sent as it
 * is stays untouched for as long as it goes nowhere.
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
  // The binding is what tells the next leader of the object, also when no policy selects the object's kind any more.
  const [patched] = await Promise.all([finalizer, store.bind({ object, kind }, signal)]);
  if (patched === undefined) return undefined;
  kind.informer.observe(patched);
  recordFinalizer(events, object, "the deletion of the object waits until nothing of it is left on members");
  return isOwnWrite(object, patched) ? patched : object;
}

/** Nothing but our own write lies between the two: a change of somebody's that came in between is still to be planned. */
function isOwnWrite(before: KubeObject, after: KubeObject): boolean {
  if (generationOf(before.metadata) === generationOf(after.metadata)) return true;
  return !isRendered(before) && !changedContent({ object: after, old: before });
}

/** A reconciliation that puts our finalizer there goes on with it: that alone is no reason for another one. */
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

/** Another set of clusters is named, by a binding or by an object whose status is Meridian's, or there is more of them to say. */
export function changedRecord({ object, old }: { object: Recorded; old?: Recorded | undefined }): boolean {
  if (old === undefined) return false;
  return !sameNames(entriesOf(old), entriesOf(object)) || !sameNames(recordOf(old).names, recordOf(object).names);
}

/** Which clusters have an entry. */
function entriesOf({ status }: Recorded): ReadonlySet<string> {
  return new Set((status as FederatedStatus | undefined)?.clusters?.map(({ name }) => name));
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

/** The object became unhealthy on some cluster, or well again, or its pods find no node, where its placement asks since when. */
export function changedHealthClocks({ object, old }: { object: Recorded; old?: Recorded | undefined }): boolean {
  return healthClocks(object) !== healthClocks(old);
}

/** Work has come to its end somewhere: rows say from then on that it is done. */
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

/** What the finalizer's write says of a new object; nothing where the status says it, or has to, since it is too much. */
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
