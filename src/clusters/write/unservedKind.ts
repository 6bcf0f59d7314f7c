import type { Message, ObjectRef } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { type Action, type MemberObject, type MemberObjects } from "../model/index.ts";

/**
 * Sets the state of an object whose kind is not known on the member. If the kind is not granted, the object fails with
 * `Forbidden`. If the member lacks the kind, the object fails with `KindNotServed`. If the member certainly lacks the
 * kind, an object to confirm counts as absent. While the kind is being read, nothing changes. Returns a new `Forbidden`
 * failure for the log, since no request was sent.
 */
export function waitForKind(
  objects: Pick<MemberObjects, "fail" | "found">,
  object: MemberObject,
  { kind }: Action,
  member: { lacks(ref: ObjectRef): "No" | "Perhaps" | "Surely"; denial(ref: ObjectRef): Message | undefined },
): Failure | undefined {
  const isWrite = kind === "Create" || kind === "Update";
  const message = isWrite ? member.denial(object.ref) : undefined;
  if (message !== undefined) {
    const denied = { reason: "Forbidden", message, final: true };
    const isNews = object.failure?.reason !== denied.reason;
    objects.fail(object, denied);
    return isNews ? denied : undefined;
  }
  const lacks = member.lacks(object.ref);
  if (lacks === "No") return undefined;
  if (isWrite) objects.fail(object, kindNotServed(object.ref));
  const isToConfirm = object.row?.verb === "Hold" && object.row.confirm === true;
  if (lacks === "Surely" && isToConfirm && object.observed === undefined) objects.found(object, undefined);
  return undefined;
}

/** Not final, since the definition may still arrive. */
export function kindNotServed({ apiVersion, kind }: ObjectRef): Failure {
  const message = `the member does not serve ${kind} of ${apiVersion} yet; it waits for the definition`;
  return { reason: "KindNotServed", message, final: false };
}
