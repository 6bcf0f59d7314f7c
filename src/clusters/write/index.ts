/**
 * Requests that write, read and remove the objects of one member, and the classification of their outcome. A foreign
 * object is refused unless the row adopts it, and only the named UID is removed. Errors are thrown; the lane decides
 * what follows.
 */
export { stripMarks } from "./stripMarks.ts";
export { MemberWriter, type Written } from "./memberWriter.ts";
export { NamespaceWriter } from "./namespaceWriter.ts";
export { allNotGranted, isAlwaysGranted, isWriteForbidden, whyUnwatched, withGrant } from "./notGranted.ts";
export { classify, CONTROLLER, failureOf, isAnswer, kindNotServed, notInVersion, type Outcome } from "./outcome.ts";
export { WriteAudit } from "./writeAudit.ts";
export { readLive, rehearse, type Rehearsed, rehearseRemoval } from "./rehearsal.ts";
