import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import {
  CONFIG_MAPS,
  type Container,
  type Context,
  type Controller,
  isFinished,
  isStale,
  isTerminating,
  NODES,
  type Pod,
  PODS,
  resourceId,
  type Result,
  sameValue,
  SECRETS,
  uidOf,
} from "../shared/index.ts";
import { AddressPool } from "./addresses.ts";
import { type Fate, fateOfImage, isShortLived } from "./fates.ts";
import { isTolerated, type Node } from "./placement.ts";
import { podStatus, type Stage } from "./podStatus.ts";
import { type Missing, missingReferences } from "./references.ts";

export interface KubeletOptions {
  /** Milliseconds from binding to readiness of a pod, plus or minus a quarter. */
  readinessDelayMs: number;
  /** Milliseconds that a pod without restarts works. */
  jobDurationMs: number;
  /** Milliseconds until the first restart of a crashed container; doubles each time, up to 32 times the first. */
  crashBackOffMs: number;
  /** Milliseconds that a deleted pod takes to end. */
  terminationDelayMs: number;
  /** Fate of a container; undefined: the image decides. */
  fate?: (image: string, pod: KubeObject) => Fate | undefined;
  /** The delay of a pod under the current fault; undefined: the pod does not start for now. */
  podDelay?: (normalMs: number) => number | undefined;
}

/** `missing` waits for a ConfigMap or Secret. `creating` without `dueAt` waits for the end of a fault. */
type Step = "creating" | "missing" | "pullError" | "pullBackOff" | "running" | "backOff" | "ending" | "stopped";

/** Progress of a pod on its way to a settled state. Settled pods have no entry. */
interface Progress {
  step: Step;
  /** Time of the next step; undefined if the pod waits for an event instead. */
  dueAt: number | undefined;
  restarts: number;
}

/** The kubelets of all nodes: start bound pods, report their status, and remove deleted pods. */
export class Kubelet implements Controller {
  readonly name = "kubelet";
  readonly resources = [PODS, NODES, CONFIG_MAPS, SECRETS];
  readonly #context: Context;
  readonly #options: KubeletOptions;
  readonly #moving = new Map<string, Progress & { namespace: string | undefined; name: string }>();
  /** Waiting pods by the missing ConfigMap or Secret. */
  readonly #waiting = new Map<string, Map<string, { namespace: string | undefined; name: string }>>();
  readonly #addresses = new AddressPool();

  constructor(context: Context, options: KubeletOptions) {
    this.#context = context;
    this.#options = options;
  }

  observe(resource: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (resource.plural === NODES.plural) {
      const taints = (node: KubeObject | undefined) => (node as Node | undefined)?.spec.taints;
      if (type === "DELETED" || (old !== undefined && !sameValue(taints(object), taints(old)))) this.#visit(name);
      return;
    }
    if (resource.plural !== PODS.plural) {
      const waiting = this.#waiting.get(`${resourceId(resource)}/${namespace}/${name}`);
      if (type !== "DELETED") for (const pod of waiting?.values() ?? []) this.#enqueue(pod);
      return;
    }
    const pod = object as Pod;
    if (type === "ADDED") this.#addresses.take(pod.status?.["podIP"]);
    if (type === "DELETED") this.#forget(uidOf(pod));
    else if (pod.spec.nodeName !== undefined) this.#context.enqueue(this.name, namespace, name);
  }

