import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../apis/index.ts";
import type { ControlPlane } from "./controlPlane.ts";

/** `crash`: restarts for ever, after it was running. `hang`: the status never changes. */
export type PodFate = "ready" | "pullFails" | "crash" | "hang";

export interface Pod extends KubeObject {
  spec: { nodeName?: string; containers: { name: string; image: string }[] };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { image?: string; ready: boolean }[];
  };
}

export interface KubeletBehaviour {
  /** Default: ready. */
  fate?: (pod: Pod) => PodFate;
  /** Milliseconds from the creation of the pod to its result. Default: 0. */
  delayMs?: number;
}

interface Balanced extends KubeObject {
  spec: { type?: string };
  status?: { loadBalancer?: { ingress?: unknown[] } };
}

/**
 * Plays the kubelets of one cluster by status writes alone. Pods are bound to no node, so the API server deletes them
 * at once. Also plays the cloud: Services of type LoadBalancer get an address.
 */
export class FakeKubelet implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #pods = new Map<string, { pod: Pod; given?: PodFate }>();
  #behaviour: KubeletBehaviour = {};
  #nextAddress = 1;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#done = Promise.all([
      this.#follow<Pod>("/api/v1/pods", (type, pod) => this.#take(type, pod)),
      this.#follow<Balanced>("/api/v1/services", (type, service) => void this.#balance(type, service)),
    ]);
  }

  /** For new and existing pods. `{}`: all become ready. */
  behave(behaviour: KubeletBehaviour): void {
    this.#behaviour = behaviour;
    for (const key of this.#pods.keys()) this.#settle(key);
  }

  failImages(pattern: RegExp): void {
    this.behave({
      fate: (pod) => (pod.spec.containers.some(({ image }) => pattern.test(image)) ? "pullFails" : "ready"),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #follow<T extends KubeObject>(collection: string, take: (type: string, object: T) => void): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const { type, object } of this.#plane.api.watch<T>(collection, signal)) take(type, object);
      } catch {
        // The server is away. The next watch begins with all present objects.
      }
      await sleep(200, undefined, { signal }).catch(() => undefined);
    }
  }

  async #balance(type: string, service: Balanced): Promise<void> {
    if ((type !== "ADDED" && type !== "MODIFIED") || service.spec.type !== "LoadBalancer") return;
    if (service.status?.loadBalancer?.ingress !== undefined) return;
    const { namespace, name } = service.metadata;
    const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };
    try {
      await this.#plane.api.patch(`/api/v1/namespaces/${namespace}/services/${name}/status`, "merge", { status });
    } catch {
      // It is gone, or the server is away: the next watch brings it again.
    }
  }

  #take(type: string, pod: Pod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}/${pod.metadata.uid}`;
    if (type === "DELETED") {
      this.#pods.delete(key);
      return;
    }
    if (type !== "ADDED" && type !== "MODIFIED") return;
    const known = this.#pods.get(key);
    if (known !== undefined) {
      known.pod = pod;
      return;
    }
    this.#pods.set(key, { pod });
    this.#settle(key);
  }

  /** After the delay, unless the pod has its result or is gone. */
  #settle(key: string): void {
    void (async () => {
      const { delayMs = 0 } = this.#behaviour;
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      const known = this.#pods.get(key);
      if (known === undefined || this.#stop.signal.aborted) return;
      const fate = this.#behaviour.fate?.(known.pod) ?? "ready";
      if (fate === "hang" || known.given === fate || isTerminal(known.pod)) return;
      if (known.given === undefined && fate === "ready" && isReady(known.pod)) return;
      known.given = fate;
      const { namespace, name } = known.pod.metadata;
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
      try {
        await this.#plane.api.patch(path, "merge", { status: this.#statusFor(known.pod, fate) });
      } catch {
        // It is gone, or the server is away: the next watch brings it again.
        this.#pods.delete(key);
      }
    })();
  }

  #statusFor(pod: Pod, fate: PodFate): unknown {
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const ready = fate === "ready";
    const address = this.#nextAddress++;
    return {
      phase: fate === "pullFails" ? "Pending" : "Running",
      startTime: now,
      podIP: `10.1.${(address >> 8) & 255}.${address & 255}`,
      podIPs: [{ ip: `10.1.${(address >> 8) & 255}.${address & 255}` }],
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: now },
        { type: "Initialized", status: "True", lastTransitionTime: now },
        ...["ContainersReady", "Ready"].map((type) => ({
          type,
          status: ready ? "True" : "False",
          lastTransitionTime: now,
          ...(ready ? {} : { reason: "ContainersNotReady", message: "containers with unready status" }),
        })),
      ],
      containerStatuses: pod.spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: "",
        ready,
        started: ready,
        restartCount: fate === "crash" ? 3 : 0,
        state: stateFor(fate, image, now),
      })),
    };
  }
}

function stateFor(fate: PodFate, image: string, now: string): unknown {
  if (fate === "pullFails")
    return { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } };
  if (fate === "crash")
    return { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } };
  return { running: { startedAt: now } };
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

function isTerminal(pod: Pod): boolean {
  return (
    pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed" || pod.metadata.deletionTimestamp !== undefined
  );
}
