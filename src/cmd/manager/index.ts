/**
 * The verb `manager`: checks at start, ports, telemetry.
 */
export { runManager } from "./manager.ts";
