import { failure } from "../statusError.ts";
import type { SandboxClock } from "../types.ts";
import { skewed } from "./clock.ts";
import { type FaultAction, type FaultEvent, type FaultRequest, type FaultSettings, misuse } from "./settings.ts";

/** The faults of one cluster. */
export class Faults {
  /** The cluster's clock: the given clock with the skew fault. */
  readonly clock: SandboxClock;
  readonly #time: SandboxClock;
  readonly #random: () => number;
  readonly #listeners = new Set<(event: FaultEvent) => void>();
  #settings: Readonly<FaultSettings> = {};
  #crashed = false;

  /** `random` returns [0, 1). Latency waits on `clock`. */
  constructor(options: { clock: SandboxClock; random: () => number }) {
    this.#time = options.clock;
    this.#random = options.random;
    this.clock = skewed(options.clock, () => this.#settings.clockSkewMs ?? 0);
  }

  get settings(): Readonly<FaultSettings> {
    return this.#settings;
  }

  /** True from {@link crash} until {@link recover}. */
  get crashed(): boolean {
    return this.#crashed;
  }

  /** Adds settings; undefined removes a fault. Throws a RangeError for an invalid value. */
  set(settings: { [Fault in keyof FaultSettings]?: FaultSettings[Fault] | undefined }): void {
    const merged = Object.fromEntries(
      Object.entries({ ...this.#settings, ...settings }).filter(([, value]) => value !== undefined),
    ) as FaultSettings;
    const why = misuse(merged);
    if (why !== undefined) throw new RangeError(why);
    this.#change(merged);
  }

  /** Removes every fault, and recovers from a crash. */
  clear(): void {
    this.#change({});
    this.recover();
  }

  /** Ends all open watches, like a server that sheds its connections. */
  cutWatches(): void {
    this.#report({ kind: "CutWatches" });
  }

  /** Forgets the history, so that watches and lists from an old resourceVersion get 410. */
  compact(): void {
    this.#report({ kind: "Compact" });
  }

  /** Stops the server and cuts all connections until {@link recover}. Stored objects stay. */
  crash(): void {
    if (this.#crashed) return;
    this.#crashed = true;
    this.#report({ kind: "Crash" });
  }

  recover(): void {
    if (!this.#crashed) return;
    this.#crashed = false;
    this.#report({ kind: "Recover" });
  }

  onEvent(listener: (event: FaultEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Decides what happens to a request, after waiting for the latency. A partition that begins meanwhile applies too. */
  async onRequest(request: FaultRequest): Promise<FaultAction> {
    const settings = this.#settings;
    const before = this.#cutOff();
    if (before !== undefined) return before;
    if (settings.only !== undefined && !settings.only(request)) return this.#proceed(request);

    // Draws every number even if unused, so that one fault does not change the randomness of another.
    const [delay, throttle, fail] = [this.#random(), this.#random(), this.#random()];
    await this.#wait(latency(settings, delay), request.signal);
    const after = this.#cutOff();
    if (after !== undefined) return after;
    if (throttle < (settings.throttleRate ?? 0)) return tooManyRequests(settings.retryAfterSeconds ?? 1);
    if (fail < (settings.errorRate ?? 0)) return serverError(settings.errorCode ?? 500);
    return this.#proceed(request);
  }

  /** Milliseconds until a started pod is ready, given the normal time; undefined while pods are stuck. */
  podDelay(normalMs: number): number | undefined {
    if (this.#settings.podsStuck === true) return undefined;
    return normalMs + (this.#settings.podDelayMs ?? 0);
  }

  #change(settings: Readonly<FaultSettings>): void {
    const before = this.#settings;
    this.#settings = Object.freeze({ ...settings });
    this.#report({ kind: "Changed", settings: this.#settings, before });
  }

  #report(event: FaultEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #cutOff(): FaultAction | undefined {
    if (this.#crashed) return { kind: "Reset" };
    const { partition } = this.#settings;
    if (partition === undefined) return undefined;
    return { kind: partition === "silent" ? "Silence" : "Reset" };
  }

  #proceed(request: FaultRequest): FaultAction {
    const { watchLifetimeMs } = this.#settings;
    if (request.verb !== "watch" || watchLifetimeMs === undefined) return { kind: "Proceed" };
    return { kind: "Proceed", watchLifetimeMs };
  }

  #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer[Symbol.dispose]();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#time.after(ms, end);
      signal?.addEventListener("abort", end, { once: true });
    });
  }
}

function latency({ latencyMs = 0 }: Readonly<FaultSettings>, chance: number): number {
  if (typeof latencyMs === "number") return latencyMs;
  const [least, most] = latencyMs;
  return least + (most - least) * chance;
}

function tooManyRequests(retryAfterSeconds: number): FaultAction {
  const { status } = failure(
    429,
    "TooManyRequests",
    "The server has received too many requests and has asked us to try again later",
    { retryAfterSeconds },
  );
  return { kind: "Fail", status };
}

const REASONS = {
  500: "InternalError",
  502: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
} as const satisfies Record<NonNullable<FaultSettings["errorCode"]>, string>;

function serverError(code: NonNullable<FaultSettings["errorCode"]>): FaultAction {
  const { status } = failure(code, REASONS[code], `a fault was asked for: the server answers ${code}`, {});
  return { kind: "Fail", status };
}
