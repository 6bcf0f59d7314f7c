/**
 * Says which override policies reach an object, in which order, and applies their rules to what is rendered for a cluster.
 *
 * It promises that the later rule wins, that a policy applies whole or not at all, that identity and bookkeeping fields
 * never change, and that the objects given are never touched: the results share with them all that stays the same. Messages
 * name paths, never values. It never decides where an object runs and never applies `replicas` by itself.
 */
export { applyRules } from "./apply.ts";
export { blamedPatch, effectOf } from "./effect.ts";
export { matchRules } from "./match.ts";
export { partlyWonBy, winnersOver } from "./superseded.ts";
export type { MatchedRule, OverrideEffect, PolicyRef } from "./types.ts";
