import { defined, type KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { matchesSelector } from "../../labelSelectors.ts";
import {
  claim,
  type Context,
  type Controller,
  createPod,
  deletePod,
  failureOf,
  inDeletionOrder,
  isNotFound,
  isStale,
  isTerminating,
  JOBS,
  owningName,
  owningNames,
  phaseOf,
  type Pod,
  podFromTemplate,
  PODS,
  type PodTemplate,
  type Result,
  sameValue,
  uidOf,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";
import {
  type Account,
  accountOf,
  endedAt,
  endOf,
  INDEX_ANNOTATION,
  indexOf,
  isIndexed,
  isSuspended,
  isTracked,
  type Job,
  type JobCondition,
  jobCondition,
  type JobStatus,
  newCondition,
  TRACKING,
} from "./account.ts";

export interface JobOptions {
  /** Milliseconds until a failed pod is replaced; doubles with each failure, up to ten minutes. */
  backOffMs: number;
}

const LONGEST_BACK_OFF_MS = 600_000;
const BURST = 500;

/** Runs pods to completion. */
export class JobController implements Controller {
  readonly name = "job-controller";
  readonly resources = [JOBS, PODS];
  readonly #context: Context;
  readonly #options: JobOptions;

  constructor(context: Context, options: JobOptions) {
    this.#context = context;
    this.#options = options;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === JOBS.plural) {
      if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
      return;
    }
    for (const owner of owningNames([object, old], "Job")) this.#context.enqueue(this.name, namespace, owner);
    // The finalizer must not keep a pod whose Job is gone.
    if (type !== "DELETED" && isTerminating(object) && isTracked(object)) {
      this.#context.enqueue(this.name, namespace, `pod|${name}`);
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock, graph } = this.#context;
    if (name.startsWith("pod|")) return this.#release(namespace, name.slice(4));
    const job = client.get(JOBS, namespace, name) as Job | undefined;
    if (job === undefined || (job.spec.managedBy ?? OURS) !== OURS) return undefined;
    const end = endOf(job);
    if (end !== undefined) return this.#expire(job, end);

    const { selector } = job.spec;
    await claim<Pod>(this.#context, job, PODS, selector ?? {});
    const pods = () =>
      graph.controlled<Pod>(job, PODS).filter(({ metadata }) => matchesSelector(selector, metadata.labels));
    const now = clock.now();
    const before = accountOf(job, pods(), ending(job) !== undefined);
    const target = ending(job) ?? this.#verdict(job, pods(), before);
    let wait: number | undefined;
    const failure = await failureOf(async () => {
      if (isTerminating(job)) return;
      if (target !== undefined) await this.#deleteAll(job, before.active);
      else wait = await this.#manage(job, pods(), before);
    });
    const account = accountOf(job, pods(), target !== undefined);
    const status = this.#status(job, account, target);
    if (!sameValue(status, job.status)) await client.update(JOBS, { ...job, status }, "status");
    for (const pod of account.released) await this.#removeFinalizer(pod);
    this.#announce(job, status);
    if (failure !== undefined) throw failure;
    const deadline = deadlineOf(job, status);
    const waits = [wait, deadline === undefined ? undefined : Math.max(0, deadline - now)].filter(
      (ms) => ms !== undefined,
    );
    return waits.length === 0 || target !== undefined ? undefined : { after: Math.min(...waits) };
  }

  /** The condition with which the Job has to end now; undefined if it goes on. */
  #verdict(job: Job, pods: readonly Pod[], { failed, succeeded, active }: Account): JobCondition | undefined {
    const now = this.#context.clock.now();
    const { backoffLimit = 6, completions, template } = job.spec;
    const restarts = pods
      .filter((pod) => ["Running", "Pending"].includes(phaseOf(pod)))
      .flatMap(({ status }) => status?.containerStatuses ?? [])
      .reduce((sum, { restartCount }) => sum + restartCount, 0);
    const isWornOut = template.spec.restartPolicy === "OnFailure" && restarts > 0 && restarts >= backoffLimit;
    if (failed > backoffLimit || isWornOut) {
      return newCondition("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit", now);
    }
    const deadline = deadlineOf(job, job.status ?? {});
    if (deadline !== undefined && deadline <= now) {
      return newCondition("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline", now);
    }
    const isComplete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
    if (!isComplete) return undefined;
    return newCondition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods", now);
  }

  /** Creates and deletes pods. Returns the milliseconds to wait before creating more. */
  async #manage(job: Job, pods: readonly Pod[], account: Account): Promise<number | undefined> {
    const { active, succeeded } = account;
    const { completions, parallelism = 1, podReplacementPolicy } = job.spec;
    if (isSuspended(job)) {
      await this.#deleteAll(job, active);
      return undefined;
    }
    const open = completions === undefined ? (succeeded > 0 ? active.length : parallelism) : completions - succeeded;
    const wanted = Math.max(0, Math.min(open, parallelism));
    const now = this.#context.clock.now();
    if (active.length > wanted) {
      await this.#deleteAll(job, inDeletionOrder(active, [], now).slice(0, active.length - wanted));
      return undefined;
    }
    const leaving = podReplacementPolicy === "Failed" ? account.terminating : 0;
    const missing = Math.min(wanted - active.length - leaving, BURST);
    if (missing <= 0) return undefined;
    const wait = this.#backOff(pods, now);
    if (wait > 0) return wait;
    const indexes = isIndexed(job)
      ? freeIndexes(job, account, missing)
      : Array.from({ length: missing }, () => undefined);
    for (const index of indexes) await createPod(this.#context, this.name, job, podOf(job, index));
    return undefined;
  }

  /** Remaining milliseconds of the backoff after the failures since the last success. */
  #backOff(pods: readonly Pod[], now: number): number {
    const lastSuccess = Math.max(0, ...pods.filter((pod) => phaseOf(pod) === "Succeeded").map(endedAt));
    const failures = pods
      .filter((pod) => phaseOf(pod) === "Failed")
      .map(endedAt)
      .filter((time) => time >= lastSuccess);
    if (failures.length === 0) return 0;
    const pause = Math.min(this.#options.backOffMs * 2 ** (failures.length - 1), LONGEST_BACK_OFF_MS);
    return Math.max(0, Math.max(...failures) + pause - now);
  }

  #status(job: Job, account: Account, target: JobCondition | undefined): JobStatus {
    const now = this.#context.clock.now();
    const { active, ready, terminating } = account;
    const known = job.status ?? {};
    const { active: _active, ...rest } = account.status;
    const { startTime: known_, ...unstarted } = rest;
    const startTime = isSuspended(job) ? undefined : (known_ ?? timestamp(now));
    const status: JobStatus = {
      ...unstarted,
      ...defined({ startTime }),
      ...(active.length === 0 ? {} : { active: active.length }),
      ready,
      terminating,
    };
    let conditions = withSuspension(job, known.conditions ?? [], now);
    if (target !== undefined && jobCondition({ conditions }, target.type) === undefined)
      conditions = [...conditions, target];
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    const isOver =
      target !== undefined && active.length === 0 && terminating === 0 && succeeded.length + failed.length === 0;
    if (!isOver) return conditions.length === 0 ? status : { ...status, conditions };
    const isSuccess = target.type === "SuccessCriteriaMet";
    const end = newCondition(isSuccess ? "Complete" : "Failed", target.reason, target.message, now);
    return {
      ...status,
      conditions: [...conditions, end],
      ...(isSuccess ? { completionTime: end.lastTransitionTime } : {}),
    };
  }

  #announce(job: Job, status: JobStatus): void {
    const { events } = this.#context;
    const isNew = (type: string) =>
      jobCondition(status, type) !== undefined && jobCondition(job.status, type) === undefined;
    const failed = jobCondition(status, "Failed");
    if (isNew("Complete")) events.record(this.name, job, "Normal", "Completed", "Job completed");
    if (isNew("Failed") && failed !== undefined)
      events.record(this.name, job, "Warning", failed.reason, failed.message);
    if (isNew("Suspended")) events.record(this.name, job, "Normal", "Suspended", "Job suspended");
    if (jobCondition(job.status, "Suspended") !== undefined && jobCondition(status, "Suspended") === undefined) {
      events.record(this.name, job, "Normal", "Resumed", "Job resumed");
    }
  }

  /** Deletes a finished Job when ttlSecondsAfterFinished has passed. */
  async #expire(job: Job, end: JobCondition): Promise<Result> {
    const { client, clock, graph } = this.#context;
    for (const pod of graph.controlled<Pod>(job, PODS)) if (isTracked(pod)) await this.#removeFinalizer(pod);
    const { ttlSecondsAfterFinished: seconds } = job.spec;
    if (seconds === undefined || isTerminating(job)) return undefined;
    const left = Date.parse(end.lastTransitionTime) + seconds * 1000 - clock.now();
    if (left > 0) return { after: left };
    const { namespace, name } = job.metadata;
    const options = { propagationPolicy: "Foreground", preconditions: { uid: uidOf(job) } } as const;
    try {
      await client.delete(JOBS, namespace, name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }

  async #deleteAll(job: Job, pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) await deletePod(this.#context, this.name, job, pod);
  }

  async #release(namespace: string | undefined, name: string): Promise<Result> {
    const { client } = this.#context;
    const pod = client.get(PODS, namespace, name) as Pod | undefined;
    if (pod === undefined || !isTracked(pod)) return undefined;
    const owner = owningName(pod, "Job");
    const job = owner === undefined ? undefined : client.get(JOBS, namespace, owner);
    const isOrphan = job === undefined || !pod.metadata.ownerReferences?.some(({ uid }) => uid === uidOf(job));
    if (isOrphan) await this.#removeFinalizer(pod);
    return undefined;
  }

  async #removeFinalizer(pod: Pod): Promise<void> {
    const { client } = this.#context;
    const { namespace, name } = pod.metadata;
    const latest = client.get(PODS, namespace, name);
    if (latest === undefined || uidOf(latest) !== uidOf(pod)) return;
    const { resourceVersion = "", finalizers = [] } = latest.metadata;
    const others = finalizers.filter((kept) => kept !== TRACKING);
    try {
      await client.patch(PODS, namespace, name, { metadata: { resourceVersion, finalizers: others } });
    } catch (error) {
      if (!isStale(error)) throw error;
      this.#context.enqueue(this.name, namespace, owningName(pod, "Job") ?? `pod|${name}`);
    }
  }
}

