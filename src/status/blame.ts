import { firstFitting, type Reason, shortName } from "../apis/index.ts";
import type { Failure, Problem } from "../desiredstate/types.ts";
import { blamedPatch, type OverrideEffect } from "../override/index.ts";

/** A member says with these that a value is wrong. */
const WRONG_VALUE: ReadonlySet<string> = new Set<Reason>(["Invalid", "UnknownField", "BadRequest"]);

/**
 * The patch of an override that gave an object of that kind what the member refuses, as the problem of its policy; undefined when the failure is
 * not the fault of a patch. The sentence begins with the policy, and only the words of the member are cut.
 */
export function patchProblem(
  kind: string,
  { reason, message, detail = message, fields = [] }: Failure,
  overrides: OverrideEffect | undefined,
): Problem | undefined {
  if (overrides === undefined || !WRONG_VALUE.has(reason)) return undefined;
  const patch = blamedPatch(overrides, kind, fields);
  if (patch === undefined) return undefined;
  const { policy, rule } = patch;
  const say = (name: string, words: string): string =>
    `${policy.kind} ${name}, rule ${rule}: patch ${patch.patch} on ${kind}: ${words}`;
  const whole = say(policy.name, detail);
  const told = firstFitting([whole, say(shortName(policy.name, 24), message)]);
  return {
    reason: "InvalidPatch" satisfies Reason,
    message: told,
    policy,
    ...(told === whole ? {} : { detail: whole }),
  };
}
