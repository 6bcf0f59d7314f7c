import { canonicalJson } from "../../apis/index.ts";
import type { Container, Pod } from "./pods.ts";

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
export function fieldOf({ at, field }: Pick<Violation, "at" | "field">): string {
  if (at === undefined) return field;
  const [first, rest] = field.startsWith("spec.")
    ? [at, field.slice("spec.".length)]
    : [at.replace(/\.?spec$/, ""), field];
  return first === "" ? rest : `${first}.${rest}`;
}
