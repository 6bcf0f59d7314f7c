import { createConnection } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Runs inside the measured process, before its program: Node loads it by `--import`. It counts how long the event loop stands still, and
 * answers each line on the socket that LOOP_SOCKET names with what it counted since the last one.
 */

/** What is asked every so many milliseconds is also what an idle loop seems to be late. */
const RESOLUTION_MS = 1;
const SLICE_MS = 5;

/** Of a stretch of time in milliseconds. */
export interface LoopFigures {
  /** The longest time that the loop stood still, whatever for: other processes of a busy machine count, too. */
  longestMs: number;
  /** The longest time for which this process itself kept a processor busy meanwhile: what it would have been on a machine of its own. */
  longestCpuMs: number;
  p99Ms: number;
}

const path = process.env["LOOP_SOCKET"];
if (path !== undefined) report(path);

function report(socketPath: string): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let longestCpuMs = 0;
  let before = threadCpuMs();
  const slice = setInterval(() => {
    const now = threadCpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - before);
    before = now;
  }, SLICE_MS);
  slice.unref();

  const socket = createConnection(socketPath);
  socket.unref();
  socket.on("data", () => {
    const toMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const figures: LoopFigures = {
      longestMs: toMs(histogram.max),
      longestCpuMs,
      p99Ms: toMs(histogram.percentile(99)),
    };
    histogram.reset();
    longestCpuMs = 0;
    socket.write(`${JSON.stringify(figures)}\n`);
  });
  // Whoever measured has gone: nothing is left to tell.
  socket.on("error", () => socket.destroy());
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
