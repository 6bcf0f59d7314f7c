import { ALLOWED_HOST_PORTS_ANNOTATION, canonicalJson, type MessageParts } from "../../apis/index.ts";
import type { Container, Pod } from "./pods.ts";
import type { NamespaceTerms } from "./terms.ts";

export interface Violation {
  /** For example `spec.hostPID` or `spec.containers[web].securityContext.privileged`; relative to the pod. */
  field: string;
  /** The requirement: `must not be true`. */
  must: string;
  value: unknown;
  at?: string;
  hostPort?: number;
  /** The namespace annotation by which a hub administrator allows exactly this value. */
  grantedBy?: string;
}

/** Checks one aspect of a pod; `minor` is the version of the standard. */
export type Check = (pod: Pod, containers: readonly Container[], minor: number) => Iterable<Violation>;

/** Identifies the same violation in another state of the object. */
export function keyOfViolation({ at = "", field, value }: Violation): string {
  return `${at === "" ? "" : `${at}: `}${field}=${canonicalJson(value ?? null)}`;
}

/** The field with the path of its pod, if that path is not the usual one. */
function fieldOf({ at, field }: Pick<Violation, "at" | "field">): string {
  if (at === undefined) return field;
  const [first, rest] = field.startsWith("spec.")
    ? [at, field.slice("spec.".length)]
    : [at.replace(/\.?spec$/, ""), field];
  return first === "" ? rest : `${first}.${rest}`;
}

/** Names the refused value, and the annotation that allows the value if one can. `who`: the object or rule that asks. */
export function wordsOf(
  violation: Violation,
  { namespace, security, unusable }: NamespaceTerms,
  who: string,
): MessageParts {
  const { grantedBy, must } = violation;
  const why = `${fieldOf(violation)} ${must}`;
  if (grantedBy === undefined) return { what: who, why: `${why} (level ${security.level})` };
  // Invalid entries by which an administrator meant to allow something.
  const wrong = whatIsNone(unusable(grantedBy), grantedBy === ALLOWED_HOST_PORTS_ANNOTATION ? "port" : "name");
  return { what: who, why: `${why} (not in the annotation ${grantedBy} of namespace ${namespace}${wrong})` };
}

function whatIsNone(wrong: readonly string[], what: string): string {
  if (wrong.length === 0) return "";
  return wrong.length === 1 ? `: ${wrong[0]} is no ${what}` : `: ${wrong.join(", ")} are no ${what}s`;
}
