import type { KubeObject } from "../../../apis/index.ts";
import { StatusError } from "../../statusError.ts";
import type { LocalClient, ResourceName, SandboxClock, WatchEvent } from "../../types.ts";
import type { EventRecorder } from "./eventRecorder.ts";
import type { OwnerGraph } from "./ownerGraph.ts";
import type { Result } from "./workQueue.ts";

/** What every controller works with. */
export interface Context {
  client: LocalClient;
  clock: SandboxClock;
  graph: OwnerGraph;
  events: EventRecorder;
  /** Enqueues an object for the controller of that name. */
  enqueue(controller: string, namespace: string | undefined, name: string): void;
}

/**
 * One of the controllers. `observe` gets every event of the resources it names, before the writer has its answer: it only
 * says what to enqueue. `reconcile` reads the object as it is then and does what is missing; it may be called at any time and
 * any number of times.
 */
export interface Controller {
  /** As in the source of an Event: `deployment-controller`. */
  readonly name: string;
  readonly resources: readonly ResourceName[];
  observe(resource: ResourceName, event: WatchEvent, old: KubeObject | undefined): void;
  reconcile(namespace: string | undefined, name: string): Promise<Result>;
}

/** Somebody else was faster: what is wanted will be computed anew, from what is there now. */
export function isStale(error: unknown): boolean {
  return error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound");
}

/** A ResourceQuota has no room: the owner says so in its status and by an Event, and nothing went wrong here. */
export function isQuotaRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code === 403 && /\b(exceeded|failed) quota: /.test(error.message);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404;
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "AlreadyExists";
}

/** Nothing is made in a namespace that is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}

/** What went wrong, for those who have something to report before they give up; undefined when nothing did. */
export async function failureOf(act: () => Promise<void>): Promise<Error | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
