/**
 * What is known of the objects on one member, and what is wanted of them.
 *
 * Promises: an object is known only after a whole list; what carries our marks and was not sent there is not ours.
 */
export { carriedLabels, type Labels, NamespaceLabels, textOf } from "./carriedLabels.ts";
export { type Action, decide, HELD, isOrdered } from "./decide.ts";
export { Definitions } from "./definitions.ts";
export { withoutEffect } from "./effectiveApply.ts";
export { withHubVersion } from "./hubVersion.ts";
export { type MemberObject } from "./memberObject.ts";
export { isInSync, MemberObjects } from "./memberObjects.ts";
export { type Emptiness, inspectNamespace, isNamespace, MemberNamespaces, type TellOfNamespace } from "./namespaces.ts";
export { isOwn, observe, observeAnswer, type ObservedObject, ownerOf, ownershipOf } from "./observed.ts";
export { Phases } from "./phases.ts";
export { unwrittenOfOthers } from "./yielding.ts";
