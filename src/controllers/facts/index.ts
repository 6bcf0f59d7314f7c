/**
 * The facts that planning needs besides the object. {@link managerHubState} gives planning all facts as one state of
 * the hub.
 *
 * Promises: a fact that is not known yet is reported as unknown.
 */
export { classesOf, ControllerClasses, type OfGone } from "./controllerClasses.ts";
export { type CopySources, freesBundles, ownersNamedBy } from "./copies.ts";
export { DependencyWatches } from "./dependencies.ts";
export { EvictionPace } from "./evictionPace.ts";
export { RETRY_FINALIZER_MS, setFinalizers } from "./finalizers.ts";
export { PendingMembers } from "./pendingMembers.ts";
export { type AskGate, Gates } from "./gates.ts";
export { whyNotGranted } from "./grants.ts";
export { holdersBeside, keepHeld, wentByTtl } from "./foreignFinalizers.ts";
export { HubNamespaces } from "./hubNamespaces.ts";
export { managerHubState } from "./managerHubState.ts";
export { type HeldThere, MissingOwners } from "./missingOwners.ts";
export { PlanningProgress } from "./planningProgress.ts";
export { contentHash, Revisions, tooLarge } from "./revisions.ts";
export { changedCommand, commandsOf, type CommandSources } from "./rolloutCommands.ts";
export { type BoundRun, RolloutSlots, type StoppedRun } from "./rolloutSlots.ts";
