/** Pods and the level of the Pod Security Standards that each of them breaks first: for our own check, and for API servers to agree with it. */

type Fields = Record<string, unknown>;

export interface PodCase {
  name: string;
  spec: Fields;
  annotations?: Record<string, string>;
  /** The least strict level that refuses the pod; undefined: none does. */
  refusedAt?: "baseline" | "restricted";
  /** The field that is named at that level. */
  field?: string;
}

const HARDENED: Fields = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
  capabilities: { drop: ["ALL"] },
};

/** A container that every level accepts, but for what is given; undefined takes a field away. */
function container(security: Fields = {}, more: Fields = {}): Fields {
  const context = Object.entries({ ...HARDENED, ...security }).filter(([, value]) => value !== undefined);
  return { name: "web", image: "nginx", securityContext: Object.fromEntries(context), ...more };
}

function pod(more: Fields = {}): Fields {
  return { containers: [container()], ...more };
}

const ofContainer = (security: Fields, more: Fields = {}): Fields => pod({ containers: [container(security, more)] });
const inContext = (securityContext: Fields, containers = [container()]): Fields => pod({ securityContext, containers });
const withVolume = (source: Fields): Fields => pod({ volumes: [{ name: "v", ...source }] });
const WEB = "spec.containers[web]";
const CONTEXT = `${WEB}.securityContext`;

const accepted = (name: string, spec: Fields, annotations?: Record<string, string>): PodCase => ({
  name,
  spec,
  ...(annotations === undefined ? {} : { annotations }),
});
const baseline = (name: string, spec: Fields, field: string, annotations?: Record<string, string>): PodCase => ({
  ...accepted(name, spec, annotations),
  refusedAt: "baseline",
  field,
});
const restricted = (name: string, spec: Fields, field: string): PodCase => ({
  ...accepted(name, spec),
  refusedAt: "restricted",
  field,
});

const PROBED = { httpGet: { port: 80, host: "10.0.0.1" } };
const APPARMOR = "container.apparmor.security.beta.kubernetes.io/web";

