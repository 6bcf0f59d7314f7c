import { FIRST_RECORD_ANNOTATION, holdersOf, type KubeObject, OBJECT_FINALIZER, unclaimed } from "../apis/index.ts";
import { selectPlacement, type Target } from "../desiredstate/index.ts";
import type { HubCache, PlacedKind, StatusStore } from "../hub/index.ts";
import type { Client } from "../runtime/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import { setFinalizers } from "./finalizers.ts";
import type { Remains } from "./remains.ts";

/**
 * When a propagated object is none of Meridian's business: unlike an application it may stand on the hub for the hub's own sake. Nothing is
 * written for an object that no policy selects and that runs nowhere.
 */

export interface LetGoSources {
  client: Client;
  hub: Pick<HubCache, "recordOf" | "allPlacements">;
  store: Pick<StatusStore, "unbind">;
  classes: ControllerClasses;
}

/** Whether Meridian has nothing to do with the object: no policy selects it, and nobody recorded that it is anywhere. */
export function isNobodys({ hub }: Pick<LetGoSources, "hub">, object: KubeObject, kind: PlacedKind): boolean {
  return (
    kind.propagated &&
    holdersOf(OBJECT_FINALIZER, object.metadata).length === 0 &&
    hub.recordOf(object, kind).names.size === 0 &&
    selectPlacement(object, hub.allPlacements()) === undefined
  );
}

/** Whether no policy selects the object any more, and nothing of it is left on any cluster. */
export function isOver({ propagated }: PlacedKind, target: Target, { open }: Remains): boolean {
  return propagated && target.placement === undefined && target.clusters.length === 0 && open.size === 0;
}

/** Takes Meridian's finalizer and record off an object that stays on the hub, and removes its binding; false when the object has changed meanwhile. */
export async function letGo(
  { client, store, classes }: LetGoSources,
  object: KubeObject,
  kind: PlacedKind,
  signal: AbortSignal,
): Promise<boolean> {
  const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
  const record = { name: FIRST_RECORD_ANNOTATION, value: undefined };
  const released = await setFinalizers(client, kind.type, object, next, signal, record);
  if (released === undefined) return false;
  kind.informer.observe(released);
  await store.unbind({ object, kind }, signal);
  return true;
}
