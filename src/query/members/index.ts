/**
 * Pods, Events and logs of placed objects, read on members.
 *
 * Promises: a pod is read only if the chain of its controllers leads to a copy of the placed object; so are its Events and
 * its log. Every read is bounded in time and number, and a reader who pauses makes the member wait. What a member says is
 * taken apart and cut to known fields. Whoever asks was checked before: nothing here knows users.
 */
export { MemberReadError, type MemberFailure } from "./failures.ts";
export { type LogOptions, MemberReads, type MemberSource, type MemberTarget, type OpenLog } from "./memberReads.ts";
