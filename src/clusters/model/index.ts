/**
 * The model of one member: observed objects, and the rows that say how they should be. An object counts as known only
 * after a complete list; an object with copied marks is not ours.
 */
export { carriedLabels, type Labels, NamespaceLabels, textOf } from "./carriedLabels.ts";
export { type Act, type Action, decide, isOrdered } from "./decide.ts";
export { Definitions } from "./definitions.ts";
export { withoutEffect } from "./effectiveApply.ts";
export { withHubVersion } from "./hubVersion.ts";
export { type MemberObject } from "./memberObject.ts";
export { copyIn } from "./memberObservation.ts";
export { isInSync, MemberObjects } from "./memberObjects.ts";
export { type Emptiness, inspectNamespace, isNamespace, MemberNamespaces, type RecordNamespace } from "./namespaces.ts";
export { isOwn, observe, observeAnswer, type ObservedObject, ownerOf, ownershipOf } from "./observed.ts";
export { Phases } from "./phases.ts";
export { unwrittenOfOthers } from "./yielding.ts";
