import { defined } from "../../apis/index.ts";
import { ApiError } from "../core/index.ts";
import type { ApiStatus, WatchEvent, WatchOptions } from "../types.ts";

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** Ends the initial snapshot of a stream. */
export function endsInitialEvents(event: WatchEvent): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

const CHANGES = ['{"type":"MODIFIED"', '{"type":"ADDED"'];
/** A JSON key: within a text the quotes would be escaped. */
const VERSION_KEY = '"resourceVersion":"';

/**
 * Version of an added or modified object if `known` has it, without parsing. Undefined if another key of that name makes
 * the match ambiguous.
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

export function errorOf({
  code,
  reason = "Unknown",
  message = "the server ended the watch with an error",
  details,
}: ApiStatus): ApiError {
  const retryAfterMs = details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
  return new ApiError(code, reason, message, { ...defined({ details }), retryAfterMs });
}
