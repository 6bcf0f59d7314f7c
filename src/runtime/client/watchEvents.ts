import { defined } from "../../apis/index.ts";
import { ApiError } from "../core/index.ts";
import type { ApiStatus, WatchEvent, WatchOptions } from "../types.ts";

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The bookmark after which a stream that began with a snapshot tells of changes. */
export function endsInitialEvents(event: WatchEvent): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

const CHANGES = ['{"type":"MODIFIED"', '{"type":"ADDED"'];
/** As a key of JSON; within a text its quotes would be escaped. */
const VERSION_KEY = '"resourceVersion":"';

/**
 * The version of the object that an event brings, if it is one of those known; found without parsing the event. Only where the event adds or
 * changes the object, and no other key of that name (a label, a reference) leaves in doubt which one is meant.
 */
export function knownVersionIn(line: string, known: WatchOptions["known"]): string | undefined {
  if (known === undefined || known.size === 0) return undefined;
  const version = changedVersionIn(line);
  return version !== undefined && known.has(version) ? version : undefined;
}

function changedVersionIn(line: string): string | undefined {
  if (!CHANGES.some((change) => line.startsWith(change))) return undefined;
  const key = line.indexOf(VERSION_KEY);
  if (key < 0) return undefined;
  const from = key + VERSION_KEY.length;
  if (line.includes(VERSION_KEY, from)) return undefined;
  return line.slice(from, line.indexOf('"', from));
}

/** The error that the server put into the stream. */
export function errorOf({
  code,
  reason = "Unknown",
  message = "the server ended the watch with an error",
  details,
}: ApiStatus): ApiError {
  const retryAfterMs = details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
  return new ApiError(code, reason, message, { ...defined({ details }), retryAfterMs });
}
