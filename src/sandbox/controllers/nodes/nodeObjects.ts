import type { KubeObject } from "../../../apis/index.ts";
import { timestamp } from "../../timestamp.ts";

/** A node of the sandbox. */
export interface NodeOptions {
  name: string;
  /** Quantities, such as `16` and `64Gi`. */
  cpu: string;
  memory: string;
  /** Maximum number of pods. */
  pods: number;
  labels?: Readonly<Record<string, string>>;
}

/** The Node as its kubelet registers it, without its status. */
export function nodeObject({ name, labels = {} }: NodeOptions): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...labels,
      },
    },
    spec: {},
  };
}

/** `index` determines the address. Sandbox kubelets send no heartbeats, so an idle cluster stays idle. */
export function nodeStatus({ name, cpu, memory, pods }: NodeOptions, index: number, version: string, now: number) {
  const time = timestamp(now);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason,
    message,
  });
  const resources = { cpu, memory, pods: String(pods) };
  return {
    addresses: [
      { type: "InternalIP", address: `172.18.${Math.floor((index + 2) / 256)}.${(index + 2) % 256}` },
      { type: "Hostname", address: name },
    ],
    allocatable: resources,
    capacity: resources,
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "sandbox://1",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: version,
      machineID: "",
      operatingSystem: "linux",
      osImage: "Sandbox",
      systemUUID: "",
    },
  };
}
