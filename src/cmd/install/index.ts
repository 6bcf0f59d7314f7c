/**
 * The verb `install`.
 */
export { install } from "./install.ts";
export { isRolledOut, podTrouble } from "./installedManager.ts";
