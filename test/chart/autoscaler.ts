/** What a HorizontalPodAutoscaler of autoscaling/v2 does with one number of a whole object, by the algorithm of the Kubernetes documentation. */
export interface AutoscalerSpec {
  minReplicas: number;
  maxReplicas: number;
  metrics: { object: { target: { value: string } } }[];
  behavior: {
    scaleUp: { stabilizationWindowSeconds: number; policies: { type: string; value: number; periodSeconds: number }[] };
    scaleDown: { stabilizationWindowSeconds: number };
  };
}

/** The controller manager's --horizontal-pod-autoscaler-tolerance. */
const TOLERANCE = 0.1;

export class Autoscaler {
  readonly #spec: AutoscalerSpec;
  readonly #recommended: { time: number; replicas: number }[] = [];
  readonly #added: { time: number; replicas: number }[] = [];
  #replicas: number;

  constructor(spec: AutoscalerSpec) {
    this.#spec = spec;
    this.#replicas = spec.minReplicas;
  }

  /** One round of its loop: how many replicas there are from now on. Without a number nothing changes. */
  step(time: number, value: number | undefined): number {
    if (value === undefined) return this.#replicas;
    this.#recommended.push({ time, replicas: this.#recommendation(value) });
    const { scaleUp, scaleDown } = this.#spec.behavior;
    const lowest = Math.min(...this.#within(time, scaleUp.stabilizationWindowSeconds));
    const highest = Math.max(...this.#within(time, scaleDown.stabilizationWindowSeconds));
    if (lowest > this.#replicas) this.#add(time, Math.min(lowest, this.#mostAt(time)));
    else if (highest < this.#replicas) this.#replicas = highest;
    return this.#replicas;
  }

  #recommendation(value: number): number {
    const { minReplicas, maxReplicas, metrics } = this.#spec;
    const ratio = value / Number(metrics[0]?.object.target.value);
    const wanted = Math.abs(ratio - 1) <= TOLERANCE ? this.#replicas : Math.ceil(this.#replicas * ratio);
    return Math.min(Math.max(wanted, minReplicas), maxReplicas);
  }

  /** Recommendations of the window; before there are any, that of the present number of replicas. */
  #within(time: number, seconds: number): number[] {
    const begun = this.#recommended[0]?.time ?? time;
    const before = time - begun < seconds ? [this.#spec.minReplicas] : [];
    return [...before, ...this.#recommended.filter((one) => one.time > time - seconds).map(({ replicas }) => replicas)];
  }

  #mostAt(time: number): number {
    const [policy] = this.#spec.behavior.scaleUp.policies;
    if (policy === undefined) return this.#spec.maxReplicas;
    const recent = this.#added.filter((one) => one.time > time - policy.periodSeconds);
    const before = this.#replicas - recent.reduce((sum, { replicas }) => sum + replicas, 0);
    return before + policy.value;
  }

  #add(time: number, replicas: number): void {
    if (replicas <= this.#replicas) return;
    this.#added.push({ time, replicas: replicas - this.#replicas });
    this.#replicas = replicas;
  }
}