const OURS = "kubernetes.io/job-controller";

/** The decision to end the Job, while some pods may still be running. */
function ending({ status }: Job): JobCondition | undefined {
  return jobCondition(status, "FailureTarget") ?? jobCondition(status, "SuccessCriteriaMet");
}

function deadlineOf(job: Job, { startTime }: JobStatus): number | undefined {
  const seconds = job.spec.activeDeadlineSeconds;
  if (seconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Date.parse(startTime) + seconds * 1000;
}

function withSuspension(job: Job, conditions: readonly JobCondition[], now: number): readonly JobCondition[] {
  const known = conditions.find(({ type }) => type === "Suspended");
  const wanted = isSuspended(job) ? "True" : "False";
  if (known === undefined && wanted === "False") return conditions;
  if (known?.status === wanted) return conditions;
  const condition = isSuspended(job)
    ? newCondition("Suspended", "JobSuspended", "Job suspended", now)
    : newCondition("Suspended", "JobResumed", "Job resumed", now, "False");
  return known === undefined ? [...conditions, condition] : conditions.map((one) => (one === known ? condition : one));
}

function freeIndexes(job: Job, { active, indexes }: Account, count: number): number[] {
  const taken = new Set([...indexes, ...active.map(indexOf)]);
  const all = Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index);
  return all.filter((index) => !taken.has(index)).slice(0, count);
}

function podOf(job: Job, index: number | undefined): Pod {
  const { template } = job.spec;
  const metadata = { ...template.metadata, finalizers: [...(template.metadata?.finalizers ?? []), TRACKING] };
  if (index === undefined) return podFromTemplate(job, { ...template, metadata });
  const text = String(index);
  const env = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_ANNOTATION}']` } },
  };
  const withIndex: PodTemplate = {
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [INDEX_ANNOTATION]: text },
      annotations: { ...metadata.annotations, [INDEX_ANNOTATION]: text },
    },
    spec: {
      ...template.spec,
      hostname: `${job.metadata.name}-${text}`,
      containers: template.spec.containers.map((container) => ({
        ...container,
        env: [...(container.env ?? []), ...((container.env ?? []).some(({ name }) => name === env.name) ? [] : [env])],
      })),
    },
  };
  const pod = podFromTemplate(job, withIndex);
  return { ...pod, metadata: { ...pod.metadata, generateName: `${job.metadata.name}-${text}-` } };
}
