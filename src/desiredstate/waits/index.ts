/**
 * What a hub object waits for, as data and as a sentence. The planner derives waits from its plan and wakes objects by
 * them; a reader of the hub derives them from the status. Both say a wait with the same words. Pure.
 */
export { type Wait, WAIT_REASONS, type WaitFor, type WaitReason } from "./types.ts";
export { waitsOfRoom, waitsOfRows, waitsOfRun } from "./planWaits.ts";
export { waitsInStatus, waitsOnHub } from "./hubWaits.ts";
export { type SaidWait, saidWait, waitTexts } from "./waitText.ts";
