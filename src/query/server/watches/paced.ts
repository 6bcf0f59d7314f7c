import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../../runtime/index.ts";

/** For a reader who does not read. */
const DRAIN_MS = 30_000;

export interface Pacing {
  clock: Clock;
  /** Made if the reader takes nothing for too long. */
  late: () => Error;
  /** Ends the wait. */
  signal: AbortSignal;
}

/** Writes, and waits until the reader has taken most of what was written: nothing is kept for him without bounds. */
export async function writeTo(
  response: ServerResponse,
  piece: string | Uint8Array,
  { clock, late, signal }: Pacing,
): Promise<void> {
  if (response.write(piece)) return;
  const enough = new AbortController();
  using _timer = clock.after(DRAIN_MS, () => enough.abort(late()));
  try {
    await once(response, "drain", { signal: AbortSignal.any([enough.signal, signal]) });
  } catch {
    // Thrown as the caller of the signal meant it.
    enough.signal.throwIfAborted();
  }
}
