import {
  badProfiles,
  forbiddenCapabilities,
  hasOwnUsers,
  isGoodProfile,
  ofContainers,
  securityContexts,
  unusualProcMounts,
} from "./baseline.ts";
import { isSet, recordOf, recordsIn } from "./fields.ts";
import type { Pod } from "./pods.ts";
import type { Check } from "./violation.ts";

/** Checks of the restricted profile beyond the baseline: hardening practice for pods. */

/** Since Kubernetes 1.25 a pod for Windows need not set fields that only Linux knows. */
const WINDOWS_SINCE = 25;
const USER_NAMESPACES_SINCE = 35;

const VOLUMES = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

const restrictedVolumes: Check = function* ({ spec }) {
  for (const { name, ...source } of recordsIn(spec["volumes"])) {
    const kinds = Object.keys(source).filter((kind) => isSet(source[kind]));
    // A volume that names no source is an emptyDir.
    if (kinds.length === 0 || kinds.some((kind) => VOLUMES.has(kind))) continue;
    const [kind = ""] = kinds;
    yield { field: `spec.volumes[${String(name)}].${kind}`, must: "must not be set", value: source[kind] };
  }
};

const escalation = ofContainers("allowPrivilegeEscalation", "must be false", (value) => value !== false);
const privilegeEscalation: Check = (pod, containers, minor) =>
  isForWindows(pod, minor) ? [] : escalation(pod, containers, minor);

const restrictedCapabilities: Check = function* (pod, containers, minor) {
  if (isForWindows(pod, minor)) return;
  for (const { path, security } of containers) {
    const { drop } = recordOf(security["capabilities"]);
    if (!Array.isArray(drop) || !drop.includes("ALL"))
      yield { field: `spec.${path}.securityContext.capabilities.drop`, must: "must name ALL", value: drop };
  }
  yield* forbiddenCapabilities(containers, (capability) => capability === "NET_BIND_SERVICE");
};

const runAsNonRoot: Check = function* (pod, containers, minor) {
  if (minor >= USER_NAMESPACES_SINCE && hasOwnUsers(pod)) return;
  const must = "must be true";
  const ofPod = recordOf(pod.spec["securityContext"])["runAsNonRoot"];
  if (isSet(ofPod) && ofPod !== true) yield { field: "spec.securityContext.runAsNonRoot", must, value: ofPod };
  const isBad = (value: unknown): boolean => (isSet(value) ? value !== true : ofPod !== true);
  yield* ofContainers("runAsNonRoot", must, isBad)(pod, containers, minor);
};

const runAsUser: Check = function* (pod, containers, minor) {
  if (minor >= USER_NAMESPACES_SINCE && hasOwnUsers(pod)) return;
  for (const { path, context } of securityContexts(pod, containers)) {
    const value = context["runAsUser"];
    if (value === 0) yield { field: `${path}.runAsUser`, must: "must not be 0", value };
  }
};

const restrictedSeccomp: Check = function* (pod, containers, minor) {
  if (isForWindows(pod, minor)) return;
  yield* badProfiles("seccompProfile", pod, containers);
  if (isGoodProfile(recordOf(pod.spec["securityContext"])["seccompProfile"])) return;
  const must = "must be RuntimeDefault or Localhost";
  yield* ofContainers("seccompProfile", must, (value) => !isSet(value))(pod, containers, minor);
};

function isForWindows({ spec }: Pod, minor: number): boolean {
  return minor >= WINDOWS_SINCE && recordOf(spec["os"])["name"] === "windows";
}

/** Checks beyond the baseline, with the minor version of the standard since which each counts. */
export const RESTRICTED: readonly [check: Check, since: number][] = [
  [restrictedVolumes, 0],
  [runAsNonRoot, 0],
  [privilegeEscalation, 8],
  [restrictedSeccomp, 19],
  [restrictedCapabilities, 22],
  [runAsUser, 23],
  // Unlike in the baseline profile, also for pods with their own user namespace.
  [unusualProcMounts, 35],
];
