import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { evaluatePodSecurity } from "./evaluate.ts";

/** Names and values of the profile baseline, and what a refusal says. */

function refusals(spec: object, annotations: object = {}, minor = Infinity): string[] {
  const pod: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", annotations: { ...annotations } },
    spec,
  };
  return evaluatePodSecurity(pod, { level: "baseline", minor }).map(({ field, must }) => `${field} ${must}`);
}
const container = (fields: object) => ({ containers: [{ name: "web", ...fields }] });
const secured = (securityContext: object) => container({ securityContext });

describe("a refusal says which field must be what", () => {
  test.each<[spec: object, want: string]>([
    [{ hostNetwork: true }, "spec.hostNetwork must not be true"],
    [{ hostPID: true }, "spec.hostPID must not be true"],
    [{ hostIPC: "yes" }, "spec.hostIPC must not be true"],
    [secured({ privileged: true }), "spec.containers[web].securityContext.privileged must not be true"],
    [
      { securityContext: { windowsOptions: { hostProcess: true } } },
      "spec.securityContext.windowsOptions.hostProcess must not be true",
    ],
    [
      secured({ capabilities: { add: ["NET_ADMIN"] } }),
      "spec.containers[web].securityContext.capabilities.add must not name NET_ADMIN",
    ],
    [{ volumes: [{ name: "node", hostPath: { path: "/" } }] }, "spec.volumes[node].hostPath must not be set"],
    [container({ ports: [{ hostPort: 80 }] }), "spec.containers[web].ports.hostPort must not be 80"],
    [
      secured({ appArmorProfile: { type: "Unconfined" } }),
      "spec.containers[web].securityContext.appArmorProfile.type must be RuntimeDefault or Localhost",
    ],
    [
      { securityContext: { seLinuxOptions: { type: "spc_t" } } },
      "spec.securityContext.seLinuxOptions.type must be one for containers",
    ],
    [
      secured({ seLinuxOptions: { user: "root" } }),
      "spec.containers[web].securityContext.seLinuxOptions.user must not be set",
    ],
    [
      secured({ seLinuxOptions: { role: "admin" } }),
      "spec.containers[web].securityContext.seLinuxOptions.role must not be set",
    ],
    [secured({ procMount: "Unmasked" }), "spec.containers[web].securityContext.procMount must be Default"],
    [
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      "spec.securityContext.seccompProfile.type must be RuntimeDefault or Localhost",
    ],
    [
      { securityContext: { sysctls: [{ name: "kernel.msgmax" }] } },
      "spec.securityContext.sysctls must not name kernel.msgmax",
    ],
    ...["livenessProbe", "readinessProbe", "startupProbe"].flatMap((probe): [object, string][] =>
      ["httpGet", "tcpSocket"].map((action) => [
        container({ [probe]: { [action]: { host: "10.0.0.1" } } }),
        `spec.containers[web].${probe}.${action}.host must not be set`,
      ]),
    ),
    ...["postStart", "preStop"].map((hook): [object, string] => [
      container({ lifecycle: { [hook]: { httpGet: { host: "10.0.0.1" } } } }),
      `spec.containers[web].lifecycle.${hook}.httpGet.host must not be set`,
    ]),
  ])("%j", (spec, want) => expect(refusals(spec)).toEqual([want]));

  test.each(["initContainers", "ephemeralContainers"])("of %s as of other containers", (field) =>
    expect(refusals({ [field]: [{ name: "tool", securityContext: { privileged: true } }] })).toEqual([
      `spec.${field}[tool].securityContext.privileged must not be true`,
    ]),
  );
});

describe("allowed are", () => {
  test.each<[what: string, spec: object]>([
    ["what is switched off", { hostNetwork: false, hostPID: null, ...secured({ privileged: false }) }],
    ["a port that is not one of the node", container({ ports: [{ containerPort: 80, hostPort: 0 }] })],
    ["a volume of another sort", { volumes: [{ name: "own", emptyDir: {}, hostPath: null }] }],
    [
      "the profiles of the node",
      secured({ appArmorProfile: { type: "Localhost" }, seccompProfile: { type: "Localhost" } }),
    ],
    [
      "the profiles of the runtime",
      secured({ appArmorProfile: { type: "RuntimeDefault" }, seccompProfile: { type: "RuntimeDefault" } }),
    ],
    ["options of SELinux that are empty", secured({ seLinuxOptions: { type: "", user: "", role: "" } })],
    ["the usual /proc", secured({ procMount: "Default" })],
    ["a probe of the pod itself", container({ livenessProbe: { httpGet: { port: 80, host: "" } } })],
  ])("%s", (_what, spec) => expect(refusals(spec)).toEqual([]));

  test("the capabilities that a container has anyway", () => {
    const add = [
      ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
      ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
    ];
    expect(refusals(secured({ capabilities: { add } }))).toEqual([]);
  });
});

