import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pino } from "pino";
import { gathered, LogTee } from "./logOutput.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A logger of which the lines leave when the buffer is flushed. */
function logging() {
  const waiting: string[] = [];
  const left: string[][] = [];
  const output = gathered({
    write: (line) => void waiting.push((JSON.parse(line) as { msg: string }).msg),
    flush: () => void left.push(waiting.splice(0)),
  });
  return { logger: pino({ level: "debug" }, output), left };
}

test("that nobody reads any more do not keep the process from ending", async () => {
  vi.useRealTimers();
  const module = fileURLToPath(new URL("./logOutput.ts", import.meta.url));
  const script = `
    import { standardOutput } from ${JSON.stringify(module)};
    const output = standardOutput();
    output.write("one\\n");
    process.stdin.once("end", () => output.write("two\\n")).resume();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  // With no reader left, each write fails.
  child.stdout.destroy();
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

describe("lines", () => {
  test("leave together, a second after the first of them", () => {
    const { logger, left } = logging();
    logger.info("a");
    vi.advanceTimersByTime(600);
    logger.debug("b");
    vi.advanceTimersByTime(399);
    expect(left).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(left).toEqual([["a", "b"]]);
    logger.info("c");
    vi.advanceTimersByTime(999);
    expect(left).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(left[1]).toEqual(["c"]);
  });

  test.each(["warn", "error", "fatal"] as const)("of the level %s leave soon, with all that came before", (level) => {
    const { logger, left } = logging();
    logger.info("a");
    vi.advanceTimersByTime(10);
    logger[level]("b");
    vi.advanceTimersByTime(50);
    logger[level]("c");
    logger.info("d");
    vi.advanceTimersByTime(49);
    expect(left).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(left).toEqual([["a", "b", "c", "d"]]);
    logger.info("e");
    vi.advanceTimersByTime(999);
    expect(left).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(left[1]).toEqual(["e"]);
  });

  test("that come shortly before the second is over do not wait longer for a warning", () => {
    const { logger, left } = logging();
    logger.info("a");
    vi.advanceTimersByTime(950);
    logger.warn("b");
    vi.advanceTimersByTime(50);
    expect(left).toEqual([["a", "b"]]);
  });
});

test("a second reader gets each line, and standard output its level", () => {
  const written: [string, number][] = [];
  const output = {
    lastLevel: 0,
    write(line: string) {
      written.push([(JSON.parse(line) as { msg: string }).msg, this.lastLevel]);
    },
  };
  const tee = new LogTee(output);
  const logger = pino({ level: "debug" }, tee.destination);
  logger.info("a");
  const lines: string[] = [];
  tee.follow((line) => void lines.push((JSON.parse(line) as { msg: string }).msg));
  logger.error("b");
  expect(written).toEqual([
    ["a", 30],
    ["b", 50],
  ]);
  expect(lines).toEqual(["b"]);
});
