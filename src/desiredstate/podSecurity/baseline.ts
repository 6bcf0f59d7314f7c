import { ALLOWED_HOST_PORTS_ANNOTATION } from "../../apis/index.ts";
import { type Fields, isSet, recordOf, recordsIn } from "./fields.ts";
import type { Container, Pod } from "./pods.ts";
import type { Check, Violation } from "./violation.ts";

/** Checks of the baseline profile of the Pod Security Standards, which forbids pods power over their node. */

/** Since Kubernetes 1.35 a pod with its own user namespace (`hostUsers: false`) may run as root inside. */
const USER_NAMESPACES_SINCE = 35;
const PROBE_HOSTS_SINCE = 34;
const SECCOMP_FIELDS_SINCE = 19;

const DEFAULT_CAPABILITIES = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Sysctls that affect only the pod, with the minor version since which they are allowed. */
const SAFE_SYSCTLS: Readonly<Record<string, number>> = {
  "kernel.shm_rmid_forced": 0,
  "net.ipv4.ip_local_port_range": 0,
  "net.ipv4.tcp_syncookies": 0,
  "net.ipv4.ping_group_range": 0,
  "net.ipv4.ip_unprivileged_port_start": 0,
  "net.ipv4.ip_local_reserved_ports": 27,
  "net.ipv4.tcp_keepalive_time": 29,
  "net.ipv4.tcp_fin_timeout": 29,
  "net.ipv4.tcp_keepalive_intvl": 29,
  "net.ipv4.tcp_keepalive_probes": 29,
  "net.ipv4.tcp_rmem": 32,
  "net.ipv4.tcp_wmem": 32,
};

const SELINUX_TYPES: Readonly<Record<string, number>> = {
  container_t: 0,
  container_init_t: 0,
  container_kvm_t: 0,
  container_engine_t: 31,
};

const APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER_ANNOTATION = "container.seccomp.security.alpha.kubernetes.io/";

const hostNamespaces: Check = function* ({ spec }) {
  for (const field of ["hostNetwork", "hostPID", "hostIPC"]) {
    if (isOn(spec[field])) yield { field: `spec.${field}`, must: "must not be true", value: spec[field] };
  }
};

/** A check of one field in the security context of every container. */
export const ofContainers =
  (field: string, must: string, isBad: (value: unknown) => boolean): Check =>
  (_pod, containers) =>
    containers
      .map(({ path, security }) => ({ field: `spec.${path}.securityContext.${field}`, must, value: security[field] }))
      .filter(({ value }) => isBad(value));

const privileged = ofContainers("privileged", "must not be true", isOn);

const hostProcess: Check = function* (pod, containers) {
  for (const { path, context } of securityContexts(pod, containers)) {
    const value = recordOf(context["windowsOptions"])["hostProcess"];
    if (isOn(value)) yield { field: `${path}.windowsOptions.hostProcess`, must: "must not be true", value };
  }
};

const baselineCapabilities: Check = (_pod, containers) =>
  forbiddenCapabilities(containers, (capability) => DEFAULT_CAPABILITIES.has(capability));

export function* forbiddenCapabilities(
  containers: readonly Container[],
  isAllowed: (capability: string) => boolean,
): Generator<Violation> {
  for (const { path, security } of containers) {
    const added = recordOf(security["capabilities"])["add"];
    for (const value of Array.isArray(added) ? (added as unknown[]) : []) {
      if (typeof value === "string" && isAllowed(value)) continue;
      const field = `spec.${path}.securityContext.capabilities.add`;
      yield { field, must: `must not name ${String(value)}`, value };
    }
  }
}

const hostPaths: Check = function* ({ spec }) {
  for (const volume of recordsIn(spec["volumes"])) {
    const value = volume["hostPath"];
    if (isSet(value))
      yield { field: `spec.volumes[${String(volume["name"])}].hostPath`, must: "must not be set", value };
  }
};

const reaching: Check = function* ({ place }) {
  for (const { field, ...rest } of place?.reach ?? []) yield { field: `spec.${field}`, ...rest };
};

export function* hostPorts(containers: readonly Container[]): Generator<Violation> {
  for (const { path, fields } of containers) {
    for (const { hostPort: value } of recordsIn(fields["ports"])) {
      if (!isSet(value) || value === 0) continue;
      const hostPort = typeof value === "number" ? { hostPort: value, grantedBy: ALLOWED_HOST_PORTS_ANNOTATION } : {};
      yield { field: `spec.${path}.ports.hostPort`, must: `must not be ${String(value)}`, value, ...hostPort };
    }
  }
}

const appArmor: Check = function* (pod, containers) {
  yield* badProfiles("appArmorProfile", pod, containers);
  const keys = Object.keys(pod.annotations).filter((key) => key.startsWith(APPARMOR_ANNOTATION));
  yield* badAnnotations(pod, keys, ["", "runtime/default"]);
};

