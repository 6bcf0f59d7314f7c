import { holdersOf, type KubeObject, OBJECT_FINALIZER, sameValue } from "../../../apis/index.ts";
import type { HubEvent } from "../../../hub/index.ts";
import {
  isRendered,
  hubOwnedFields,
  unwrittenFields,
  userSetObject,
  whyOwnersUnknown,
} from "../../../interpreter/index.ts";
import { type CopySources } from "../../facts/index.ts";

/** Selects the hub objects that concern a manager. An object that no policy selects costs nothing beyond its event. */

type Concerned = Pick<CopySources, "hub" | "states" | "observations">;

const BATCH = 256;

/** True if the object of the event is planned, was planned, or has copies. */
export function isRelevant(sources: Concerned, { key, object }: Pick<HubEvent<KubeObject>, "key" | "object">): boolean {
  return sources.hub.planned.includes(object) || isKnown(sources, key);
}

/** The hub objects in `owners` that concern a manager. Yields undefined where the caller may pause. */
export function* relevantAmong(
  sources: Concerned,
  owners: Iterable<string>,
): Generator<string | undefined, void, undefined> {
  let seen = 0;
  for (const owner of owners) {
    seen += 1;
    if (seen % BATCH === 0) yield undefined;
    const object = sources.hub.object(owner)?.object;
    if (isKnown(sources, owner) || (object !== undefined && sources.hub.planned.includes(object))) yield owner;
  }
}

function isKnown({ states, observations }: Concerned, owner: string): boolean {
  if (states.planOf(owner) !== undefined) return true;
  for (const _ of observations.naming(owner)) return true;
  return false;
}

/**
 * True if a propagated object would now be sent with other content. The generation does not show this: many kinds have
 * none, and a change of field owners does not raise it.
 */
export function changedContent({ object, old }: Pick<HubEvent<KubeObject>, "object" | "old">): boolean {
  if (old === undefined || isRendered(object)) return false;
  const [before, now] = [userSetObject(old), userSetObject(object)];
  if (!sameValue(before, now) || whyOwnersUnknown(old) !== whyOwnersUnknown(object)) return true;
  return (
    !sameValue(unwrittenFields(old), unwrittenFields(object)) ||
    !sameValue(hubOwnedFields(old, before), hubOwnedFields(object, now))
  );
}

export function isUntouched(object: KubeObject): boolean {
  return !isRendered(object) && holdersOf(OBJECT_FINALIZER, object.metadata).length === 0;
}
