/**
 * Finds the override policies of an object, orders them, and applies their rules to the objects rendered for a cluster.
 *
 * Promises: the later rule wins; a policy applies whole or not at all; identity and bookkeeping fields never change;
 * the given objects are never modified, and the results share all unchanged parts with them. Messages name paths, never
 * values. `replicas` is handed back, not applied.
 */
export { applyRules } from "./apply.ts";
export { blamedPatch, effectOf } from "./effect.ts";
export { matchRules } from "./match.ts";
export { partlyWonBy, winnersOver } from "./superseded.ts";
export type { MatchedRule, OverrideEffect, PolicyRef } from "./types.ts";
