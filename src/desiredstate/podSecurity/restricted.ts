import {
  badSeccompProfiles,
  forbiddenCapabilities,
  hasOwnUsers,
  isGoodSeccomp,
  securityContexts,
  unusualProcMounts,
} from "./baseline.ts";
import { isSet, recordOf, recordsIn } from "./fields.ts";
import type { Container, Pod } from "./pods.ts";
import type { Check, Violation } from "./violation.ts";

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

export const restrictedVolumes: Check = function* ({ spec }) {
  for (const { name, ...source } of recordsIn(spec["volumes"])) {
    const kinds = Object.keys(source).filter((kind) => isSet(source[kind]));
    // A volume that names no source is an emptyDir.
    if (kinds.length === 0 || kinds.some((kind) => VOLUMES.has(kind))) continue;
    const [kind = ""] = kinds;
    yield { field: `spec.volumes[${String(name)}].${kind}`, must: "must not be set", value: source[kind] };
  }
};

export const privilegeEscalation: Check = function* (pod, containers, minor) {
  if (isForWindows(pod, minor)) return;
  for (const { path, security } of containers) {
    const value = security["allowPrivilegeEscalation"];
    if (value !== false)
      yield { field: `spec.${path}.securityContext.allowPrivilegeEscalation`, must: "must be false", value };
  }
};

export const restrictedCapabilities: Check = function* (pod, containers, minor) {
  if (isForWindows(pod, minor)) return;
  for (const { path, security } of containers) {
    const { drop } = recordOf(security["capabilities"]);
    if (!Array.isArray(drop) || !drop.includes("ALL"))
      yield { field: `spec.${path}.securityContext.capabilities.drop`, must: "must name ALL", value: drop };
  }
  yield* forbiddenCapabilities(containers, (capability) => capability === "NET_BIND_SERVICE");
};

export const runAsNonRoot: Check = function* (pod, containers, minor) {
  if (minor >= USER_NAMESPACES_SINCE && hasOwnUsers(pod)) return;
  yield* falseOrMissing(pod, containers);
};

function* falseOrMissing({ spec }: Pod, containers: readonly Container[]): Generator<Violation> {
  const must = "must be true";
  const ofPod = recordOf(spec["securityContext"])["runAsNonRoot"];
  if (isSet(ofPod) && ofPod !== true) yield { field: "spec.securityContext.runAsNonRoot", must, value: ofPod };
  for (const { path, security } of containers) {
    const value = security["runAsNonRoot"];
    if (isSet(value) ? value !== true : ofPod !== true)
      yield { field: `spec.${path}.securityContext.runAsNonRoot`, must, value };
  }
}

export const runAsUser: Check = function* (pod, containers, minor) {
  if (minor >= USER_NAMESPACES_SINCE && hasOwnUsers(pod)) return;
  for (const { path, context } of securityContexts(pod, containers)) {
    const value = context["runAsUser"];
    if (value === 0) yield { field: `${path}.runAsUser`, must: "must not be 0", value };
  }
};

export const restrictedSeccomp: Check = function* (pod, containers, minor) {
  if (isForWindows(pod, minor)) return;
  yield* badSeccompProfiles(pod, containers);
  if (isGoodSeccomp(recordOf(pod.spec["securityContext"])["seccompProfile"])) return;
  for (const { path, security } of containers) {
    const value = security["seccompProfile"];
    if (!isSet(value))
      yield {
        field: `spec.${path}.securityContext.seccompProfile`,
        must: "must be RuntimeDefault or Localhost",
        value,
      };
  }
};

/** Unlike in the baseline profile, the check also covers pods with their own user namespace. */
export const restrictedProcMount: Check = (_pod, containers) => unusualProcMounts(containers);

function isForWindows({ spec }: Pod, minor: number): boolean {
  return minor >= WINDOWS_SINCE && recordOf(spec["os"])["name"] === "windows";
}
