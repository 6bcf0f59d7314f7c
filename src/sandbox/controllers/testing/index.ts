/** A cluster in memory, a clock that tests move, and short words for what tests say. For tests only. */
export * from "./memoryCluster.ts";
export * from "./sandbox.ts";
