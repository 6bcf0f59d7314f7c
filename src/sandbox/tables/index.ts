/**
 * Tables: what `kubectl get` shows. It promises the cells that the columns of a resource declare, computed as the API server
 * computes them: JSONPath, ages, text. It never changes an object; objects stand in a table as they are.
 */
export { ageOf, humanDuration } from "./duration.ts";
export * from "./table.ts";
