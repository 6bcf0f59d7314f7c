/**
 * What a member says of pods: why they do not run, and how much room its nodes have.
 */
export { PodTroubles } from "./podTroubles.ts";
export { roomNow, RoomReader } from "./roomReader.ts";