export function* badProfiles(
  name: "appArmorProfile" | "seccompProfile",
  pod: Pod,
  containers: readonly Container[],
): Generator<Violation> {
  for (const { path, context } of securityContexts(pod, containers)) {
    const profile = context[name];
    if (!isSet(profile) || isGoodProfile(profile)) continue;
    const value = recordOf(profile)["type"];
    yield { field: `${path}.${name}.type`, must: "must be RuntimeDefault or Localhost", value };
  }
}

export function isGoodProfile(profile: unknown): boolean {
  const { type } = recordOf(profile);
  return type === "RuntimeDefault" || type === "Localhost";
}

/** Profiles in the annotations that came before the fields. */
function* badAnnotations(
  { annotations }: Pod,
  keys: readonly string[],
  allowed: readonly unknown[],
): Generator<Violation> {
  for (const key of keys) {
    const value = annotations[key];
    if (value === undefined || allowed.includes(value)) continue;
    if (typeof value === "string" && value.startsWith("localhost/")) continue;
    yield { field: `metadata.annotations[${key}]`, must: "must be runtime/default or localhost/…", value };
  }
}

const seLinux: Check = function* (pod, containers, minor) {
  for (const { path, context } of securityContexts(pod, containers)) {
    const options = recordOf(context["seLinuxOptions"]);
    const { type } = options;
    if (isSet(type) && type !== "" && !isKnownSince(SELINUX_TYPES, type, minor))
      yield { field: `${path}.seLinuxOptions.type`, must: "must be one for containers", value: type };
    for (const field of ["user", "role"]) {
      const value = options[field];
      if (isSet(value) && value !== "")
        yield { field: `${path}.seLinuxOptions.${field}`, must: "must not be set", value };
    }
  }
};

export const unusualProcMounts = ofContainers(
  "procMount",
  "must be Default",
  (value) => isSet(value) && value !== "Default",
);

const procMount: Check = (pod, containers, minor) =>
  minor >= USER_NAMESPACES_SINCE && hasOwnUsers(pod) ? [] : unusualProcMounts(pod, containers, minor);

const baselineSeccomp: Check = (pod, containers, minor) => {
  if (minor >= SECCOMP_FIELDS_SINCE) return badProfiles("seccompProfile", pod, containers);
  const keys = containers.map(({ name }) => `${SECCOMP_CONTAINER_ANNOTATION}${name}`);
  return badAnnotations(pod, [SECCOMP_POD_ANNOTATION, ...keys], ["runtime/default", "docker/default"]);
};

const sysctls: Check = function* ({ spec }, _containers, minor) {
  for (const { name: value } of recordsIn(recordOf(spec["securityContext"])["sysctls"])) {
    if (!isKnownSince(SAFE_SYSCTLS, value, minor))
      yield { field: "spec.securityContext.sysctls", must: `must not name ${String(value)}`, value };
  }
};

const HANDLERS = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

/** Whoever names a probe's host could use the kubelet as a port scanner. */
const probeHosts: Check = function* (_pod, containers, minor) {
  if (minor < PROBE_HOSTS_SINCE) return;
  for (const { path, fields } of containers) {
    for (const handler of HANDLERS) {
      const found = handler.reduce<Fields>((parent, field) => recordOf(parent[field]), fields);
      for (const action of ["httpGet", "tcpSocket"]) {
        const value = recordOf(found[action])["host"];
        if (isSet(value) && value !== "")
          yield { field: `spec.${path}.${handler.join(".")}.${action}.host`, must: "must not be set", value };
      }
    }
  }
};

/** True if the pod has its own user namespace, so that its root user has no rights on the node. */
export function hasOwnUsers({ spec }: Pod): boolean {
  return spec["hostUsers"] === false;
}

/** Security contexts of the pod and of its containers, with their paths. */
export function securityContexts({ spec }: Pod, containers: readonly Container[]): { path: string; context: Fields }[] {
  return [
    { path: "spec.securityContext", context: recordOf(spec["securityContext"]) },
    ...containers.map(({ path, security }) => ({ path: `spec.${path}.securityContext`, context: security })),
  ];
}

/** Values that are no booleans count as true, until the API server rejects them. */
function isOn(value: unknown): boolean {
  return isSet(value) && value !== false;
}

function isKnownSince(known: Readonly<Record<string, number>>, name: unknown, minor: number): boolean {
  return typeof name === "string" && Object.hasOwn(known, name) && (known[name] ?? Infinity) <= minor;
}

/** All checks of the profile, in the order of the standard. */
export const BASELINE: readonly Check[] = [
  privileged,
  hostNamespaces,
  hostPaths,
  (_pod, containers) => hostPorts(containers),
  hostProcess,
  reaching,
  probeHosts,
  appArmor,
  seLinux,
  sysctls,
  baselineCapabilities,
  procMount,
  baselineSeccomp,
];
