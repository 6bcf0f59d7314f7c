import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockFolder } from "./lock.ts";

let folder: string;
const file = (): string => join(folder, "the.lock");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-lock-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A pid that no process has any more. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

describe("a folder", () => {
  test("belongs to one at a time, and the other learns who has it", async () => {
    await using _held = await lockFolder(file(), folder);
    await expect(lockFolder(file(), folder)).rejects.toMatchObject({
      exitCode: 2,
      message: `a quickstart runs on ${folder} already (process ${process.pid}): stop it, or use another --dir`,
    });
  });

  test("is free again afterwards, without a trace", async () => {
    await (await lockFolder(file(), folder))[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
    await using _again = await lockFolder(file(), folder);
    expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({ pid: process.pid });
  });

  test("can be taken by only one of many that find a stale lock at once", async () => {
    await writeFile(file(), JSON.stringify({ pid: await deadPid(), host: hostname() }));
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(file(), folder)));
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["the.lock"]);
  });
});

describe("a lock counts for nothing when", () => {
  test("its process is gone", async () => {
    await writeFile(file(), JSON.stringify({ pid: await deadPid(), host: hostname() }));
    await using _held = await lockFolder(file(), folder);
    expect(await readFile(file(), "utf8")).toContain(`"pid":${process.pid},`);
  });

  test.runIf(process.platform === "linux")("its pid belongs to a later process", async () => {
    await writeFile(file(), JSON.stringify({ pid: process.ppid, host: hostname(), began: "1" }));
    await using _held = await lockFolder(file(), folder);
    expect(await readFile(file(), "utf8")).toContain(`"pid":${process.pid},`);
  });

  test.each(["", "{", "null", '{"pid":"x"}'])("it holds %j", async (text) => {
    await writeFile(file(), text);
    await using _held = await lockFolder(file(), folder);
    expect(await readFile(file(), "utf8")).toContain(`"pid":${process.pid},`);
  });
});

describe("a lock counts when", () => {
  test("its process lives and nobody knows since when", async () => {
    await writeFile(file(), JSON.stringify({ pid: process.ppid, host: hostname() }));
    await expect(lockFolder(file(), folder)).rejects.toThrow(`process ${process.ppid}`);
  });

  test("it is of another machine, and the person reads what to do", async () => {
    await writeFile(file(), JSON.stringify({ pid: 1, host: "elsewhere" }));
    await expect(lockFolder(file(), folder)).rejects.toThrow(
      `${folder} is in use by process 1 on elsewhere; if nothing runs there any more, remove ${file()}`,
    );
  });
});

test("giving back leaves a lock alone that somebody else has by now", async () => {
  const held = await lockFolder(file(), folder);
  await writeFile(file(), "somebody else's");
  await held[Symbol.asyncDispose]();
  expect(await readFile(file(), "utf8")).toBe("somebody else's");
});
