import type { KubeObject } from "../../../apis/index.ts";
import { StatusError } from "../../statusError.ts";
import type { LocalClient, ResourceName, SandboxClock, WatchEvent } from "../../types.ts";
import type { EventRecorder } from "./eventRecorder.ts";
import type { OwnerGraph } from "./ownerGraph.ts";
import type { Result } from "./workQueue.ts";

/** Shared dependencies of the controllers. */
export interface Context {
  client: LocalClient;
  clock: SandboxClock;
  graph: OwnerGraph;
  events: EventRecorder;
  /** Enqueues an object for the controller of that name. */
  enqueue(controller: string, namespace: string | undefined, name: string): void;
}

/**
 * One controller. `observe` gets every event of its resources before the writer gets the answer, and only enqueues
 * keys. `reconcile` reads the current object and completes the missing work. It may run at any time and any number of
 * times.
 */
export interface Controller {
  /** Name of the controller in Events: `deployment-controller`. */
  readonly name: string;
  readonly resources: readonly ResourceName[];
  observe(resource: ResourceName, event: WatchEvent, old: KubeObject | undefined): void;
  reconcile(namespace: string | undefined, name: string): Promise<Result>;
}

/** Another writer changed the object first. The next reconcile computes the work again. */
export function isStale(error: unknown): boolean {
  return error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound");
}

/** A ResourceQuota has no room. The owner's status and an Event tell so; it is no error of the controller. */
export function isQuotaRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code === 403 && /\b(exceeded|failed) quota: /.test(error.message);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404;
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "AlreadyExists";
}

/** Nothing can be created in a terminating namespace. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}

/** Runs `act` and returns its error, undefined on success, so that the caller can report before it throws. */
export async function failureOf(act: () => Promise<void>): Promise<Error | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
