import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { eventually, type Fault, HANG_UP, type ProxiedRequest } from "../envtest/index.ts";
import type { PrometheusServer } from "./prometheusServer.ts";

/** Alerts, each with label matchers. */
export type Expected = Record<string, string>;

/** What a test breaks, and how it mends that. */
export interface Breakage {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

const FIRES_WITHIN_MS = 60_000;
/** Restarts are counted over a minute. */
const CALM_WITHIN_MS = 90_000;

/** Breaks things while a Prometheus looks on, and remembers which alerts have fired and cleared. */
export class Drill {
  readonly seen = new Set<string>();
  readonly #prometheus: PrometheusServer;

  constructor(prometheus: PrometheusServer) {
    this.#prometheus = prometheus;
  }

  untilCalm(): Promise<void> {
    return eventually(async () => expect(await this.#prometheus.firing()).toEqual([]), {
      timeout: CALM_WITHIN_MS,
      message: "calm",
    });
  }

  /** Breaks something, sees these alerts fire, each with these labels; mends it, and sees all alerts clear. */
  async seeFiring(alerts: Expected, fault: Breakage): Promise<void> {
    await this.untilCalm();
    const began = performance.now();
    try {
      await fault.begin();
      for (const [alert, labels] of Object.entries(alerts)) await this.#untilFiring(alert, labels, began);
    } finally {
      await fault.end();
    }
    await this.untilCalm();
    for (const alert of Object.keys(alerts)) this.seen.add(alert);
  }

  async #untilFiring(alert: string, labels: string, began: number): Promise<void> {
    await eventually(
      async () => {
        // Not longer than the fault has lasted: what fired before does not count.
        const since = `${Math.max(1, Math.floor((performance.now() - began) / 1000))}s`;
        const matchers = [`alertname="${alert}"`, 'alertstate="firing"', labels].filter(Boolean).join();
        expect(await this.#prometheus.query(`last_over_time(ALERTS{${matchers}}[${since}])`)).not.toEqual([]);
      },
      { timeout: FIRES_WITHIN_MS, message: `${alert} fires` },
    );
  }
}

type Matches = (request: ProxiedRequest) => boolean;

export const refusing = (matches: Matches, status: number, headers: Record<string, string> = {}): Fault => {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: status, message: "broken by the test" };
  return (request) => (matches(request) ? { status, body, headers } : undefined);
};

export const hangingUp =
  (matches: Matches): Fault =>
  (request) =>
    matches(request) ? HANG_UP : undefined;

/** The requests arrive, but late. */
export const delaying =
  (matches: Matches, ms: number): Fault =>
  async (request) => {
    if (matches(request)) await sleep(ms);
    return undefined;
  };
