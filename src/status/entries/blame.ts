import { defined, isSamePolicy, type Message, type PolicyName, type Reason, withCause } from "../../apis/index.ts";
import type { Failure, Problem, Why } from "../../desiredstate/types.ts";
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

/** The failure with the patch to blame, or with all policies that patched the object if no single patch explains it. */
export function blamed(
  { ref, failure }: Pick<RowView, "ref"> & { failure: Failure },
  overrides: OverrideEffect | undefined,
): Failure {
  const problem = patchProblem(ref.kind, failure, overrides);
  if (problem !== undefined) return { ...problem, final: true };
  return { ...failure, ...defined({ message: withPolicies(ref.kind, failure, overrides) }) };
}

function withPolicies(kind: string, failure: Failure, overrides: OverrideEffect | undefined): Message | undefined {
  const policies = patching(kind, overrides);
  if (policies.length === 0 || !failure.final || !WRONG_VALUE.has(failure.reason)) return undefined;
  return withCause({ what: "refused as patched by", where: policies.map(nameOf).toReversed() }, failure.message);
}

/** Why the policy's patches have no effect on a member that rejects the object; undefined if it has no part in that. */
export function refusedPatches(
  policy: PolicyName,
  kind: string,
  failure: Failure,
  overrides: OverrideEffect | undefined,
): Why | undefined {
  const problem = patchProblem(kind, failure, overrides);
  if (problem?.policy !== undefined) return isSamePolicy(policy, problem.policy) ? problem : undefined;
  if (!patching(kind, overrides).some((one) => isSamePolicy(policy, one))) return undefined;
  const message = withPolicies(kind, failure, overrides);
  return message === undefined ? undefined : { reason: "NotApplied" satisfies Reason, message };
}

function patching(kind: string, overrides: OverrideEffect | undefined): PolicyRef[] {
  const patches = (overrides?.patches ?? []).filter((patch) => (patch.kind ?? kind) === kind);
  return [...new Map(patches.map(({ policy }) => [nameOf(policy), policy])).values()];
}

function nameOf({ kind, namespace, name }: PolicyRef): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The problem of the override policy whose patch gave the object the rejected value; undefined if no patch is to blame. */
export function patchProblem(
  kind: string,
  failure: Failure,
  overrides: OverrideEffect | undefined,
): Problem | undefined {
  const { reason, message } = failure;
  if (overrides === undefined || !WRONG_VALUE.has(reason)) return undefined;
  const blame = blamedOf(kind, failure, overrides);
  if (blame === undefined) return undefined;
  const { policy, what } = blame;
  const cause = withCause({ what: `${policy.kind} ${policy.name}${what} on ${kind}` }, message);
  return { reason: "InvalidPatch" satisfies Reason, message: cause, policy };
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