  /** Rechecks pods that a fault blocks, and retries images that could not be pulled. */
  recheck(): void {
    for (const pod of this.#moving.values()) {
      if (pod.step === "pullBackOff") pod.dueAt = this.#context.clock.now();
      if (pod.step === "creating" || pod.step === "pullBackOff") this.#enqueue(pod);
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock } = this.#context;
    const pod = client.get(PODS, namespace, name) as Pod | undefined;
    if (pod?.spec.nodeName === undefined) return undefined;
    const node = client.get(NODES, undefined, pod.spec.nodeName) as Node | undefined;
    if (isTerminating(pod)) return this.#end(pod);
    if (node === undefined || isEvicted(pod, node)) return this.#evict(pod);
    const uid = uidOf(pod);
    if (isFinished(pod)) {
      this.#forget(uid);
      return undefined;
    }
    let progress: Progress | undefined = this.#moving.get(uid);
    if (progress === undefined) {
      progress = await this.#begin(pod, node);
      if (progress === undefined) return undefined;
    }
    const now = clock.now();
    if (progress.step === "creating" && progress.dueAt === undefined)
      progress = { ...progress, dueAt: this.#startAt(pod) };
    if (progress.step === "missing") progress = { ...progress, dueAt: now };
    this.#remember(pod, progress);
    if (progress.dueAt === undefined) return undefined;
    if (progress.dueAt > now) return { after: progress.dueAt - now };
    const next = await this.#advance(client.get(PODS, namespace, name) as Pod, node, progress);
    if (next === undefined) {
      this.#forget(uid);
      return undefined;
    }
    this.#remember(pod, next);
    return next.dueAt === undefined ? undefined : { after: Math.max(0, next.dueAt - clock.now()) };
  }

  /** The first step of a pod without an entry in `#moving`; undefined for a settled pod. */
  async #begin(pod: Pod, node: Node): Promise<Progress | undefined> {
    const statuses = pod.status?.containerStatuses ?? [];
    const isRunning =
      pod.status?.phase === "Running" &&
      pod.spec.containers.every(({ name, image }) =>
        statuses.some((known) => known.name === name && known.image === image),
      );
    const restarts = Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
    const now = this.#context.clock.now();
    if (isRunning) {
      const isSettled = statuses.every(({ ready }) => ready) && !isShortLived(pod);
      if (isSettled) return undefined;
      const dueAt = isShortLived(pod) ? now + this.#options.jobDurationMs : now;
      return { step: "running", dueAt, restarts };
    }
    const dueAt = this.#startAt(pod);
    // Saves one status write: a pod that starts at once skips ContainerCreating.
    if (dueAt === undefined || dueAt > now) await this.#report(pod, node, restarts, () => CREATING);
    return { step: "creating", dueAt, restarts };
  }

