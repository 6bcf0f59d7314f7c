import { canonicalJson } from "../../apis/index.ts";
import type { Container, Pod } from "./pods.ts";

/** One field of a pod that is not as it has to be. */
export interface Violation {
  /** Such as `spec.hostPID` or `spec.containers[web].securityContext.privileged`; without the path of the pod in its object. */
  field: string;
  /** What it has to be: `must not be true`. */
  must: string;
  value: unknown;
  /** Where the spec of the pod is in its object, where that is not the usual place. */
  at?: string;
  /** Of a port of the node. */
  hostPort?: number;
  /** The annotation of the namespace by which an administrator of the hub allows just this. */
  grantedBy?: string;
}

/** Looks at one thing in a pod; `minor` is the version of the standard. */
export type Check = (pod: Pod, containers: readonly Container[], minor: number) => Iterable<Violation>;

/** By which the same violation is found again in another state of the object. */
export function keyOfViolation({ at = "", field, value }: Violation): string {
  return `${at === "" ? "" : `${at}: `}${field}=${canonicalJson(value ?? null)}`;
}

/** The field with the path of the pod, where that is not the usual one. */
export function fieldOf({ at, field }: Pick<Violation, "at" | "field">): string {
  if (at === undefined) return field;
  const [first, rest] = field.startsWith("spec.")
    ? [at, field.slice("spec.".length)]
    : [at.replace(/\.?spec$/, ""), field];
  return first === "" ? rest : `${first}.${rest}`;
}
