import { readFile } from "node:fs/promises";

/** Resident memory in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error(`process ${pid} does not say how much memory it has`);
  return Number(kib) / 1024;
}

/** The kernel counts in hundredths of a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU seconds since its start, its own and the kernel's on its behalf. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in brackets and may hold anything; the fields behind it are numbers.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** How busy the whole machine was of late: a figure measured on a loaded one says little. */
export async function loadAverage(): Promise<number> {
  return Number((await readFile("/proc/loadavg", "utf8")).split(" ", 1)[0]);
}
