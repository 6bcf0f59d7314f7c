import type { KubeObject, OverrideRule, PatchOperation } from "../../src/apis/index.ts";
import { demoApplication } from "../builders/index.ts";

/** What somebody tries who may write applications and policies in one namespace of the hub, to become more than that on a member. */

export interface Attempt {
  what: string;
  /** More of the application's spec. */
  spec?: object;
  /** Of a policy that selects the application. */
  rule?: OverrideRule;
  reason: "PodSecurity" | "NotAllowed";
  /** In the message of the entry. */
  says: string;
}

const inPods = (path: string, value: unknown): OverrideRule => ({
  patches: [{ op: "add", path: `/spec/template/spec/${path}`, value, kind: "Deployment" } as PatchOperation],
});
const onDeployment = (path: string, value: unknown): OverrideRule => ({
  patches: [{ op: "add", path, value, kind: "Deployment" } as PatchOperation],
});
const inContainer = (securityContext: object): OverrideRule => inPods("containers/0/securityContext", securityContext);
const policy = (
  what: string,
  rule: OverrideRule,
  says: string,
  reason: Attempt["reason"] = "PodSecurity",
): Attempt => ({
  what,
  rule,
  reason,
  says,
});

export const ATTEMPTS: readonly Attempt[] = [
  policy("processes of the node", inPods("hostPID", true), "spec.hostPID must not be true"),
  policy("memory of the node", inPods("hostIPC", true), "spec.hostIPC must not be true"),
  policy("network of the node", inPods("hostNetwork", true), "spec.hostNetwork must not be true"),
  policy("files of the node", inPods("volumes", [{ name: "n", hostPath: { path: "/" } }]), "spec.volumes[n].hostPath"),
  policy("a privileged container", inContainer({ privileged: true }), "securityContext.privileged must not be true"),
  policy(
    "a privileged init container",
    inPods("initContainers", [{ name: "i", image: "i", securityContext: { privileged: true } }]),
    "spec.initContainers[i].securityContext.privileged",
  ),
  policy("a capability", inContainer({ capabilities: { add: ["SYS_ADMIN"] } }), "must not name SYS_ADMIN"),
  policy("raw sockets", inContainer({ capabilities: { add: ["NET_RAW"] } }), "must not name NET_RAW"),
  policy(
    "a port of the node",
    inPods("containers/0/ports", [{ containerPort: 80, hostPort: 10250 }]),
    "ports.hostPort must not be 10250 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace team)",
    "NotAllowed",
  ),
  policy("no seccomp", inPods("securityContext", { seccompProfile: { type: "Unconfined" } }), "seccompProfile.type"),
  policy("no AppArmor", inContainer({ appArmorProfile: { type: "Unconfined" } }), "appArmorProfile.type"),
  policy(
    "no AppArmor, by annotation",
    onDeployment("/spec/template/metadata/annotations", {
      "container.apparmor.security.beta.kubernetes.io/web": "unconfined",
    }),
    "metadata.annotations[container.apparmor",
  ),
  policy("a type of SELinux", inContainer({ seLinuxOptions: { type: "spc_t" } }), "seLinuxOptions.type"),
  policy(
    "a sysctl of the node",
    inPods("securityContext", { sysctls: [{ name: "kernel.msgmax", value: "1" }] }),
    "must not name kernel.msgmax",
  ),
  policy("all of /proc", inContainer({ procMount: "Unmasked" }), "procMount must be Default"),
  policy(
    "a call of the kubelet",
    inPods("containers/0/lifecycle", { postStart: { httpGet: { host: "169.254.169.254", port: 80 } } }),
    "lifecycle.postStart.httpGet.host",
  ),
  policy(
    "an account of the member",
    inPods("serviceAccountName", "admin"),
    "spec.serviceAccountName must not be admin (not in the annotation federation.paas.cmft.com/allowed-service-accounts",
    "NotAllowed",
  ),
  policy("the same, as of old", inPods("serviceAccount", "admin"), "spec.serviceAccount must", "NotAllowed"),
  policy("a node of the control plane", inPods("nodeName", "control-1"), "spec.nodeName must not be", "NotAllowed"),
  {
    what: "a scan of ports",
    spec: { livenessProbe: { tcpSocket: { host: "10.0.0.1", port: 22 } } },
    reason: "PodSecurity",
    says: "livenessProbe.tcpSocket.host must not be set",
  },
  {
    what: "a token of the hub",
    spec: { envFrom: [{ secretRef: { name: "stolen" } }] },
    reason: "NotAllowed",
    says: "Secret stolen holds a token",
  },
];

/** What a policy may not even be stored with: another name, place, kind or owner of the member object. */
export const PROTECTED_PATHS: readonly string[] = [
  "/kind",
  "/metadata/name",
  "/metadata/namespace",
  "/metadata/ownerReferences",
];

/** A policy that patches such a field. */
export function patching(path: string, namespace: string): KubeObject {
  return policyFor("patching", namespace, onDeployment(path, "x"));
}

/** The names of the application and of the policy of an attempt. */
export function nameOf(index: number): string {
  return `attempt-${index}`;
}

/** The policy of an attempt, in that namespace; undefined when the application itself is the attempt. */
export function policyOf({ rule }: Attempt, index: number, namespace: string): KubeObject | undefined {
  return rule === undefined ? undefined : policyFor(nameOf(index), namespace, rule, nameOf(index));
}

export function applicationOf({ spec }: Pick<Attempt, "spec">, index: number, namespace: string): KubeObject {
  const application = demoApplication(nameOf(index)).namespace(namespace).object();
  return { ...application, spec: { ...application.spec, ...spec } };
}

function policyFor(name: string, namespace: string, rule: OverrideRule, selected?: string): KubeObject {
  const applications = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
  const selector = { ...applications, ...(selected === undefined ? {} : { name: selected }) };
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "OverridePolicy",
    metadata: { name, namespace },
    spec: { resourceSelectors: [selector], rules: [rule] },
  };
}