export const POD_CASES: readonly PodCase[] = [
  accepted("a hardened pod", pod()),
  accepted("no host namespace, said so", pod({ hostNetwork: false, hostPID: false, hostIPC: false })),
  baseline("hostNetwork", pod({ hostNetwork: true }), "spec.hostNetwork"),
  baseline("hostPID", pod({ hostPID: true }), "spec.hostPID"),
  baseline("hostIPC", pod({ hostIPC: true }), "spec.hostIPC"),

  accepted("not privileged, said so", ofContainer({ privileged: false })),
  baseline(
    "privileged",
    ofContainer({ privileged: true, allowPrivilegeEscalation: undefined }),
    `${CONTEXT}.privileged`,
  ),
  baseline(
    "a privileged init container",
    pod({
      initContainers: [{ ...container({ privileged: true, allowPrivilegeEscalation: undefined }), name: "init" }],
    }),
    "spec.initContainers[init].securityContext.privileged",
  ),
  baseline(
    "a privileged sidecar",
    pod({
      initContainers: [
        {
          ...container({ privileged: true, allowPrivilegeEscalation: undefined }, { restartPolicy: "Always" }),
          name: "side",
        },
      ],
    }),
    "spec.initContainers[side].securityContext.privileged",
  ),
  baseline(
    "the second container",
    pod({
      containers: [container(), { ...container({ privileged: true, allowPrivilegeEscalation: undefined }), name: "b" }],
    }),
    "spec.containers[b].securityContext.privileged",
  ),

  baseline("a hostPath", withVolume({ hostPath: { path: "/" } }), "spec.volumes[v].hostPath"),
  accepted("an emptyDir", withVolume({ emptyDir: {} })),
  accepted("a volume that names no source", withVolume({})),
  accepted("a ConfigMap", withVolume({ configMap: { name: "c" } })),
  accepted("a Secret", withVolume({ secret: { secretName: "s" } })),
  accepted("projected", withVolume({ projected: { sources: [{ configMap: { name: "c" } }] } })),
  accepted(
    "a token of its own account",
    withVolume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }),
  ),
  accepted("a claim", withVolume({ persistentVolumeClaim: { claimName: "p" } })),
  accepted("an inline CSI volume", withVolume({ csi: { driver: "d.test" } })),
  accepted("the downward API", withVolume({ downwardAPI: {} })),
  accepted(
    "an ephemeral volume",
    withVolume({
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    }),
  ),
  restricted("NFS", withVolume({ nfs: { server: "a", path: "/b" } }), "spec.volumes[v].nfs"),
  restricted(
    "iSCSI",
    withVolume({ iscsi: { targetPortal: "a", iqn: "iqn.2001-04.com.e:s", lun: 0 } }),
    "spec.volumes[v].iscsi",
  ),
  restricted("git", withVolume({ gitRepo: { repository: "r" } }), "spec.volumes[v].gitRepo"),
  restricted(
    "a disk of AWS",
    withVolume({ awsElasticBlockStore: { volumeID: "i" } }),
    "spec.volumes[v].awsElasticBlockStore",
  ),

  accepted("a port of the container", ofContainer({}, { ports: [{ containerPort: 80 }] })),
  accepted("no port of the node, said so", ofContainer({}, { ports: [{ containerPort: 80, hostPort: 0 }] })),
  baseline(
    "a port of the node",
    ofContainer({}, { ports: [{ containerPort: 80, hostPort: 8080 }] }),
    `${WEB}.ports.hostPort`,
  ),

  baseline(
    "a capability of the system",
    ofContainer({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } }),
    `${CONTEXT}.capabilities.add`,
  ),
  baseline(
    "raw sockets",
    ofContainer({ capabilities: { drop: ["ALL"], add: ["NET_RAW"] } }),
    `${CONTEXT}.capabilities.add`,
  ),
  restricted(
    "a default capability",
    ofContainer({ capabilities: { drop: ["ALL"], add: ["CHOWN"] } }),
    `${CONTEXT}.capabilities.add`,
  ),
  accepted("low ports", ofContainer({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } })),
  restricted(
    "capabilities that are not dropped",
    ofContainer({ capabilities: undefined }),
    `${CONTEXT}.capabilities.drop`,
  ),
  restricted(
    "one capability dropped",
    ofContainer({ capabilities: { drop: ["NET_RAW"] } }),
    `${CONTEXT}.capabilities.drop`,
  ),

  baseline(
    "a process of the Windows host",
    pod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }),
    "spec.hostNetwork",
  ),

  baseline(
    "AppArmor switched off",
    ofContainer({ appArmorProfile: { type: "Unconfined" } }),
    `${CONTEXT}.appArmorProfile.type`,
  ),
  baseline(
    "AppArmor switched off for the pod",
    inContext({ appArmorProfile: { type: "Unconfined" } }),
    "spec.securityContext.appArmorProfile.type",
  ),
  accepted("AppArmor of the runtime", ofContainer({ appArmorProfile: { type: "RuntimeDefault" } })),
  baseline("AppArmor switched off by annotation", pod(), `metadata.annotations[${APPARMOR}]`, {
    [APPARMOR]: "unconfined",
  }),
  accepted("AppArmor of the runtime by annotation", pod(), { [APPARMOR]: "runtime/default" }),

  baseline(
    "an SELinux type",
    inContext({ seLinuxOptions: { type: "spc_t" } }),
    "spec.securityContext.seLinuxOptions.type",
  ),
  accepted("an SELinux type for containers", inContext({ seLinuxOptions: { type: "container_engine_t" } })),
  baseline("an SELinux user", ofContainer({ seLinuxOptions: { user: "u" } }), `${CONTEXT}.seLinuxOptions.user`),
  baseline("an SELinux role", ofContainer({ seLinuxOptions: { role: "r" } }), `${CONTEXT}.seLinuxOptions.role`),
  accepted("an SELinux level", ofContainer({ seLinuxOptions: { level: "s0:c1,c2" } })),

  baseline(
    "all of /proc",
    pod({ hostUsers: true, containers: [container({ procMount: "Unmasked" })] }),
    `${CONTEXT}.procMount`,
  ),
  restricted(
    "all of /proc in users of its own",
    pod({ hostUsers: false, containers: [container({ procMount: "Unmasked" })] }),
    `${CONTEXT}.procMount`,
  ),
  accepted("the usual /proc", ofContainer({ procMount: "Default" })),

  baseline(
    "seccomp switched off",
    ofContainer({ seccompProfile: { type: "Unconfined" } }),
    `${CONTEXT}.seccompProfile.type`,
  ),
  baseline(
    "seccomp switched off for the pod",
    inContext({ seccompProfile: { type: "Unconfined" } }),
    "spec.securityContext.seccompProfile.type",
  ),
  accepted(
    "a seccomp profile of the node",
    ofContainer({ seccompProfile: { type: "Localhost", localhostProfile: "p.json" } }),
  ),
  restricted("seccomp not said", ofContainer({ seccompProfile: undefined }), `${CONTEXT}.seccompProfile`),
  accepted(
    "seccomp said for the pod",
    inContext({ seccompProfile: { type: "RuntimeDefault" } }, [container({ seccompProfile: undefined })]),
  ),

  baseline(
    "an unsafe sysctl",
    inContext({ sysctls: [{ name: "kernel.msgmax", value: "65536" }] }),
    "spec.securityContext.sysctls",
  ),
  accepted("a safe sysctl", inContext({ sysctls: [{ name: "net.ipv4.tcp_rmem", value: "1 2 3" }] })),

  baseline("a probe of another host", ofContainer({}, { livenessProbe: PROBED }), `${WEB}.livenessProbe.httpGet.host`),
  baseline(
    "a readiness probe of another host",
    ofContainer({}, { readinessProbe: { tcpSocket: { port: 1, host: "a" } } }),
    `${WEB}.readinessProbe.tcpSocket.host`,
  ),
  baseline(
    "a startup probe of another host",
    ofContainer({}, { startupProbe: PROBED }),
    `${WEB}.startupProbe.httpGet.host`,
  ),
  baseline(
    "a hook that calls another host",
    ofContainer({}, { lifecycle: { preStop: PROBED } }),
    `${WEB}.lifecycle.preStop.httpGet.host`,
  ),
  baseline(
    "a first hook that calls another host",
    ofContainer({}, { lifecycle: { postStart: PROBED } }),
    `${WEB}.lifecycle.postStart.httpGet.host`,
  ),
  accepted("a probe of itself", ofContainer({}, { livenessProbe: { httpGet: { port: 80 } } })),

  restricted(
    "more privileges than its parent",
    ofContainer({ allowPrivilegeEscalation: true }),
    `${CONTEXT}.allowPrivilegeEscalation`,
  ),
  restricted(
    "privileges not said",
    ofContainer({ allowPrivilegeEscalation: undefined }),
    `${CONTEXT}.allowPrivilegeEscalation`,
  ),
  restricted("root, not excluded", ofContainer({ runAsNonRoot: undefined }), `${CONTEXT}.runAsNonRoot`),
  restricted("root, allowed", ofContainer({ runAsNonRoot: false }), `${CONTEXT}.runAsNonRoot`),
  restricted("root, allowed for the pod", inContext({ runAsNonRoot: false }), "spec.securityContext.runAsNonRoot"),
  accepted("root excluded for the pod", inContext({ runAsNonRoot: true }, [container({ runAsNonRoot: undefined })])),
  restricted("user 0", ofContainer({ runAsUser: 0 }), `${CONTEXT}.runAsUser`),
  restricted("user 0 for the pod", inContext({ runAsUser: 0 }), "spec.securityContext.runAsUser"),
  accepted("another user", ofContainer({ runAsUser: 1000 })),
  accepted(
    "root in users of its own",
    pod({ hostUsers: false, containers: [container({ runAsNonRoot: undefined, runAsUser: 0 })] }),
  ),
];
