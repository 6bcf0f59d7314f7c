import type { Observation } from "../../desiredstate/index.ts";
import { inSyncWith } from "./comparison.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";
import { lastReportOf, observationOf } from "./memberObservation.ts";
import { isForgettable } from "./rowChanges.ts";

/**
 * Collects the member objects with something new to report, each once for each turn of the event loop. An object without
 * a row, an observation or a write is forgotten once its report was collected.
 */
export class PendingReport {
  readonly #cluster: string;
  readonly #objects: MemberObjects;
  readonly #report: (observations: readonly Observation[]) => void;
  readonly #news = new Set<MemberObject>();

  /** `report` receives the observations of one turn. */
  constructor(cluster: string, objects: MemberObjects, report: (observations: readonly Observation[]) => void) {
    this.#cluster = cluster;
    this.#objects = objects;
    this.#report = report;
    objects.onNews((object) => {
      if (this.#news.size === 0) queueMicrotask(() => this.flush());
      this.#news.add(object);
    });
  }

  /** Reports now. */
  flush(): void {
    const observations = this.collect();
    if (observations.length > 0) this.#report(observations);
  }

  /** Puts every member object into the report, which the caller collects. */
  addAll(): void {
    for (const object of this.#objects.all()) this.#news.add(object);
  }

  /** The pending observations, for the caller to send. */
  collect(): readonly Observation[] {
    const objects = [...this.#news].filter((object) => this.#objects.get(object.key) === object);
    this.#news.clear();
    for (const object of objects) {
      object.reportedWriting = object.writing;
      object.lastReport = lastReportOf(object);
    }
    const observations = objects.map((object) => observationOf(this.#cluster, object, settledWith(object)));
    for (const object of objects) if (isForgettable(object)) this.#objects.forget(object);
    return observations;
  }
}

/** {@link inSyncWith}; undefined while another writer contests the object. */
function settledWith(object: MemberObject): string | undefined {
  return object.contested === undefined ? inSyncWith(object) : undefined;
}
