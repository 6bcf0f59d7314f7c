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

/** Reasons with which a member rejects a value. */
const WRONG_VALUE: ReadonlySet<string> = new Set<Reason>([
  "Invalid",
  "UnknownField",
  "BadRequest",
  "ImmutableField",
  "DuplicateEntries",
]);

type Said = Pick<Problem, "message" | "detail" | "shorter">;

/**
 * The failure of a row with the responsible overrides: the patch to blame, or all policies that patched the object. The
 * latter applies if the member names no field, or names a field that no patch set.
 */
export function blamed(
  { ref, failure }: Pick<RowView, "ref"> & { failure: Failure },
  overrides: OverrideEffect | undefined,
): Failure {
  const problem = patchProblem(ref.kind, failure, overrides);
  if (problem !== undefined) return { ...problem, final: true };
  return { ...failure, ...withPolicies(ref.kind, failure, overrides) };
}

/** The rejection of a patched object that no single patch explains. */
function withPolicies(kind: string, failure: Failure, overrides: OverrideEffect | undefined): Said | undefined {
  const policies = patching(kind, overrides);
  if (policies.length === 0 || !failure.final || !WRONG_VALUE.has(failure.reason)) return undefined;
  return namingPolicies(policies, failure);
}

/**
 * Why the policy's patches have no effect on a member that rejects an object of the kind: one patch is to blame, or the
 * member rejects the combined result. Undefined if the policy has no part in the rejection.
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

/** Policies that patch objects of the kind, in order of application. */
function patching(kind: string, overrides: OverrideEffect | undefined): PolicyRef[] {
  const patches = (overrides?.patches ?? []).filter((patch) => (patch.kind ?? kind) === kind);
  return [...new Map(patches.map(({ policy }) => [nameOf(policy), policy])).values()];
}

/** The policies come first, so that only the text of the member is cut. */
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

/** Space in a condition's message beside the name of a cluster. */
const BESIDE_A_CLUSTER = 94;

/** The shortest form: the policy to blame, and the member's text as far as it fits. */
function inFewest({ kind, name }: PolicyRef, words: string): string {
  return shortMessage(`${kind} ${shortName(name, 12)}: ${shortPoint(words)}`, BESIDE_A_CLUSTER);
}

function nameOf({ kind, namespace, name }: PolicyRef, limit: number = Infinity): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${shortName(name, limit)}`;
}

/**
 * The problem of the override policy whose patch gave the object the rejected value; undefined if no patch is to blame.
 * The message begins with the policy, so that only the text of the member is cut.
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
 * The policy to blame for the rejection, and the text that names the patch. A member may reject an unparsable object
 * without naming a field. The hub accepted the object, so the patches are at fault, but the policy is certain only if a
 * single one patches the kind.
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
