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

/** Claim on the Lease on the basis of one version. */
export interface LeaseClaim {
  identity: string;
  resourceVersion: string | undefined;
  /** Set when the holder changes. */
  transitions?: number;
}

/** Last seen state of a Lease. Times inside it come from other machines' clocks and are never compared. */
export class LeaseRecord {
  readonly #clock: Clock;
  readonly #defaultDurationMs: number;
  #seen: { spec: LeaseSpec; resourceVersion: string; at: number } | undefined;
  #trusted = false;

  constructor(clock: Clock, defaultDurationMs: number) {
    this.#clock = clock;
    this.#defaultDurationMs = defaultDurationMs;
  }

  /** Empty if the Lease was released; undefined if no Lease was seen. */
  get holder(): string | undefined {
    return this.#seen === undefined ? undefined : (this.#seen.spec.holderIdentity ?? "");
  }

  get resourceVersion(): string | undefined {
    return this.#seen?.resourceVersion;
  }

  get transitions(): number {
    return this.#seen?.spec.leaseTransitions ?? 0;
  }

  /** Time at which the last holder became it, by its own clock; 0 if unknown. Epoch milliseconds. */
  get acquiredAt(): number {
    return Date.parse(this.#seen?.spec.acquireTime ?? "") || 0;
  }

  /** Every new version, from an answer or a watch, is a sign of life at the current local time. */
  observe(lease: KubeObject): void {
    const resourceVersion = lease.metadata.resourceVersion ?? "";
    if (this.#seen !== undefined) {
      if (this.#seen.resourceVersion === resourceVersion) {
        this.#trusted = true;
        return;
      }
      // The watch has overtaken this answer. After a `distrust`, any version counts.
      if (this.#trusted && compareResourceVersions(resourceVersion, this.#seen.resourceVersion) < 0) return;
    }
    this.#trusted = true;
    this.#seen = { spec: (lease["spec"] ?? {}) as LeaseSpec, resourceVersion, at: this.#clock.monotonic() };
  }

  /** Makes the next observation count, whatever its version. */
  distrust(): void {
    this.#trusted = false;
  }

  /** Milliseconds until `identity` may take the Lease. A deleted one stays its last holder's for its duration. */
  freeInMs(identity: string): number {
    if (this.#seen === undefined) return 0;
    const { spec, at } = this.#seen;
    if (spec.holderIdentity === undefined || spec.holderIdentity === "" || spec.holderIdentity === identity) return 0;
    const durationMs =
      spec.leaseDurationSeconds === undefined ? this.#defaultDurationMs : spec.leaseDurationSeconds * 1_000;
    return at + durationMs - this.#clock.monotonic();
  }

  /** `exists`: the Lease exists and is to be patched; otherwise it is created. */
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

/** A renewal with the same time would change nothing, so no other process would see it. */
export function renewTimeAfter(now: number, before: number | undefined): number {
  return before === now ? now + 1 : now;
}

/** Body of a create request or merge patch that claims the Lease. */
export function leaseBody(
  namespace: string,
  name: string,
  claim: LeaseClaim,
  durationMs: number,
  renewTime: number,
  annotations?: Readonly<Record<string, string>>,
): KubeObject {
  const time = microTimestamp(renewTime);
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace, name, ...defined({ resourceVersion: claim.resourceVersion, annotations }) },
    spec: {
      holderIdentity: claim.identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1_000),
      renewTime: time,
      ...(claim.transitions === undefined ? {} : { acquireTime: time, leaseTransitions: claim.transitions }),
    } satisfies LeaseSpec,
  };
}

/** Body of a merge patch that releases the Lease. */
export function releasedBody(resourceVersion: string | undefined, now: number): unknown {
  return {
    metadata: defined({ resourceVersion }),
    spec: { holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTimestamp(now) } satisfies LeaseSpec,
  };
}
