/**
 * The model of one member: a store of its objects, with the rows that say how they should be. The store tells its
 * subscribers of each row and each change; nobody else keeps what is known of an object. An object counts as known only
 * after a complete list; an object with copied marks is not ours.
 */
export { carriedLabels, type Labels, NamespaceLabels, textOf } from "./carriedLabels.ts";
export { isInSync } from "./comparison.ts";
export { type Act, type Action, decide, isOrdered } from "./decide.ts";
export { Definitions } from "./definitions.ts";
export { withoutEffect } from "./failures.ts";
export { withHubVersion } from "./hubVersion.ts";
export { type MemberObject } from "./memberObject.ts";
export { copyIn } from "./memberObservation.ts";
export { MemberObjects } from "./memberObjects.ts";
export { type Emptiness, inspectNamespace, isNamespace, MemberNamespaces, type RecordNamespace } from "./namespaces.ts";
export { isOwn, observe, observeAnswer, type ObservedObject, ownerOf, ownershipOf } from "./observed.ts";
export { PendingReport } from "./pendingReport.ts";
export { Phases } from "./phases.ts";
export { unwrittenOfOthers } from "./yielding.ts";
