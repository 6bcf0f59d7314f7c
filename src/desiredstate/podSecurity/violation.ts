import { canonicalJson } from "../../apis/index.ts";
import type { Container, Pod } from "./pods.ts";

/** One field of a pod that is not as it has to be. */
export interface Violation {
  /** Such as `spec.hostPID` or `spec.containers[web].securityContext.privileged`; without the path of the pod in its object. */
  field: string;
  /** What it has to be: `must not be true`. */
  must: string;
  value: unknown;
  /** Of a port of the node. */
  hostPort?: number;
}

/** Looks at one thing in a pod; `minor` is the version of the standard. */
export type Check = (pod: Pod, containers: readonly Container[], minor: number) => Iterable<Violation>;

/** By which the same violation is found again in another state of the object. */
export function keyOfViolation({ field, value }: Violation): string {
  return `${field}=${canonicalJson(value ?? null)}`;
}
