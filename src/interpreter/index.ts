/**
 * What Meridian knows of kinds: what a hub object becomes on a member, which ConfigMaps and Secrets it needs there, how many
 * replicas it asks for, how well a member object does, which of its fields are still ours, and what of a plain hub object a
 * person set.
 *
 * It promises that what it renders holds no null and no empty list, so that an API server keeps each field of it; that an object of
 * which nobody has reported anything is never called healthy, unless its kind has nothing to report; and that messages are short and
 * hold nothing of a Secret. All of it is pure: no client, no clock, and no object that it is given is ever changed. What it
 * returns may share parts with what it was given.
 *
 * A new kind is a new rule in the registry; nothing outside of this module knows one kind from another.
 */
export { withoutGivenUp } from "./givenUp.ts";
export { lostFields } from "./ownership.ts";
export { hubKindOf, memberKindOf, memberKinds, placeableKindOf } from "./registry.ts";
export type { Dependency, Health, HubKind, LostField, MemberKind, ServedKind } from "./types.ts";
export { userSetObject } from "./userFields.ts";
export { shortMessage } from "../apis/index.ts";