  async #advance(pod: Pod, node: Node, { step, restarts }: Progress): Promise<Progress | undefined> {
    const { clock } = this.#context;
    switch (step) {
      case "creating":
      case "missing": {
        const missing = missingReferences(pod, this.#context.client);
        if (missing.length > 0) return this.#holdUp(pod, node, missing, restarts);
        const broken = pod.spec.containers.filter((container) => this.#fate(pod, container) === "pullFails");
        if (broken.length === 0) return this.#run(pod, node, restarts);
        await this.#reportPull(pod, node, broken, restarts, "ErrImagePull");
        return { step: "pullError", dueAt: clock.now() + this.#delay(pod), restarts };
      }
      case "pullError": {
        const broken = pod.spec.containers.filter((container) => this.#fate(pod, container) === "pullFails");
        await this.#reportPull(pod, node, broken, restarts, "ImagePullBackOff");
        return { step: "pullBackOff", dueAt: undefined, restarts };
      }
      case "pullBackOff": {
        const isBroken = pod.spec.containers.some((container) => this.#fate(pod, container) === "pullFails");
        return isBroken ? { step: "pullBackOff", dueAt: undefined, restarts } : this.#run(pod, node, restarts);
      }
      case "running":
        return this.#leave(pod, node, restarts);
      case "backOff":
        return this.#run(pod, node, restarts + 1);
      case "ending":
      case "stopped":
        return undefined;
    }
  }

  async #run(pod: Pod, node: Node, restarts: number): Promise<Progress | undefined> {
    const { clock } = this.#context;
    const fates = pod.spec.containers.map((container) => this.#fate(pod, container));
    const isNew = pod.status?.phase !== "Running";
    await this.#report(pod, node, restarts, (container) => ({
      kind: "running",
      ready: this.#fate(pod, container) === "runs",
    }));
    if (isNew) {
      for (const { image } of pod.spec.containers) {
        this.#say(
          pod,
          "Normal",
          "Pulled",
          `Container image "${image}" already present on machine and can be accessed by the pod`,
        );
        this.#say(pod, "Normal", "Created", "Container created");
        this.#say(pod, "Normal", "Started", "Container started");
      }
    }
    if (fates.includes("crashes")) return { step: "running", dueAt: clock.now() + this.#delay(pod), restarts };
    if (isShortLived(pod)) return { step: "running", dueAt: clock.now() + this.#options.jobDurationMs, restarts };
    return fates.includes("neverReady") ? { step: "stopped", dueAt: undefined, restarts } : undefined;
  }

  /**
   * The step after `running`: a short-lived pod finishes, a pod with a crashing image crashes. A pod that ran before a
   * restart of the sandbox becomes ready.
   */
  async #leave(pod: Pod, node: Node, restarts: number): Promise<Progress | undefined> {
    const crashes = pod.spec.containers.some((container) => this.#fate(pod, container) === "crashes");
    if (!crashes && !isShortLived(pod)) return this.#run(pod, node, restarts);
    if (!crashes || pod.spec.restartPolicy === "Never") {
      await this.#report(pod, node, restarts, (container) => ({
        kind: "exited",
        code: this.#fate(pod, container) === "crashes" ? 1 : 0,
      }));
      return undefined;
    }
    const count = Math.max(1, restarts);
    const backOff = this.#options.crashBackOffMs * 2 ** Math.min(count - 1, 5);
    const message = (name: string) =>
      `back-off ${seconds(backOff)} restarting failed container=${name} pod=${fullName(pod)}`;
    await this.#report(pod, node, count, (container) =>
      this.#fate(pod, container) === "crashes"
        ? { kind: "backOff", message: message(container.name) }
        : { kind: "running", ready: this.#fate(pod, container) === "runs" },
    );
    for (const container of pod.spec.containers) {
      if (this.#fate(pod, container) !== "crashes") continue;
      const text = `Back-off restarting failed container ${container.name} in pod ${fullName(pod)}`;
      this.#say(pod, "Warning", "BackOff", text);
    }
    return { step: "backOff", dueAt: this.#context.clock.now() + backOff, restarts: count };
  }

  async #holdUp(pod: Pod, node: Node, missing: readonly Missing[], restarts: number): Promise<Progress> {
    const { namespace, name } = pod.metadata;
    for (const { key } of missing) {
      const waiting = this.#waiting.get(key) ?? new Map<string, { namespace: string | undefined; name: string }>();
      waiting.set(uidOf(pod), { namespace, name });
      this.#waiting.set(key, waiting);
    }
    const unmounted = missing.find(({ volume }) => volume !== undefined);
    const isNew = await this.#report(pod, node, restarts, (container) => {
      const own = missing.find((one) => one.container === container.name);
      if (unmounted !== undefined || own === undefined) return CREATING;
      return { kind: "waiting", reason: "CreateContainerConfigError", message: own.message };
    });
    for (const { volume, message } of isNew ? missing : []) {
      if (volume === undefined) this.#say(pod, "Warning", "Failed", `Error: ${message}`);
      else this.#say(pod, "Warning", "FailedMount", `MountVolume.SetUp failed for volume "${volume}" : ${message}`);
    }
    return { step: "missing", dueAt: undefined, restarts };
  }

  async #reportPull(
    pod: Pod,
    node: Node,
    broken: readonly Container[],
    restarts: number,
    reason: string,
  ): Promise<void> {
    const isFirst = reason === "ErrImagePull";
    const text = ({ image }: Container) =>
      isFirst
        ? `failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`
        : `Back-off pulling image "${image}"`;
    await this.#report(pod, node, restarts, (container) =>
      broken.includes(container)
        ? { kind: "waiting", reason, message: text(container) }
        : { kind: "running", ready: this.#fate(pod, container) === "runs" },
    );
    for (const container of broken) {
      if (isFirst) {
        this.#say(pod, "Normal", "Pulling", `Pulling image "${container.image}"`);
        this.#say(pod, "Warning", "Failed", `Failed to pull image "${container.image}": ${text(container)}`);
      } else this.#say(pod, "Normal", "BackOff", text(container));
      this.#say(pod, "Warning", "Failed", `Error: ${reason}`);
    }
  }

  /** Writes the status; false if nothing changed. */
  async #report(pod: Pod, node: Node, restarts: number, stage: (container: Container) => Stage): Promise<boolean> {
    const { client, clock } = this.#context;
    // Several steps may run in a row, and each changes the pod.
    const latest = client.get(PODS, pod.metadata.namespace, pod.metadata.name) as Pod | undefined;
    if (latest === undefined || uidOf(latest) !== uidOf(pod)) return false;
    const isStarted = pod.spec.containers.some((container) => stage(container).kind !== "waiting");
    const known = latest.status?.["podIP"];
    const podIP = typeof known === "string" ? known : isStarted ? this.#addresses.next() : undefined;
    const hostIP = node.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "127.0.0.1";
    const isRestarted = (container: Container) => this.#fate(pod, container) === "crashes";
    const status = podStatus({ pod: latest, hostIP, podIP, now: clock.now(), restarts, isRestarted, stage });
    if (sameValue(status, latest.status)) return false;
    await client.update(PODS, { ...latest, status }, "status");
    return true;
  }

  /** A deleted pod finishes after a delay, then is deleted for good. */
  async #end(pod: Pod): Promise<Result> {
    const uid = uidOf(pod);
    // Only finalizers keep the pod now.
    if (pod.metadata.deletionGracePeriodSeconds === 0) return undefined;
    const { client, clock } = this.#context;
    const now = clock.now();
    const progress = this.#moving.get(uid);
    if (progress?.step !== "ending") {
      for (const { name } of pod.spec.containers) this.#say(pod, "Normal", "Killing", `Stopping container ${name}`);
    }
    const dueAt = progress?.step === "ending" ? (progress.dueAt ?? now) : now + this.#options.terminationDelayMs;
    this.#remember(pod, { step: "ending", dueAt, restarts: 0 });
    if (dueAt > now) return { after: dueAt - now };
    await this.#delete(pod, client);
    return undefined;
  }

  async #evict(pod: Pod): Promise<Result> {
    await this.#delete(pod, this.#context.client);
    return undefined;
  }

  async #delete(pod: Pod, client: Context["client"]): Promise<void> {
    const { namespace, name } = pod.metadata;
    try {
      await client.delete(PODS, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid: uidOf(pod) } });
    } catch (error) {
      if (!isStale(error)) throw error;
    }
  }

  #startAt(pod: Pod): number | undefined {
    const normal = this.#delay(pod);
    const { podDelay = (ms: number) => ms } = this.#options;
    const delay = podDelay(normal);
    return delay === undefined ? undefined : this.#context.clock.now() + delay;
  }

  /**
   * A random-looking delay that depends only on the pod's UID, so that pods of a rollout become ready at different
   * times.
   */
  #delay(pod: Pod): number {
    const { readinessDelayMs } = this.#options;
    let seed = 0;
    for (const character of uidOf(pod)) seed = (seed * 31 + character.charCodeAt(0)) % 1009;
    const probe = Math.max(
      0,
      ...pod.spec.containers.map(({ readinessProbe }) => readinessProbe?.initialDelaySeconds ?? 0),
    );
    return Math.round(readinessDelayMs * (0.75 + seed / 2016)) + probe * 1000;
  }

  #fate(pod: Pod, { image }: Container): Fate {
    return this.#options.fate?.(image, pod) ?? fateOfImage(image);
  }

  #say(pod: Pod, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#context.events.record(this.name, pod, type, reason, message);
  }

  #visit(node: string): void {
    const { client } = this.#context;
    for (const pod of client.list(PODS, { fieldSelector: `spec.nodeName=${node}` })) this.#enqueue(pod.metadata);
  }

  #enqueue({ namespace, name }: { namespace?: string | undefined; name: string }): void {
    this.#context.enqueue(this.name, namespace, name);
  }

  #remember({ metadata }: Pod, progress: Progress): void {
    this.#moving.set(metadata.uid ?? "", { ...progress, namespace: metadata.namespace, name: metadata.name });
  }

  #forget(uid: string): void {
    this.#moving.delete(uid);
    if (this.#waiting.size === 0) return;
    for (const [key, pods] of this.#waiting) if (pods.delete(uid) && pods.size === 0) this.#waiting.delete(key);
  }
}

const CREATING: Stage = { kind: "waiting", reason: "ContainerCreating" };

function isEvicted({ spec }: Pod, node: Node): boolean {
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  return taints.some((taint) => !isTolerated(taint, spec.tolerations ?? []));
}

function fullName({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

/** A duration as Go prints it: `10s`, `2m40s`. */
function seconds(ms: number): string {
  const total = Math.round(ms / 1000);
  return total < 60 ? `${total}s` : `${Math.floor(total / 60)}m${total % 60}s`;
}
