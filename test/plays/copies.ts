import { type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION, type OwnerRef } from "../../src/apis/index.ts";
import { DEPLOYMENTS } from "../../src/runtime/index.ts";
import { JOBS } from "../integration/federation/objects.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";

/** What plays read of workloads on members. */

type Deployment = KubeObject & {
  metadata: { generation?: number };
  spec: { replicas?: number; template: { spec: { containers: { image: string }[] } } };
  status?: Partial<
    Record<"observedGeneration" | "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas", number>
  >;
};

export function imageOf(copy: KubeObject): string {
  return (copy as Deployment).spec.template.spec.containers.map(({ image }) => image).join(", ");
}

/** Every pod is of the present template, and available. */
export function isAvailable(copy: KubeObject): boolean {
  const { metadata, spec, status = {} } = copy as Deployment;
  const { observedGeneration, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const wanted = spec.replicas ?? 1;
  if (observedGeneration !== metadata.generation) return false;
  return replicas === wanted && updatedReplicas === wanted && availableReplicas === wanted;
}

/** A pod of it is available. */
export function serves(copy: KubeObject): boolean {
  return ((copy as Deployment).status?.availableReplicas ?? 0) > 0;
}

export function readiness(workload: KubeObject): string {
  if (workload.kind === "Job") {
    const { succeeded = 0, failed = 0, active = 0 } = (workload["status"] ?? {}) as Record<string, number>;
    return `${active} active, ${succeeded} succeeded, ${failed} failed`;
  }
  const { spec, status = {} } = workload as Deployment;
  const wanted = spec.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0 } = status;
  return `${readyReplicas}/${wanted} ready${updatedReplicas === wanted ? "" : `, ${updatedReplicas} updated`}`;
}

export function workloadsOn(member: TestCluster): KubeObject[] {
  return [DEPLOYMENTS, JOBS].flatMap((type) => member.list(type));
}

export function isMeridians({ metadata }: KubeObject): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] !== undefined;
}

/** The hub object that the copy names. */
export function ownerOf({ metadata }: KubeObject): OwnerRef | undefined {
  const owner = metadata.annotations?.[OWNER_ANNOTATION];
  return owner === undefined ? undefined : (JSON.parse(owner) as OwnerRef);
}

export function isReachable({ faults }: TestCluster): boolean {
  return !faults.crashed && faults.settings.partition === undefined;
}
