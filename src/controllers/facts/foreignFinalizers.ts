import { type KubeObject, OBJECT_FINALIZER, unclaimed } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { expiryOf } from "../../interpreter/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import { type Plans } from "../tables/index.ts";

/** Objects that are being deleted, of which no cluster has anything any more, and that somebody else's finalizer keeps on the hub. */

/** The finalizers of an object that are not this manager's. */
export function holdersBeside(
  { classes }: Pick<ControllerClasses, "classes">,
  { metadata }: KubeObject,
): readonly string[] {
  return unclaimed(OBJECT_FINALIZER, metadata, classes);
}

export interface ForeignFinalizerSources {
  hub: Pick<HubCache, "object">;
  plans: Pick<Plans, "get" | "set">;
  classes: Pick<ControllerClasses, "classes">;
}

/**
 * Keeps the plan of an object that others hold once nothing of it is left: as long as there is one its status goes on to be written, and says who
 * holds it. False for every other object, and where the status stands in a binding: that goes with Meridian's finalizer.
 */
export function keepHeld({ hub, plans, classes }: ForeignFinalizerSources, owner: string): boolean {
  const plan = plans.get(owner);
  const found = hub.object(owner);
  if (found === undefined || found.kind.propagated || plan?.ours !== true || plan.target !== undefined) return false;
  const { uid, deletionTimestamp } = found.object.metadata;
  if (deletionTimestamp === undefined || plan.uid !== uid || holdersBeside(classes, found.object).length === 0)
    return false;
  // Set anew, since the holders may have changed.
  plans.set(owner, plan);
  return true;
}

/** The times of the server are whole seconds. */
const SECOND_MS = 1_000;

/** Whether the TTL controller of the hub deletes the object, and no person: it has finished there, and its TTL was over when it was deleted. */
export function wentByTtl(object: KubeObject): boolean {
  const { deletionTimestamp } = object.metadata;
  const expiry = expiryOf(object);
  return deletionTimestamp !== undefined && expiry !== undefined && Date.parse(deletionTimestamp) + SECOND_MS > expiry;
}
