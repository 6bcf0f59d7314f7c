import { type ObjectRef, shortMessage } from "../apis/index.ts";
import type { Failure } from "../desiredstate/index.ts";
import type { Action } from "./decide.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";

/**
 * What is said of an object whose kind is not watched on the member: nothing while the kind is being read; that it waits where the member lacks
 * the kind; and that nothing of it is there where the member lacks the kind for certain.
 */
export function waitForKind(
  objects: Pick<MemberObjects, "fail" | "found">,
  object: MemberObject,
  { kind }: Action,
  lacks: "No" | "Perhaps" | "Surely",
): void {
  if (lacks === "No") return;
  if (kind === "Create" || kind === "Update") objects.fail(object, kindNotServed(object.ref));
  const isToConfirm = object.row?.verb === "Hold" && object.row.confirm === true;
  if (lacks === "Surely" && isToConfirm && object.observed === undefined) objects.found(object, undefined);
}

/** Not final: the definition may be on its way. */
export function kindNotServed({ apiVersion, kind }: ObjectRef): Failure {
  const message = shortMessage(`the member does not serve ${kind} of ${apiVersion} yet; it waits for the definition`);
  return { reason: "KindNotServed", message, final: false };
}
