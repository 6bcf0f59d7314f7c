import type { KubeObject } from "../../apis/index.ts";
import {
  appArmor,
  baselineCapabilities,
  baselineSeccomp,
  hostNamespaces,
  hostPaths,
  hostPorts,
  hostProcess,
  privileged,
  probeHosts,
  procMount,
  reaching,
  seLinux,
  sysctls,
} from "./baseline.ts";
import { isSet } from "./fields.ts";
import type { PodSecurityLevel } from "./level.ts";
import { type Container, containersOf, type Pod, podsOf } from "./pods.ts";
import {
  privilegeEscalation,
  restrictedCapabilities,
  restrictedProcMount,
  restrictedSeccomp,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
} from "./restricted.ts";
import type { Check, Violation } from "./violation.ts";

interface Versioned {
  check: Check;
  since: number;
}

const always = (check: Check): Versioned => ({ check, since: 0 });

const OF_BOTH = [
  privileged,
  hostNamespaces,
  hostPaths,
  (_pod: Pod, containers: readonly Container[]) => hostPorts(containers),
  hostProcess,
  reaching,
  probeHosts,
  appArmor,
  seLinux,
  sysctls,
].map(always);

const BASELINE: readonly Versioned[] = [...OF_BOTH, ...[baselineCapabilities, procMount, baselineSeccomp].map(always)];

const RESTRICTED: readonly Versioned[] = [
  ...OF_BOTH,
  { check: baselineCapabilities, since: 0 },
  ...[procMount, baselineSeccomp, restrictedVolumes, runAsNonRoot].map(always),
  { check: privilegeEscalation, since: 8 },
  { check: restrictedSeccomp, since: 19 },
  { check: restrictedCapabilities, since: 22 },
  { check: runAsUser, since: 23 },
  { check: restrictedProcMount, since: 35 },
];

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
  for (const { check, since } of level === "baseline" ? BASELINE : RESTRICTED) {
    if (minor < since) continue;
    for (const violation of check(pod, containers, minor)) {
      const known = `${violation.field} ${violation.must}`;
      if (found.has(known) || (place?.isWhole === false && !isSet(violation.value))) continue;
      found.set(known, place === undefined ? violation : { ...violation, at: place.at });
    }
  }
  return [...found.values()];
}
