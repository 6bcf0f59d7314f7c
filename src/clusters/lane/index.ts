/**
 * The lane of a member: decides, in one pure function, what is done next with each member object, namespaces included,
 * and sends it at the pace that the member bears. Only a row removes an object, by UID. A failure is a value, never an
 * exception that stops other clusters.
 */
export { Lane } from "./lane.ts";
export type { LaneMember } from "./laneMember.ts";
