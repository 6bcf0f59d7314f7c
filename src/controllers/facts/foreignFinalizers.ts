import { type KubeObject, OBJECT_FINALIZER, unclaimed } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { expiryOf } from "../../interpreter/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { ObjectStates } from "../states/index.ts";

/** Objects in deletion that have no copies left and that a foreign finalizer keeps on the hub. */

export function holdersBeside(
  { classes }: Pick<ControllerClasses, "classes">,
  { metadata }: KubeObject,
): readonly string[] {
  return unclaimed(OBJECT_FINALIZER, metadata, classes);
}

export interface ForeignFinalizerSources {
  hub: Pick<HubCache, "object">;
  states: Pick<ObjectStates, "planOf" | "setPlan">;
  classes: Pick<ControllerClasses, "classes">;
}

/**
 * Keeps the plan while foreign finalizers hold the object, so that its status can name them. False for every other
 * object. The status of a propagated object goes with its binding.
 */
export function keepHeld({ hub, states, classes }: ForeignFinalizerSources, owner: string): boolean {
  const plan = states.planOf(owner);
  const found = hub.object(owner);
  if (found === undefined || found.kind.propagated || plan?.ours !== true || plan.target !== undefined) return false;
  const { uid, deletionTimestamp } = found.object.metadata;
  if (deletionTimestamp === undefined || plan.uid !== uid || holdersBeside(classes, found.object).length === 0)
    return false;
  // Setting the plan emits a change, since the finalizers may have changed.
  states.setPlan(owner, plan);
  return true;
}

/** The API server's timestamps are whole seconds. */
const SECOND_MS = 1_000;

/** True if the hub's TTL controller deleted the object, not a person: its TTL had expired at the deletion. */
export function wentByTtl(object: KubeObject): boolean {
  const { deletionTimestamp } = object.metadata;
  const expiry = expiryOf(object);
  return deletionTimestamp !== undefined && expiry !== undefined && Date.parse(deletionTimestamp) + SECOND_MS > expiry;
}
