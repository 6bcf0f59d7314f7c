import type { KubeObject } from "../../apis/index.ts";
import { BASELINE } from "./baseline.ts";
import { isSet } from "./fields.ts";
import type { PodSecurityLevel } from "./level.ts";
import { containersOf, type Pod, podsOf } from "./pods.ts";
import { RESTRICTED } from "./restricted.ts";
import type { Check, Violation } from "./violation.ts";

/**
 * All violations of the level in the object's pods, in the order of the standard. Empty if the object makes no pods.
 * Reports exactly what an API server with this level rejects. For an incomplete pod found by its shape in a custom
 * resource, only set fields are reported, since only the operator knows which fields it adds.
 */
export function evaluatePodSecurity(object: KubeObject, level: PodSecurityLevel): Violation[] {
  return level.level === "privileged" ? [] : podsOf(object).flatMap((pod) => evaluatePod(pod, level));
}

function evaluatePod(pod: Pod, { level, minor }: PodSecurityLevel): Violation[] {
  const { place } = pod;
  const containers = containersOf(pod);
  const found = new Map<string, Violation>();
  for (const check of level === "baseline" ? BASELINE : restrictedChecks(minor)) {
    for (const violation of check(pod, containers, minor)) {
      const known = `${violation.field} ${violation.must}`;
      if (found.has(known) || (place?.isWhole === false && !isSet(violation.value))) continue;
      found.set(known, place === undefined ? violation : { ...violation, at: place.at });
    }
  }
  return [...found.values()];
}

function restrictedChecks(minor: number): Check[] {
  return [...BASELINE, ...RESTRICTED.flatMap(([check, since]) => (minor < since ? [] : [check]))];
}
