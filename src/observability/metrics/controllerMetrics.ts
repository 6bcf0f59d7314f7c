import { FAST, type MetricFamilies } from "./metricFamilies.ts";
import type { ControllerMetrics, WorkqueueMetrics } from "../types.ts";

/** Names of controller-runtime and client-go, and the handbook's own count of reconciles. */
export class ReconcileMetrics {
  readonly #families: MetricFamilies;
  readonly #beforeScrape: (hook: () => void) => Disposable;
  readonly #operator;
  readonly #controllers;
  readonly #queues;

  constructor(families: MetricFamilies, beforeScrape: (hook: () => void) => Disposable) {
    this.#families = families;
    this.#beforeScrape = beforeScrape;
    this.#operator = families.counter(
      "operator_reconcile_total",
      "Finished reconciles, by outcome (success, error) and controller.",
      ["type", "name"],
    );
    this.#controllers = this.#controllerFamilies();
    this.#queues = this.#queueFamilies();
  }

  /** A series that begins with its first increase shows no increase, so this one starts at 0. */
  expectFailures(controller: string): void {
    this.#controllers.errors.inc({ controller }, 0);
  }

  /** An error that is not the result of a reconcile. */
  failed(controller: string): void {
    this.#controllers.errors.inc({ controller });
  }

  controller(controller: string): ControllerMetrics {
    const { active: running, errors: failures, total, time: duration, maxConcurrent } = this.#controllers;
    const active = running.labels({ controller });
    const time = duration.labels({ controller });
    const errors = failures.labels({ controller });
    const results = {
      success: total.labels({ controller, result: "success" }),
      error: total.labels({ controller, result: "error" }),
      requeue: total.labels({ controller, result: "requeue" }),
      requeue_after: total.labels({ controller, result: "requeue_after" }),
    };
    const succeeded = this.#operator.labels({ type: "success", name: controller });
    const failed = this.#operator.labels({ type: "error", name: controller });
    for (const counter of [errors, ...Object.values(results), succeeded, failed]) counter.inc(0);
    return {
      maxConcurrent: (workers) => maxConcurrent.set({ controller }, workers),
      started: () => active.inc(),
      finished: (result, ms) => {
        active.dec();
        results[result].inc();
        if (result === "error") {
          errors.inc();
          failed.inc();
        }
        // A reconcile that was given up with the leadership has neither succeeded nor failed.
        else if (result !== "requeue") succeeded.inc();
        time.observe(ms / 1000);
      },
    };
  }

  workqueue(name: string): WorkqueueMetrics {
    const queues = this.#queues;
    const adds = queues.adds.labels({ name });
    const depth = queues.depth.labels({ name });
    const waited = queues.waited.labels({ name });
    const worked = queues.worked.labels({ name });
    const retries = queues.retries.labels({ name });
    adds.inc(0);
    retries.inc(0);
    depth.set(0);
    return {
      added: () => adds.inc(),
      depth: (waiting) => depth.set(waiting),
      started: (ms) => waited.observe(ms / 1000),
      finished: (ms) => worked.observe(ms / 1000),
      retried: () => retries.inc(),
      observeRunning: (running) =>
        this.#beforeScrape(() => {
          let sum = 0;
          let longest = 0;
          for (const ms of running()) {
            sum += ms;
            longest = Math.max(longest, ms);
          }
          queues.unfinished.set({ name }, sum / 1000);
          queues.longest.set({ name }, longest / 1000);
        }),
    };
  }

  #controllerFamilies() {
    const { counter, gauge, histogram } = this.#families;
    const labels = ["controller"];
    return {
      total: counter("controller_runtime_reconcile_total", "Reconciles, by controller and result.", [
        "controller",
        "result",
      ]),
      errors: counter(
        "controller_runtime_reconcile_errors_total",
        "Failed reconciles and failed status writes; of workers, objects that a member refused and losses of contact.",
        labels,
      ),
      time: histogram("controller_runtime_reconcile_time_seconds", "Time of a reconcile.", labels, FAST),
      active: gauge("controller_runtime_active_workers", "Workers that are reconciling now.", labels),
      maxConcurrent: gauge("controller_runtime_max_concurrent_reconciles", "Workers of a controller.", labels),
    };
  }

  #queueFamilies() {
    const { counter, gauge, histogram } = this.#families;
    const labels = ["name"];
    return {
      depth: gauge("workqueue_depth", "Keys that wait in the queue.", labels),
      adds: counter("workqueue_adds_total", "Keys added.", labels),
      waited: histogram("workqueue_queue_duration_seconds", "Time that keys wait in the queue.", labels, FAST),
      worked: histogram("workqueue_work_duration_seconds", "Time of the work on a key.", labels, FAST),
      retries: counter("workqueue_retries_total", "Keys that were put back with backoff.", labels),
      unfinished: gauge("workqueue_unfinished_work_seconds", "Sum of the time spent on unfinished keys.", labels),
      longest: gauge(
        "workqueue_longest_running_processor_seconds",
        "Time spent on the unfinished key that has run longest.",
        labels,
      ),
    };
  }
}
