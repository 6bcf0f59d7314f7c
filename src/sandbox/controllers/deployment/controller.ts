import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { matchesSelector, selectsAll } from "../../labelSelectors.ts";
import {
  claim,
  type Context,
  type Controller,
  controllerOf,
  type Deployment,
  DEPLOYMENTS,
  type DeploymentStatus,
  isAlreadyExists,
  isControlledBy,
  isFinished,
  isNamespaceTerminating,
  isNotFound,
  isTerminating,
  owningName,
  owningNames,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  type Result,
  sameValue,
  textOf,
  uidOf,
  type WorkloadCondition,
} from "../shared/index.ts";
import { desiredReplicas, progressDeadline, sizeOf, total } from "./limits.ts";
import {
  expired,
  newReplicaSet,
  REVISION,
  type Revisions,
  revisionsOf,
  sameTemplate,
  withRevision,
  withSize,
} from "./revisions.ts";
import { isScaled, proportionalStep, rollingStep, roomForCurrent, type Scaling } from "./rollout.ts";
import {
  condition,
  conditionOf,
  deploymentStatus,
  isComplete,
  rolloutStatus,
  untilDeadline,
  withCondition,
  withPause,
} from "./status.ts";

/** State of one reconcile of a Deployment. */
interface Pass extends Revisions {
  deployment: Deployment;
  conditions: readonly WorkloadCondition[];
}

