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
    ["net.ipv4.ip_unprivileged_port_start", sysctl("net.ipv4.ip_unprivileged_port_start"), 0],
    ["net.ipv4.ip_local_reserved_ports", sysctl("net.ipv4.ip_local_reserved_ports"), 27],
    ["net.ipv4.tcp_keepalive_time", sysctl("net.ipv4.tcp_keepalive_time"), 29],
    ["net.ipv4.tcp_wmem", sysctl("net.ipv4.tcp_wmem"), 32],
    ["container_t", type("container_t"), 0],
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
});
