import type { KubeObject } from "../../src/apis/index.ts";
import { type Clock, DEPLOYMENTS, type ResourceType } from "../../src/runtime/index.ts";
import { JOBS } from "../integration/federation/objects.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";

/** Until pods are ready, and until a Job has succeeded. */
const POD_MS = 1_000;
/** Images of which no pod gets ready. */
const BROKEN = /broken/;

type Deployment = KubeObject & {
  metadata: { generation: number };
  spec: { replicas?: number; template: { spec: { containers: { image: string }[] } } };
  status?: { observedGeneration?: number; readyReplicas?: number };
};

/**
 * Stands in for the workload controllers of a member: pods are ready a second after a change, all at once, without a
 * single object for a pod. Pods of a broken image, or while pods are stuck, never get ready, and leave the pods of the
 * template before them running, as a rolling update does.
 */
export class Workloads {
  readonly #cluster: TestCluster;
  readonly #clock: Clock;
  /** Templates whose pods are ready, by UID of the Deployment. */
  readonly #ready = new Map<string, string>();
  readonly #seen = new Map<string, number>();

  constructor(cluster: TestCluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Asked whenever the cluster has changed. */
  notice(): void {
    for (const deployment of this.#cluster.list(DEPLOYMENTS)) this.#noticeDeployment(deployment as Deployment);
    for (const job of this.#cluster.list(JOBS)) this.#noticeJob(job);
  }

  /** Pods that were stuck get ready. */
  recheck(): void {
    this.#seen.clear();
    this.notice();
  }

  /** A pod of the Deployment is lost, and none comes in its place while pods are stuck. */
  losePod(name: string): void {
    const { metadata, status } = this.#cluster.get(DEPLOYMENTS, "default", name) as Deployment;
    const left = Math.max((status?.readyReplicas ?? 1) - 1, 0);
    this.#write(DEPLOYMENTS, { metadata } as KubeObject, { ...status, readyReplicas: left, availableReplicas: left });
    if (this.#cluster.faults.settings.podsStuck !== true) this.#clock.after(POD_MS, () => this.recheck());
  }

  #noticeDeployment(deployment: Deployment): void {
    const { metadata, spec, status = {} } = deployment;
    const { uid = "", generation, deletionTimestamp } = metadata;
    if (this.#seen.get(uid) === generation || deletionTimestamp !== undefined) return;
    this.#seen.set(uid, generation);
    const template = JSON.stringify(spec.template);
    const wanted = spec.replicas ?? 1;
    const ready = Math.min(status.readyReplicas ?? 0, wanted);
    const updated = this.#ready.get(uid) === template ? ready : 0;
    this.#write(DEPLOYMENTS, deployment, statusOf(generation, wanted, updated, ready));
    if (this.#isBroken(spec)) return;
    this.#clock.after(POD_MS, () => {
      const now = this.#cluster.find(DEPLOYMENTS, metadata.namespace, metadata.name) as Deployment | undefined;
      if (now?.metadata.uid !== uid || now.metadata.generation !== generation || this.#isBroken(spec)) return;
      this.#ready.set(uid, template);
      this.#write(DEPLOYMENTS, now, statusOf(generation, wanted, wanted, wanted));
    });
  }

  #noticeJob(job: KubeObject): void {
    const { uid = "" } = job.metadata;
    if (this.#seen.has(uid)) return;
    this.#seen.set(uid, 1);
    const startTime = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    this.#write(JOBS, job, { active: 1, startTime });
    if (this.#isBroken((job as Deployment).spec)) return;
    this.#clock.after(POD_MS, () => {
      const now = this.#cluster.find(JOBS, job.metadata.namespace, job.metadata.name);
      if (now?.metadata.uid !== uid) return;
      const time = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
      const condition = (type: string): object => ({
        type,
        status: "True",
        lastTransitionTime: time,
        lastProbeTime: time,
      });
      this.#write(JOBS, now, {
        active: null,
        succeeded: 1,
        completionTime: time,
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      });
    });
  }

  #isBroken(spec: Deployment["spec"]): boolean {
    const images = spec.template.spec.containers.map(({ image }) => image);
    return this.#cluster.faults.settings.podsStuck === true || images.some((image) => BROKEN.test(image));
  }

  #write(type: ResourceType, { metadata }: KubeObject, status: object): void {
    void this.#cluster.merge(type, metadata.namespace, metadata.name, { status } as never, "status");
  }
}

function statusOf(observedGeneration: number, wanted: number, updated: number, ready: number): object {
  return {
    observedGeneration,
    replicas: updated === wanted ? wanted : Math.max(wanted, ready),
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
  };
}
