/**
 * Tables: the output of `kubectl get`. Promises the cells of a resource's declared columns, computed as the API server
 * does: JSONPath, ages, text. Never changes an object; tables contain the objects themselves.
 */
export { ageOf, humanDuration } from "./duration.ts";
export * from "./table.ts";
