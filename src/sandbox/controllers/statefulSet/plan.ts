import { type ControllerRevision, isAvailable, isFinished, isTerminating, type Pod } from "../shared/index.ts";
import { firstOrdinal, ordinalOf, revisionNameOf, type StatefulSet } from "./identity.ts";

export interface Plan {
  set: StatefulSet;
  current: ControllerRevision;
  update: ControllerRevision;
  now: number;
}

export type Step =
  | { kind: "create"; ordinal: number; /** Former template: the ordinal is below the partition. */ isCurrent: boolean }
  | { kind: "delete"; pod: Pod; isScaledAway: boolean }
  /** Check that the pod's claims exist and have the right owners. */
  | { kind: "claims"; pod: Pod };

/**
 * The next steps for the pods of a set:
 * - Create missing pods, lowest ordinal first.
 * - Delete pods beyond `replicas`, highest ordinal first.
 * - Delete pods of an old revision, highest ordinal first.
 *
 * In an ordered set each pod waits until the previous one is available; in a parallel set only updates wait.
 */
export function nextSteps({ set, current, update, now }: Plan, pods: readonly Pod[]): Step[] {
  const { replicas = 1, minReadySeconds = 0, podManagementPolicy, updateStrategy } = set.spec;
  const isOrdered = podManagementPolicy !== "Parallel";
  const first = firstOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod.metadata.name), pod]));
  const available = (pod: Pod) => !isTerminating(pod) && isAvailable(pod, minReadySeconds, now);
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  const steps: Step[] = [];

  for (let ordinal = first; ordinal < first + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const step = fill(pod, ordinal, updateStrategy?.type !== "OnDelete" && ordinal < first + partition);
    if (step !== undefined) steps.push(step);
    const isMissing = pod === undefined || isFinished(pod) || !available(pod);
    if (isOrdered && isMissing) return steps;
  }
  const condemned = pods
    .filter(({ metadata }) => {
      const ordinal = ordinalOf(set, metadata.name) ?? first;
      return ordinal < first || ordinal >= first + replicas;
    })
    .toSorted((a, b) => (ordinalOf(set, b.metadata.name) ?? 0) - (ordinalOf(set, a.metadata.name) ?? 0));
  const firstUnavailable = condemned.findLast((pod) => !available(pod));
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered) return steps;
      continue;
    }
    // The lowest unavailable pod of them may be deleted; the others wait for it.
    if (isOrdered && !available(pod) && pod !== firstUnavailable) return steps;
    steps.push({ kind: "delete", pod, isScaledAway: true });
    if (isOrdered) return steps;
  }
  if (updateStrategy?.type === "OnDelete" || steps.some(({ kind }) => kind !== "claims")) return steps;
  return [...steps, ...updates()];

  function updates(): Step[] {
    for (let ordinal = first + replicas - 1; ordinal >= first + partition; ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) return [];
      const isOld = revisionNameOf(pod) !== update.metadata.name;
      if (isOld && !isTerminating(pod)) return [{ kind: "delete", pod, isScaledAway: false }];
      if (!available(pod)) return [];
    }
    return [];
  }

  function fill(pod: Pod | undefined, ordinal: number, isCurrent: boolean): Step | undefined {
    if (pod === undefined) return { kind: "create", ordinal, isCurrent: isCurrent && current !== update };
    if (isFinished(pod)) return isTerminating(pod) ? undefined : { kind: "delete", pod, isScaledAway: false };
    return set.spec.volumeClaimTemplates === undefined ? undefined : { kind: "claims", pod };
  }
}
