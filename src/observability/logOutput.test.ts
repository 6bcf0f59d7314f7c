import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pino } from "pino";
import { gathered } from "./logOutput.ts";

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
