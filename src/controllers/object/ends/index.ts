/**
 * The end of planning an object: the object is being deleted, is gone, or belongs to others.
 *
 * Promises: our finalizer goes only when the copies are seen gone, or their cluster was unjoined.
 */
export { Deleting } from "./deleting.ts";
export { ObjectEnds } from "./objectEnds.ts";
export { OrphaningDeletions } from "./orphaning.ts";
export { isOver, releaseHubObject } from "./releaseHubObject.ts";
