import { holdersOf, type KubeObject, OBJECT_FINALIZER, sameValue } from "../../apis/index.ts";
import type { HubEvent } from "../../hub/index.ts";
import {
  isRendered,
  standingFields,
  unwrittenFields,
  userSetObject,
  whyOwnersUnknown,
} from "../../interpreter/index.ts";
import { type CopySources } from "../facts/index.ts";

/** Which objects of the hub are a manager's business. What no policy selects costs nothing beyond its event. */

type Concerned = Pick<CopySources, "hub" | "plans" | "observations">;

/** So many objects are looked at in one go. */
const BATCH = 256;

/** Whether an event is about an object that is planned, or was, or that has copies. */
export function isRelevant(sources: Concerned, { key, object }: Pick<HubEvent<KubeObject>, "key" | "object">): boolean {
  return sources.hub.planned.includes(object) || isKnown(sources, key);
}

/** Of these hub objects, those that are planned, or were, or that have copies. An undefined in between is a place to pause at. */
export function* concernedAmong(
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

function isKnown({ plans, observations }: Concerned, owner: string): boolean {
  if (plans.get(owner) !== undefined) return true;
  for (const _ of observations.naming(owner)) return true;
  return false;
}

/** Of an object that is sent as it is: something else would be sent. Many kinds have no generation, and the owners of fields have none either. */
export function changedContent({ object, old }: Pick<HubEvent<KubeObject>, "object" | "old">): boolean {
  if (old === undefined || isRendered(object)) return false;
  const [before, now] = [userSetObject(old), userSetObject(object)];
  if (!sameValue(before, now) || whyOwnersUnknown(old) !== whyOwnersUnknown(object)) return true;
  return (
    !sameValue(unwrittenFields(old), unwrittenFields(object)) ||
    !sameValue(standingFields(old, before), standingFields(object, now))
  );
}

/** The object is sent as it is, and no manager has claimed it. */
export function isUntouched(object: KubeObject): boolean {
  return !isRendered(object) && holdersOf(OBJECT_FINALIZER, object.metadata).length === 0;
}
