/**
 * StatefulSets: pods with numbers, names and claims that stay. What to do next is computed from the set and its pods; the
 * controller carries it out. It promises that an ordered set never has two pods on their way, and that a claim is never deleted
 * unless the retention policy says so.
 */
export { StatefulSetController } from "./controller.ts";
