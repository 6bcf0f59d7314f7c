/**
 * The verb `install`.
 */
export { install } from "./install.ts";
