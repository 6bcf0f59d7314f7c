import {
  isSamePolicy,
  type PolicyName,
  type Reason,
  shortMessage,
  shortName,
  shortPoint,
  told,
} from "../../apis/index.ts";
import type { Failure, Problem } from "../../desiredstate/types.ts";
import { blamedPatch, type OverrideEffect, type PolicyRef } from "../../override/index.ts";
import type { RowView } from "../types.ts";

/** A member says with these that a value is wrong. */
const WRONG_VALUE: ReadonlySet<string> = new Set<Reason>([
  "Invalid",
  "UnknownField",
  "BadRequest",
  "ImmutableField",
  "DuplicateEntries",
]);

type Said = Pick<Problem, "message" | "detail" | "shorter">;

/**
 * The failure of a row, with what overrides have to do with it: the patch to blame, or, where the member does not say which field it refuses, or
 * refuses another one than was patched, the policies whose patches changed the object.
 */
export function blamed(
  { ref, failure }: Pick<RowView, "ref"> & { failure: Failure },
  overrides: OverrideEffect | undefined,
): Failure {
  const problem = patchProblem(ref.kind, failure, overrides);
  if (problem !== undefined) return { ...problem, final: true };
  return { ...failure, ...withPolicies(ref.kind, failure, overrides) };
}

/** The refusal of what policies have patched, by none of whose patches alone it is explained. */
function withPolicies(kind: string, failure: Failure, overrides: OverrideEffect | undefined): Said | undefined {
  const policies = patching(kind, overrides);
  if (policies.length === 0 || !failure.final || !WRONG_VALUE.has(failure.reason)) return undefined;
  return namingPolicies(policies, failure);
}

/**
 * Why the patches of the policy are not in force on a member that refuses an object of that kind: one of them is to blame, or the member
 * refuses what they and others make of the object. Undefined where the refusal is no matter of the policy's.
 */
export function refusedPatches(
  policy: PolicyName,
  kind: string,
  failure: Failure,
  overrides: OverrideEffect | undefined,
): (Pick<Problem, "reason"> & Said) | undefined {
  const problem = patchProblem(kind, failure, overrides);
  if (problem?.policy !== undefined) return isSamePolicy(policy, problem.policy) ? problem : undefined;
  if (!patching(kind, overrides).some((one) => isSamePolicy(policy, one))) return undefined;
  const said = withPolicies(kind, failure, overrides);
  return said === undefined ? undefined : { reason: "NotApplied" satisfies Reason, ...said };
}

/** The policies that patch objects of that kind, in the order in which they apply. */
function patching(kind: string, overrides: OverrideEffect | undefined): PolicyRef[] {
  const patches = (overrides?.patches ?? []).filter((patch) => (patch.kind ?? kind) === kind);
  return [...new Map(patches.map(({ policy }) => [nameOf(policy), policy])).values()];
}

/** The policies come first: only the words of the member are cut. */
function namingPolicies(policies: readonly PolicyRef[], { message, detail = message }: Failure): Said {
  const say = (names: string, words: string): string =>
    `with what ${names} ${policies.length === 1 ? "patches" : "patch"}: ${words}`;
  const all = policies.map((policy) => nameOf(policy)).join(", ");
  const whole = say(all, detail);
  const [last = all] = policies.slice(-1).map((policy) => nameOf(policy, 24));
  const others = policies.length - 1;
  const few = others === 0 ? last : `${last} and ${others} ${others === 1 ? "other" : "others"}`;
  const texts = [whole, say(all, shortPoint(detail)), say(few, shortPoint(detail))] as const;
  return told(
    texts,
    policies.slice(-1).map((policy) => inFewest(policy, detail)),
  );
}

/** What a condition has room for beside the name of a cluster. */
const BESIDE_A_CLUSTER = 94;

/** For a sentence that has more to say: whose fault it is, and as much of the member's words as there is room for. */
function inFewest({ kind, name }: PolicyRef, words: string): string {
  return shortMessage(`${kind} ${shortName(name, 12)}: ${shortPoint(words)}`, BESIDE_A_CLUSTER);
}

function nameOf({ kind, namespace, name }: PolicyRef, limit: number = Infinity): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${shortName(name, limit)}`;
}

/**
 * The patch of an override that gave an object of that kind what the member refuses, as the problem of its policy; undefined when the failure is
 * not the fault of a patch. The sentence begins with the policy, and only the words of the member are cut.
 */
export function patchProblem(
  kind: string,
  failure: Failure,
  overrides: OverrideEffect | undefined,
): Problem | undefined {
  const { reason, message, detail = message } = failure;
  if (overrides === undefined || !WRONG_VALUE.has(reason)) return undefined;
  const blame = blamedOf(kind, failure, overrides);
  if (blame === undefined) return undefined;
  const { policy, what } = blame;
  const say = (name: string, words: string): string => `${policy.kind} ${name}${what} on ${kind}: ${words}`;
  const whole = say(policy.name, detail);
  const texts = [
    whole,
    say(policy.name, shortPoint(detail)),
    say(shortName(policy.name, 24), shortPoint(message)),
  ] as const;
  return { reason: "InvalidPatch" satisfies Reason, ...told(texts, [inFewest(policy, message)]), policy };
}

/**
 * Whose fault the refusal is, and which words name it. A member that could make no object of what was sent may name no field: what is on the hub
 * was an object there, so it is the patches' fault; which policy's, is certain only where one policy alone patches the kind.
 */
function blamedOf(
  kind: string,
  { reason, final, fields = [] }: Failure,
  overrides: OverrideEffect,
): { policy: PolicyRef; what: string } | undefined {
  const named = blamedPatch(overrides, kind, fields);
  if (named !== undefined) return { policy: named.policy, what: `, rule ${named.rule}: patch ${named.patch}` };
  const [policy, ...others] = patching(kind, overrides);
  const isUnread = reason === "Invalid" && final && fields.length === 0;
  if (!isUnread || policy === undefined || others.length > 0) return undefined;
  return { policy, what: ": one of its patches" };
}
