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
  seLinux,
  sysctls,
} from "./baseline.ts";
import type { PodSecurityLevel } from "./level.ts";
import { containersOf, podOf } from "./pods.ts";
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

/** A check, and since which version of the standard it counts. */
interface Versioned {
  check: Check;
  since: number;
}

const always = (check: Check): Versioned => ({ check, since: 0 });

const OF_BOTH = [
  privileged,
  hostNamespaces,
  hostPaths,
  hostPorts,
  hostProcess,
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
 * Everything in the pods of an object that the level does not allow, in the order of the standard; none where the object makes no pods.
 * What an API server that enforces the level refuses, and nothing else.
 */
export function evaluatePodSecurity(object: KubeObject, { level, minor }: PodSecurityLevel): Violation[] {
  const pod = level === "privileged" ? undefined : podOf(object);
  if (pod === undefined) return [];
  const containers = containersOf(pod.spec);
  const found = new Map<string, Violation>();
  for (const { check, since } of level === "baseline" ? BASELINE : RESTRICTED) {
    if (minor < since) continue;
    for (const violation of check(pod, containers, minor)) {
      const known = `${violation.field} ${violation.must}`;
      if (!found.has(known)) found.set(known, violation);
    }
  }
  return [...found.values()];
}
