/**
 * StatefulSets: pods with stable ordinals, names and claims. Pure functions of the set and its pods compute the next
 * steps; the controller executes them. Promises that an ordered set never changes two pods at once, and that no claim
 * is deleted unless the retention policy says so.
 */
export { StatefulSetController } from "./controller.ts";
