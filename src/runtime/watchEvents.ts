import { ApiError } from "./errors.ts";
import type { ApiStatus, WatchEvent } from "./types.ts";

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The bookmark after which a stream that began with a snapshot tells of changes. */
export function endsInitialEvents(event: WatchEvent): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

/** The error that the server put into the stream. */
export function errorOf({
  code,
  reason = "Unknown",
  message = "the server ended the watch with an error",
  details,
}: ApiStatus): ApiError {
  const retryAfterMs = details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
  return new ApiError(code, reason, message, { ...(details === undefined ? {} : { details }), retryAfterMs });
}
