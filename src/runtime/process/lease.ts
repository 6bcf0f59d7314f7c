import { defined, type KubeObject, microTimestamp } from "../../apis/index.ts";
import { type Clock, compareResourceVersions } from "../core/index.ts";

/** `spec` of a Lease of coordination.k8s.io/v1. */
interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** Who claims the Lease, on top of which version. */
export interface LeaseClaim {
  identity: string;
  resourceVersion: string | undefined;
  /** Set when the holder changes. */
  transitions?: number;
}

/**
 * What one process has seen of a Lease, and when by its own clock. Times inside the Lease are other machines' and are never compared
 * with anything.
 */
export class LeaseRecord {
  readonly #clock: Clock;
  readonly #defaultDurationMs: number;
  #seen: { spec: LeaseSpec; resourceVersion: string; at: number } | undefined;
  #trusted = false;

  constructor(clock: Clock, defaultDurationMs: number) {
    this.#clock = clock;
    this.#defaultDurationMs = defaultDurationMs;
  }

  /** Empty when the Lease was given back; undefined when none was seen. */
  get holder(): string | undefined {
    return this.#seen === undefined ? undefined : (this.#seen.spec.holderIdentity ?? "");
  }

  get resourceVersion(): string | undefined {
    return this.#seen?.resourceVersion;
  }

  get transitions(): number {
    return this.#seen?.spec.leaseTransitions ?? 0;
  }

  /** Takes what an answer or a watch showed. Every new version counts as a sign of life, from now on. */
  observe(lease: KubeObject): void {
    const resourceVersion = lease.metadata.resourceVersion ?? "";
    if (this.#seen !== undefined) {
      if (this.#seen.resourceVersion === resourceVersion) {
        this.#trusted = true;
        return;
      }
      // An answer that was overtaken by the watch, unless all that was seen is in doubt.
      if (this.#trusted && compareResourceVersions(resourceVersion, this.#seen.resourceVersion) < 0) return;
    }
    this.#trusted = true;
    this.#seen = { spec: (lease["spec"] ?? {}) as LeaseSpec, resourceVersion, at: this.#clock.monotonic() };
  }

  /** The next observation counts whatever its version. */
  distrust(): void {
    this.#trusted = false;
  }

  /**
   * Milliseconds until `identity` may take the Lease; 0 or less when it is free, its own, or was not renewed in time. An
   * absent Lease that was seen before is free only when its last holder has had its time.
   */
  freeInMs(identity: string): number {
    if (this.#seen === undefined) return 0;
    const { spec, at } = this.#seen;
    if (spec.holderIdentity === undefined || spec.holderIdentity === "" || spec.holderIdentity === identity) return 0;
    const durationMs =
      spec.leaseDurationSeconds === undefined ? this.#defaultDurationMs : spec.leaseDurationSeconds * 1_000;
    return at + durationMs - this.#clock.monotonic();
  }

  /** `exists`: the Lease is there to be patched; otherwise it is created. */
  acquiredBy(identity: string, exists: boolean): LeaseClaim {
    if (!exists)
      return { identity, resourceVersion: undefined, transitions: this.#seen === undefined ? 0 : this.transitions + 1 };
    if (this.#seen === undefined) throw new Error("a Lease that exists was not observed");
    if (this.#seen.spec.holderIdentity === identity) return this.renewedBy(identity);
    return { identity, resourceVersion: this.#seen.resourceVersion, transitions: this.transitions + 1 };
  }

  renewedBy(identity: string): LeaseClaim {
    return { identity, resourceVersion: this.#seen?.resourceVersion };
  }
}

/** The wall time to write as renewTime: never the same twice, or a renewal would change nothing and nobody would see it. */
export function renewTimeAfter(now: number, before: number | undefined): number {
  return before === now ? now + 1 : now;
}

/** The body of a creation or of a merge patch that claims the Lease. */
export function leaseBody(
  namespace: string,
  name: string,
  claim: LeaseClaim,
  durationMs: number,
  renewTime: number,
): KubeObject {
  const time = microTimestamp(renewTime);
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      namespace,
      name,
      ...defined({ resourceVersion: claim.resourceVersion }),
    },
    spec: {
      holderIdentity: claim.identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1_000),
      renewTime: time,
      ...(claim.transitions === undefined ? {} : { acquireTime: time, leaseTransitions: claim.transitions }),
    } satisfies LeaseSpec,
  };
}

/** The body of a merge patch that gives the Lease back. */
export function releasedBody(resourceVersion: string | undefined, now: number): unknown {
  return {
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    spec: { holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTimestamp(now) } satisfies LeaseSpec,
  };
}