describe("names that were added in a version of the standard", () => {
  const sysctl = (name: string) => ({ securityContext: { sysctls: [{ name }] } });
  const type = (name: string) => secured({ seLinuxOptions: { type: name } });

  test.each<[name: string, spec: object, since: number]>([
    ["kernel.shm_rmid_forced", sysctl("kernel.shm_rmid_forced"), 0],
    ["net.ipv4.ip_local_port_range", sysctl("net.ipv4.ip_local_port_range"), 0],
    ["net.ipv4.tcp_syncookies", sysctl("net.ipv4.tcp_syncookies"), 0],
    ["net.ipv4.ping_group_range", sysctl("net.ipv4.ping_group_range"), 0],
    ["net.ipv4.ip_unprivileged_port_start", sysctl("net.ipv4.ip_unprivileged_port_start"), 0],
    ["net.ipv4.ip_local_reserved_ports", sysctl("net.ipv4.ip_local_reserved_ports"), 27],
    ["net.ipv4.tcp_keepalive_time", sysctl("net.ipv4.tcp_keepalive_time"), 29],
    ["net.ipv4.tcp_fin_timeout", sysctl("net.ipv4.tcp_fin_timeout"), 29],
    ["net.ipv4.tcp_keepalive_intvl", sysctl("net.ipv4.tcp_keepalive_intvl"), 29],
    ["net.ipv4.tcp_keepalive_probes", sysctl("net.ipv4.tcp_keepalive_probes"), 29],
    ["net.ipv4.tcp_rmem", sysctl("net.ipv4.tcp_rmem"), 32],
    ["net.ipv4.tcp_wmem", sysctl("net.ipv4.tcp_wmem"), 32],
    ["container_t", type("container_t"), 0],
    ["container_init_t", type("container_init_t"), 0],
    ["container_kvm_t", type("container_kvm_t"), 0],
    ["container_engine_t", type("container_engine_t"), 31],
  ])("%s", (_name, spec, since) => {
    expect(refusals(spec, {}, since)).toEqual([]);
    expect(refusals(spec)).toEqual([]);
    if (since > 0) expect(refusals(spec, {}, since - 1)).toHaveLength(1);
  });

  test("are names, whatever else stands there", () => {
    for (const name of ["toString", 5, null])
      expect(refusals({ securityContext: { sysctls: [{ name }] } })).toHaveLength(1);
  });
});

describe("annotations", () => {
  const APPARMOR = "container.apparmor.security.beta.kubernetes.io/web";
  const SECCOMP = ["seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/web"];

  test.each(["", "runtime/default", "localhost/web"])("allow the AppArmor profile %j", (value) =>
    expect(refusals({}, { [APPARMOR]: value })).toEqual([]),
  );
  test.each(["unconfined", "my-localhost/web", 5])("refuse the AppArmor profile %j", (value) =>
    expect(refusals({}, { [APPARMOR]: value })).toEqual([
      `metadata.annotations[${APPARMOR}] must be runtime/default or localhost/…`,
    ]),
  );

  test.each(SECCOMP)("say the seccomp profile where fields did not: %s", (key) => {
    const web = container({});
    for (const value of ["runtime/default", "docker/default", "localhost/web"])
      expect(refusals(web, { [key]: value }, 18), value).toEqual([]);
    for (const value of ["unconfined", "my-localhost/web", 5])
      expect(refusals(web, { [key]: value }, 18)).toEqual([
        `metadata.annotations[${key}] must be runtime/default or localhost/…`,
      ]);
    expect(refusals(web, { [key]: "unconfined" }, 19)).toEqual([]);
  });

  test("of other containers and tools say nothing", () =>
    expect(
      refusals(container({}), { "container.seccomp.security.alpha.kubernetes.io/gone": "unconfined", a: "b" }, 18),
    ).toEqual([]));
});
