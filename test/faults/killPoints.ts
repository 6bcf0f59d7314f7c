import { expect } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import type { Federation } from "../e2e/federation.ts";
import { objectPath } from "../e2e/objects.ts";
import { eventually } from "../envtest/index.ts";

/** Options of a manager whose Lease another one takes over soon. */
export const QUICK_LEASE = ["--lease-duration", "4s", "--renew-deadline", "3s", "--retry-period", "500ms"];

/** Long enough for a manager to take over on a busy machine, and for the longest clock of these tests. */
export const WAIT_MS = 90_000;

interface Lease extends KubeObject {
  spec: { leaseTransitions?: number };
}

/** Points of one story at which the manager is killed. */
export class KillPoints {
  killed = 0;
  readonly #federation: Federation;
  /** How often the Lease had changed hands when the last manager was killed. */
  #transitions = -1;

  constructor(federation: Federation) {
    this.#federation = federation;
  }

  /**
   * Waits until a manager leads and the point is reached, kills the manager there with SIGKILL, and starts another one. A point that is behind
   * already kills the manager as soon as it leads. Returns what `reached` returned.
   */
  async at<T>(point: string, reached: () => Promise<T>): Promise<T> {
    await this.#untilAnotherLeads(point);
    const value = await eventually(reached, { timeout: WAIT_MS, message: point, interval: 20 });
    await this.#federation.manager.kill();
    this.killed += 1;
    await this.#federation.startManager({ waitUntilReady: false });
    return value;
  }

  async #untilAnotherLeads(point: string): Promise<void> {
    const path = objectPath("Lease", DEFAULT_SYSTEM_NAMESPACE, "meridian");
    this.#transitions = await eventually(
      async () => {
        const { leaseTransitions = 0 } = (await this.#federation.api.get<Lease>(path)).spec;
        expect(leaseTransitions).toBeGreaterThan(this.#transitions);
        return leaseTransitions;
      },
      { timeout: WAIT_MS, message: `${point}: a manager that leads`, interval: 20 },
    );
  }
}
