import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { freePort, isFree, ManagedProcess } from "./processes.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-processes-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function script(text: string): ManagedProcess {
  return new ManagedProcess({
    name: "the program",
    command: process.execPath,
    args: ["-e", text],
    logFile: join(folder, "log"),
    detached: true,
  });
}

describe("waiting for a process that is to become ready", () => {
  const never = () => Promise.reject(new Error("not ready"));
  const waitFor = (child: ManagedProcess): Promise<unknown> =>
    child.whileRunning((signal) => eventually(never, { timeout: 60_000, signal }));

  test("goes on while it lives", async () => {
    await using child = script(`console.log("ready"); setInterval(() => {}, 1000)`);
    const ready = async () => expect(await readFile(child.logFile, "utf8")).toBe("ready\n");
    await child.whileRunning((signal) => eventually(ready, { signal }));
  });

  test("ends at once when it ends, with the last it said", async () => {
    await using child = script(`console.error("the port is taken"); process.exitCode = 1`);
    await expect(waitFor(child)).rejects.toThrow("the program ended:\nthe port is taken");
  });

  test("ends at once for a program that is not there", async () => {
    const program = { name: "nothing", command: join(folder, "missing"), args: [], logFile: join(folder, "log") };
    await expect(waitFor(new ManagedProcess(program))).rejects.toThrow("nothing ended");
  });
});

test("a detached process does not hear what the terminal sends to this one's group", async () => {
  await using child = script("setInterval(() => {}, 1000)");
  const groupOf = async (pid: number): Promise<string | undefined> =>
    (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1)?.split(" ")[2];
  if (process.platform === "linux") expect(await groupOf(child.pid)).toBe(String(child.pid));
  expect(child.exit).toBeUndefined();
});

test("a free port is free, and given out once", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) expect(await isFree(port)).toBe(true);
});