/** Rolls out Deployments by creating and scaling ReplicaSets. */
export class DeploymentController implements Controller {
  readonly name = "deployment-controller";
  readonly resources = [DEPLOYMENTS, REPLICA_SETS, PODS];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === DEPLOYMENTS.plural) {
      if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
    } else if (plural === REPLICA_SETS.plural) {
      for (const owner of owningNames([object, old], "Deployment")) this.#context.enqueue(this.name, namespace, owner);
      if (type !== "DELETED" && controllerOf(object) === undefined) this.#offer(object);
    } else if (type === "DELETED" || isFinished(object as Pod)) {
      this.#podGone(object);
    }
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client, clock } = this.#context;
    const deployment = client.get(DEPLOYMENTS, namespace, name) as Deployment | undefined;
    if (deployment === undefined) return undefined;
    if (selectsAll(deployment.spec.selector)) return this.#refuse(deployment);

    const replicaSets = await claim<ReplicaSet>(this.#context, deployment, REPLICA_SETS, deployment.spec.selector);
    const known = deployment.status?.conditions ?? [];
    const pass: Pass = { deployment, conditions: known, ...revisionsOf(deployment, replicaSets) };
    if (isTerminating(deployment)) return this.#write(pass, this.#scaledStatus(pass));

    pass.conditions = withPause(deployment, known, clock.now());
    await this.#syncRevision(pass);
    if (deployment.spec.paused === true) {
      await this.#scale(pass, proportionalStep(deployment, pass.current, pass.old));
      await this.#clean(pass);
      return this.#write(pass, this.#scaledStatus(pass));
    }
    if (isScaled(deployment, replicaSets)) {
      await this.#scale(pass, proportionalStep(deployment, pass.current, pass.old));
      return this.#write(pass, this.#scaledStatus(pass));
    }
    const isMoving =
      deployment.spec.strategy?.type === "Recreate" ? await this.#recreate(pass) : await this.#rollOn(pass);
    if (!isMoving && isComplete(deployment, deployment.status ?? {})) await this.#clean(pass);
    return this.#write(pass, rolloutStatus(deployment, pass.current, pass.old, pass.conditions, clock.now()));
  }

  /** True when a ReplicaSet was created or scaled. */
  async #rollOn(pass: Pass): Promise<boolean> {
    const current = pass.current ?? (await this.#create(pass));
    if (current === undefined) return true;
    return this.#scale(pass, rollingStep(pass.deployment, current, pass.old));
  }

  /** Recreate: scales old ReplicaSets to zero, waits for their pods, then creates new ones. True while in progress. */
  async #recreate(pass: Pass): Promise<boolean> {
    const shrunk = pass.old.filter((set) => sizeOf(set) > 0).map((replicaSet) => ({ replicaSet, replicas: 0 }));
    if (await this.#scale(pass, shrunk)) return true;
    if (this.#hasOldPods(pass)) return true;
    const current = pass.current ?? (await this.#create(pass));
    if (current === undefined) return true;
    const replicas = desiredReplicas(pass.deployment);
    return this.#scale(pass, sizeOf(current) === replicas ? [] : [{ replicaSet: current, replicas }]);
  }

  #hasOldPods({ old }: Pass): boolean {
    if (total(old, ({ status }) => status?.replicas ?? 0) > 0) return true;
    return old.some((set) => this.#context.graph.controlled<Pod>(set, PODS).some((pod) => !isFinished(pod)));
  }

  /** Copies the revision and the Deployment's annotations to the current ReplicaSet. */
  async #syncRevision(pass: Pass): Promise<void> {
    const { deployment, current, next } = pass;
    if (current === undefined) return;
    const marked = withRevision(deployment, current, next);
    if (marked !== current) pass.current = (await this.#context.client.update(REPLICA_SETS, marked)) as ReplicaSet;
    if (progressDeadline(deployment) === undefined || conditionOf(pass.conditions, "Progressing") !== undefined) return;
    const message = `Found new replica set "${current.metadata.name}"`;
    const now = this.#context.clock.now();
    pass.conditions = withCondition(
      pass.conditions,
      condition("Progressing", "True", "FoundNewReplicaSet", message, now),
    );
  }

  /** Undefined when another template has the same hash; the next reconcile uses another hash. */
  async #create(pass: Pass): Promise<ReplicaSet | undefined> {
    const { deployment, old, next } = pass;
    const { client, clock, events } = this.#context;
    const wanted = newReplicaSet(deployment, roomForCurrent(deployment, 0, old), next);
    const { name, namespace } = wanted.metadata;
    try {
      pass.current = (await client.create(REPLICA_SETS, wanted)) as ReplicaSet;
    } catch (error) {
      if (isAlreadyExists(error)) return this.#collide(pass, wanted);
      if (isNamespaceTerminating(error)) throw error;
      const message = `Failed to create new replica set "${name}": ${textOf(error)}`;
      events.record(this.name, deployment, "Warning", "ReplicaSetCreateError", message);
      if (progressDeadline(deployment) !== undefined) {
        const failed = condition("Progressing", "False", "ReplicaSetCreateError", message, clock.now());
        const conditions = withCondition(pass.conditions, failed);
        await client.update(DEPLOYMENTS, { ...deployment, status: { ...deployment.status, conditions } }, "status");
      }
      throw error;
    }
    if (sizeOf(wanted) > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${sizeOf(wanted)}`;
      events.record(this.name, deployment, "Normal", "ScalingReplicaSet", message);
    }
    if (progressDeadline(deployment) !== undefined) {
      const message = `Created new replica set "${name}"`;
      const created = condition("Progressing", "True", "NewReplicaSetCreated", message, clock.now());
      pass.conditions = withCondition(pass.conditions, created);
    }
    return client.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  }

  async #collide({ deployment }: Pass, wanted: ReplicaSet): Promise<ReplicaSet | undefined> {
    const { client } = this.#context;
    const there = client.get(REPLICA_SETS, wanted.metadata.namespace, wanted.metadata.name) as ReplicaSet | undefined;
    if (there === undefined) return undefined;
    const isMine = isControlledBy(there, deployment) && sameTemplate(there.spec.template, deployment.spec.template);
    if (isMine) return there;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await client.update(DEPLOYMENTS, { ...deployment, status: { ...deployment.status, collisionCount } }, "status");
    return undefined;
  }

  /** True when the size of a ReplicaSet changed; some only get new annotations. */
  async #scale(pass: Pass, steps: readonly Scaling[]): Promise<boolean> {
    let isChanged = false;
    for (const { replicaSet, replicas } of steps) {
      const before = sizeOf(replicaSet);
      const wanted = withSize(replicaSet, replicas, pass.deployment);
      if (wanted === replicaSet) continue;
      const updated = (await this.#context.client.update(REPLICA_SETS, wanted)) as ReplicaSet;
      const replace = (set: ReplicaSet) => (uidOf(set) === uidOf(updated) ? updated : set);
      pass.old = pass.old.map(replace);
      if (pass.current !== undefined) pass.current = replace(pass.current);
      if (before === replicas) continue;
      isChanged = true;
      const direction = before < replicas ? "up" : "down";
      const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${before} to ${replicas}`;
      this.#context.events.record(this.name, pass.deployment, "Normal", "ScalingReplicaSet", message);
    }
    return isChanged;
  }

  async #clean({ deployment, old }: Pass): Promise<void> {
    for (const set of expired(deployment, old)) {
      const { namespace, name } = set.metadata;
      try {
        await this.#context.client.delete(REPLICA_SETS, namespace, name, { preconditions: { uid: uidOf(set) } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #scaledStatus({ deployment, current, old, conditions }: Pass): DeploymentStatus {
    return deploymentStatus(deployment, current, old, conditions, this.#context.clock.now());
  }

  /** Writes status and revision if changed, and asks to be called again when the progress deadline passes. */
  async #write({ deployment, current }: Pass, status: DeploymentStatus): Promise<Result> {
    const { client, clock } = this.#context;
    const { annotations } = deployment.metadata;
    const revision = current?.metadata.annotations?.[REVISION] ?? annotations?.[REVISION];
    if (!sameValue(status, deployment.status) || revision !== annotations?.[REVISION]) {
      const marked = revision === undefined ? {} : { annotations: { ...annotations, [REVISION]: revision } };
      const metadata = { ...deployment.metadata, ...marked };
      await client.update(DEPLOYMENTS, { ...deployment, metadata, status }, "status");
    }
    if (isTerminating(deployment) || deployment.spec.paused === true) return undefined;
    const after = untilDeadline(deployment, status, clock.now());
    return after === undefined ? undefined : { after };
  }

  async #refuse(deployment: Deployment): Promise<Result> {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    this.#context.events.record(this.name, deployment, "Warning", "SelectingAll", message);
    const observedGeneration = deployment.metadata.generation ?? 0;
    if ((deployment.status?.observedGeneration ?? 0) < observedGeneration) {
      const status = { ...deployment.status, observedGeneration };
      await this.#context.client.update(DEPLOYMENTS, { ...deployment, status }, "status");
    }
    return undefined;
  }

  #offer(replicaSet: KubeObject): void {
    for (const deployment of this.#context.client.list(DEPLOYMENTS, {
      namespace: replicaSet.metadata.namespace ?? "",
    })) {
      const { selector } = (deployment as Deployment).spec;
      if (selectsAll(selector) || !matchesSelector(selector, replicaSet.metadata.labels)) continue;
      this.#context.enqueue(this.name, deployment.metadata.namespace, deployment.metadata.name);
    }
  }

  /** A Deployment of type Recreate waits until its last old pod is gone. */
  #podGone(pod: KubeObject): void {
    const { client } = this.#context;
    const set = owningName(pod, "ReplicaSet");
    if (set === undefined) return;
    const { namespace } = pod.metadata;
    const replicaSet = client.get(REPLICA_SETS, namespace, set);
    const owner = replicaSet === undefined ? undefined : owningName(replicaSet, "Deployment");
    const deployment = owner === undefined ? undefined : (client.get(DEPLOYMENTS, namespace, owner) as Deployment);
    if (deployment?.spec.strategy?.type === "Recreate") this.#context.enqueue(this.name, namespace, owner ?? "");
  }
}
