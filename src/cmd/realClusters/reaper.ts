/**
 * Cleans up after its parent: when standard input ends, it kills the processes and removes the folders that the input
 * named, in lines `+pid N`, `-pid N`, `+dir PATH` and `-dir PATH`.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const pids = new Set<number>();
const folders = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, value] = [line.slice(0, 4), line.slice(5)];
  if (verb === "+pid") pids.add(Number(value));
  if (verb === "-pid") pids.delete(Number(value));
  if (verb === "+dir") folders.add(value);
  if (verb === "-dir") folders.delete(value);
}

for (const pid of pids) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended by itself.
  }
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
