import { FIRST_RECORD_ANNOTATION, type KubeObject, OBJECT_FINALIZER, unclaimed } from "../../../apis/index.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { PlacedKind, StatusStore } from "../../../hub/index.ts";
import type { Client } from "../../../runtime/index.ts";
import { type ControllerClasses, setFinalizers } from "../../facts/index.ts";
import type { Leftovers } from "../plan/index.ts";

/** Releases propagated objects, which may exist on the hub for the hub's own use. */

export interface ReleaseSources {
  client: Client;
  store: Pick<StatusStore, "unbind">;
  classes: ControllerClasses;
}

/** True if no policy selects the object any more and no cluster has a copy of it. */
export function isOver({ propagated }: PlacedKind, target: Target, { open }: Leftovers): boolean {
  return propagated && target.placement === undefined && target.clusters.length === 0 && open.size === 0;
}

/**
 * Removes Meridian's finalizer, record and binding of an object that stays. False if the object has changed meanwhile.
 */
export async function releaseHubObject(
  { client, store, classes }: ReleaseSources,
  object: KubeObject,
  kind: PlacedKind,
  signal: AbortSignal,
): Promise<boolean> {
  const { finalizers = [], annotations } = object.metadata;
  const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
  if (next.length < finalizers.length || annotations?.[FIRST_RECORD_ANNOTATION] !== undefined) {
    const record = { name: FIRST_RECORD_ANNOTATION, value: undefined };
    const released = await setFinalizers(client, kind.type, object, next, signal, record);
    if (released === undefined) return false;
    kind.informer.observe(released);
  }
  await store.unbind({ object, kind }, signal);
  return true;
}
