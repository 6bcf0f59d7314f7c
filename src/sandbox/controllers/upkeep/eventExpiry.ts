import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { type Context, type Controller, EVENTS, isNotFound, type Result } from "../shared/index.ts";

/** The API server keeps Events for an hour. */
const LIFETIME_MS = 3_600_000;

/** Deletes the Events of all reporters an hour after their last write. One timer waits for the oldest. */
export class EventExpiry implements Controller {
  readonly name = "event-expiry";
  readonly resources = [EVENTS];
  readonly #context: Context;
  /** Write times in milliseconds since 1970, oldest first. */
  readonly #written = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  observe(_: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const key = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
    const wasEmpty = this.#written.size === 0;
    this.#written.delete(key);
    if (type === "DELETED") return;
    const { creationTimestamp } = object.metadata;
    // An Event stored before the sandbox started has the age of its creation time.
    const isNew = type === "MODIFIED" || old !== undefined || creationTimestamp === undefined;
    this.#written.set(key, isNew ? this.#context.clock.now() : Date.parse(creationTimestamp));
    if (wasEmpty) this.#context.enqueue(this.name, undefined, "oldest");
  }

  async reconcile(): Promise<Result> {
    const { client, clock } = this.#context;
    for (const [key, written] of this.#written) {
      const left = written + LIFETIME_MS - clock.now();
      if (left > 0) return { after: left };
      const [namespace = "", name = ""] = key.split("/");
      this.#written.delete(key);
      try {
        await client.delete(EVENTS, namespace, name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
  }
}
