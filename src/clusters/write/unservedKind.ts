import { type ObjectRef, shortMessage } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { type Action, type MemberObject, type MemberObjects } from "../model/index.ts";
import type { MemberWriter } from "./memberWriter.ts";

/**
 * What is said of an object whose kind is not watched on the member: nothing while the kind is being read; that it waits where the member lacks
 * the kind; that nothing of it is there where the member lacks the kind for certain; and that it is refused where the kind is not granted. Returns
 * that refusal, which no answer to a write tells of.
 */
export function waitForKind(
  objects: Pick<MemberObjects, "fail" | "found">,
  object: MemberObject,
  { kind }: Action,
  writer: Pick<MemberWriter, "lacks" | "denial">,
): Failure | undefined {
  const isWrite = kind === "Create" || kind === "Update";
  const message = isWrite ? writer.denial(object.ref) : undefined;
  if (message !== undefined) {
    const denied = { reason: "Forbidden", message: shortMessage(message), final: true };
    const isNews = object.failure?.reason !== denied.reason;
    objects.fail(object, denied);
    return isNews ? denied : undefined;
  }
  const lacks = writer.lacks(object.ref);
  if (lacks === "No") return undefined;
  if (isWrite) objects.fail(object, kindNotServed(object.ref));
  const isToConfirm = object.row?.verb === "Hold" && object.row.confirm === true;
  if (lacks === "Surely" && isToConfirm && object.observed === undefined) objects.found(object, undefined);
  return undefined;
}

/** Not final: the definition may be on its way. */
export function kindNotServed({ apiVersion, kind }: ObjectRef): Failure {
  const message = shortMessage(`the member does not serve ${kind} of ${apiVersion} yet; it waits for the definition`);
  return { reason: "KindNotServed", message, final: false };
}
